#!/usr/bin/env python3
"""The ready-made rules on NIST's Juliet suite for C, as a whole or a drawn part of it.

    scripts/juliet.py SUITE [--cwe 401,415] [--sample N --seed S] [--bop BOP] [--tsv FILE] [-- FLAGS OF BOP]

SUITE has `testcases` (or `tc`) and `testcasesupport`. A case is the files of one name and flow variant; cases for C++ and
for Windows, and those that the system's compiler rejects, are not counted. A case is checked with the suite's `io.c`, and
`bop` sees it with `bad` and `good` in all names replaced, so that none tells the answer. A bad function counts as found if
a finding of the rules for its weakness has a step in it, or in what it alone calls; a good one as a false alarm likewise.
Of findings that `bop` hides by default nothing is counted.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

# Which rules are meant to find a weakness.
RULES = {
    "CWE134": ("format", ["format_from_outside"]),
    "CWE252": ("results", ["ignored_result"]),
    "CWE253": ("results", ["ignored_result"]),
    "CWE401": ("memory", ["memory_leak"]),
    "CWE415": ("memory", ["double_free"]),
    "CWE416": ("memory", ["use_after_free"]),
    "CWE476": ("results", ["null_result"]),
    "CWE667": ("lock", ["lock_held_at_exit"]),
    "CWE675": ("file", ["double_close"]),
    "CWE690": ("results", ["null_result"]),
    "CWE773": ("file", ["file_leak"]),
    "CWE775": ("file", ["file_leak"]),
    "CWE832": ("lock", ["unlock_without_lock"]),
}
DESCRIPTORS = {"CWE675": "descriptor_double_close", "CWE773": "descriptor_leak", "CWE775": "descriptor_leak"}


def cases(suite):
    """All cases: (weakness, name, flow variant) and their files."""
    out = defaultdict(list)
    for top in ("testcases", "tc"):
        for folder, _, files in os.walk(os.path.join(suite, top)):
            for file in files:
                m = re.fullmatch(r"(CWE\d+)_(\w+?__\w+)_(\d\d)([a-e])?\.c", file)
                if m and "w32" not in file.lower() and "wchar_t_w" not in file:
                    out[(m[1], m[1] + "_" + m[2], m[3])].append(os.path.join(folder, file))
    return {k: sorted(v) for k, v in out.items()}


def compiles(files, support):
    command = ["cc", "-fsyntax-only", "-w", "-I", support, *files]
    return subprocess.run(command, capture_output=True).returncode == 0


# What is called good or bad gets another name: `bad` becomes `qx`, a `good` name `qy`. Both ways are one to one.
def hidden(text):
    text = re.sub(r"(?<![\"%])bad", "qx", text)
    text = re.sub(r"Bad", "Qx", text)
    text = re.sub(r"good", "qy", text)
    return re.sub(r"Good", "Qy", text)


def good_functions(text):
    """The good functions of a case: those that its `good()` calls."""
    out = set()
    for m in re.finditer(r"\n(?:static )?void (good\w+)\(\)\s*\n\{", text):
        if "Sink" not in m[1] and "Source" not in m[1]:
            out.add(m[1])
    return out


def functions_of(result):
    """The functions that a finding has steps in."""
    out = set()
    trace = result.get("trace") or {}
    for step in trace.get("steps", trace if isinstance(trace, list) else []):
        for key in ("proc", "function", "procedure"):
            if step.get(key):
                out.add(step[key])
    return out


def judged(key, files, args, support, io):
    cwe, name, _ = key
    stem, wanted = RULES[cwe]
    if "__open_" in files[0]:
        stem, wanted = "descriptor", [DESCRIPTORS[cwe]]
    with tempfile.TemporaryDirectory() as folder:
        paths, good = [], set()
        for i, file in enumerate(files):
            text = open(file, encoding="latin-1").read()
            good |= good_functions(text)
            paths.append(os.path.join(folder, f"c{i}.c"))
            open(paths[-1], "w", encoding="latin-1").write(hidden(text))
        if not args.alone:
            paths += io
        command = [args.bop, "check", *paths, "--format", "json", "--allow-incomplete"]
        for rule in wanted:
            command += ["--rule", rule]
        command += [*args.flags, "--", "-I", support]
        try:
            done = subprocess.run(command, capture_output=True, timeout=120)
            report = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
            return None, set(), good, str(error)
    found, alarms, odd = False, set(), ""
    for result in report["results"]:
        if result["verdict"] == "unknown":
            odd = "unknown"
        if result["verdict"] != "violated":
            continue
        for one in [result, *result.get("also", [])]:
            names = functions_of(one) | functions_of(result)
            if any("qx" in n.lower() for n in names):
                found = True
            else:
                hit = [n for n in names if n.replace("qy", "good") in good]
                alarms |= set(hit or sorted(n for n in names if "qy" in n.lower()))
    return found, alarms, good, odd


def main():
    argv = sys.argv[1:]
    flags = []
    if "--" in argv:
        at = argv.index("--")
        argv, flags = argv[:at], argv[at + 1 :]
    parser = argparse.ArgumentParser()
    parser.add_argument("suite")
    parser.add_argument("--cwe")
    parser.add_argument("--variant")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bop", default="target/debug/bop")
    parser.add_argument("--alone", action="store_true", help="without io.c")
    parser.add_argument("--tsv")
    args = parser.parse_args(argv)
    args.flags = flags
    support = os.path.join(args.suite, "testcasesupport")
    io = [os.path.join(support, "io.c")]
    wanted = args.cwe.split(",") if args.cwe else [k[3:] for k in RULES]
    all_cases = cases(args.suite)
    keys = sorted(k for k in all_cases if k[0][3:] in wanted and k[0] in RULES)
    if args.variant:
        keys = [k for k in keys if k[2] in args.variant.split(",")]
    if args.sample:
        keys = sorted(random.Random(args.seed).sample(keys, min(args.sample, len(keys))))
    table = defaultdict(lambda: [0, 0, 0, 0])
    by_variant = defaultdict(lambda: [0, 0, 0, 0])
    skipped = 0
    tsv = open(args.tsv, "w") if args.tsv else None
    for key in keys:
        if not compiles(all_cases[key], support):
            skipped += 1
            continue
        found, alarms, good, odd = judged(key, all_cases[key], args, support, io)
        for row in (table[key[0]], by_variant[key[2]]):
            row[0] += 1
            row[1] += bool(found)
            row[2] += len(good)
            row[3] += min(len(alarms), len(good))
        if tsv:
            what = "found" if found else "missed"
            tsv.write(f"{key[1]}_{key[2]}\t{what}\t{len(good)}\t{','.join(sorted(alarms))}\t{odd}\n")
            tsv.flush()
    for title, rows in (("weakness", table), ("flow variant", by_variant)):
        print(f"| {title} | bad | found | recall | good functions | false alarms |")
        print("|---|---|---|---|---|---|")
        total = [0, 0, 0, 0]
        for name, row in sorted(rows.items()):
            total = [a + b for a, b in zip(total, row)]
            print(f"| {name} | {row[0]} | {row[1]} | {100 * row[1] / row[0]:.1f} % | {row[2]} | {row[3]} |")
        if total[0]:
            print(f"| all | {total[0]} | {total[1]} | {100 * total[1] / total[0]:.1f} % | {total[2]} | {total[3]} |")
        print()
    if skipped:
        print(f"{skipped} cases are not accepted by the compiler, and not counted")


if __name__ == "__main__":
    main()
