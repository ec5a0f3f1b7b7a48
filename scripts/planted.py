#!/usr/bin/env python3
"""Plants bugs in a C project and counts how many of them the rules find.

    scripts/planted.py --bop target/debug/bop --n 8 --seed 1 FILE.c … [-- FLAGS]

The seed draws statements that release something, a line for each: `free(p);`, `fclose(f);`, `close(fd);`,
`pthread_mutex_unlock(m);` and calls whose names end so. One bug is planted at a time, in a copy of the project: the line is
removed, or it is there twice, or what was freed is read behind it. A bug is found if the project with it has a finding
that the project without it has not, of the right rules, wherever it is told. Whether the line mattered is not looked at:
where it never did, nothing can be found, and the bug counts as missed.

`bop` is asked for all findings (`--confidence possible`), and a bug is *shown* if one of them is what the default shows:
likely or confirmed; else it is *hidden*. Standard library only.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

RELEASE = re.compile(r"^(\s*)((?:\w+_)?(?:x?free|fclose|pclose|closedir|close|unlock))\s*\(\s*([^;]*?)\s*\);\s*$")
RULES = {
    "free": {"removed": {"memory_leak"}, "twice": {"double_free", "use_after_free"}, "used": {"use_after_free"}},
    "close": {
        "removed": {"file_leak", "descriptor_leak", "memory_leak"},
        "twice": {"double_close", "descriptor_double_close", "use_after_close", "descriptor_use_after_close",
                  "double_free", "use_after_free"},
    },
    "unlock": {"removed": {"lock_held_at_exit", "double_lock"}, "twice": {"unlock_without_lock"}},
}
ALL = ["memory", "file", "descriptor", "lock"]


def kind_of(name):
    for kind in ("free", "close", "unlock"):
        if name.endswith(kind):
            return kind
    return "close"


def sites(files):
    """Lines that release something, and what may be done to them."""
    out = []
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as f:
            lines = f.read().split("\n")
        for i, line in enumerate(lines):
            found = RELEASE.match(line)
            # A statement of its own: what stands before it has ended.
            before = next((l.strip() for l in reversed(lines[:i]) if l.strip()), "")
            if not found or not before.endswith((";", "{", "}", ":", "*/", ")")) or before.startswith("#"):
                continue
            kind = kind_of(found[2])
            for way in RULES[kind]:
                # The body of an `if` without braces is one statement.
                if before.endswith(")") and way != "removed":
                    continue
                out.append((file, i, kind, way, found[1], found[2], found[3]))
    return out


def planted(lines, site):
    _, i, _, way, indent, name, args = site
    lines = list(lines)
    if way == "removed":
        lines[i] = indent + ";"
    elif way == "twice":
        lines[i] = f"{indent}{name}({args}); {name}({args});"
    else:
        first = args.rsplit(",", 1)[-1].strip()
        lines[i] = f"{indent}{name}({args}); (void)*(volatile char *)({first});"
    return lines


def check(bop, files, flags, timeout, rules=ALL, more=()):
    """The findings, and how sure each of them is."""
    args = [bop, "check", *files, "--format", "json", "--trace", "none", "--timeout", f"{timeout}s", *more]
    if "--skeleton" not in more:
        args += ["--confidence", "possible"]
    for rule in sorted(rules):
        args += ["--rule", rule]
    done = subprocess.run(args + (["--", *flags] if flags else []), capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"bop gave no report: {done.stderr.strip()[:400]}")
    if "results" not in report:
        raise SystemExit(f"bop gave no results: {report.get('errors')}")
    out = {}
    for result in report["results"]:
        place = result.get("place")
        if result["verdict"] != "violated" or not place:
            continue
        for at in [result] + result.get("also", []):
            origin = at.get("origin") or {}
            where = at["place"].get("file", report["file"])
            key = (result["property"]["rule"], where, at["place"]["proc"], at["place"]["line"],
                   origin.get("file"), origin.get("line"))
            out[key] = at.get("confidence") or result.get("confidence")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--bop", default="target/debug/bop")
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--right-rules", action="store_true",
                        help="ask of each planted bug only the rules that may tell it, so that it takes less time")
    parser.add_argument("--skeleton", action="store_true", help="without data: what can be found at all")
    parser.add_argument("--list", action="store_true", help="only list what is drawn")
    argv = sys.argv[1:]
    flags = []
    if "--" in argv:
        cut = argv.index("--")
        argv, flags = argv[:cut], argv[cut + 1:]
    args = parser.parse_args(argv)
    bop = os.path.abspath(args.bop)
    draw = random.Random(args.seed)
    all_sites = sites(args.files)
    draw.shuffle(all_sites)
    chosen = all_sites[: args.n]
    if args.list:
        for file, i, kind, way, _, name, what in chosen:
            print(f"{way:8} {file}:{i + 1}  {name}({what});")
        return
    more = ["--skeleton"] if args.skeleton else []
    befores = {}
    count = {"shown": 0, "hidden": 0, "missed": 0}
    for site in chosen:
        file, i, kind, way, *_ = site
        rules = tuple(sorted(RULES[kind][way])) if args.right_rules else tuple(ALL)
        if rules not in befores:
            befores[rules] = check(bop, args.files, flags, args.timeout, rules, more)
        before = befores[rules]
        with open(file, encoding="utf-8", errors="surrogateescape") as f:
            text = f.read()
        kept = tempfile.NamedTemporaryFile("w", delete=False, encoding="utf-8", errors="surrogateescape")
        kept.write(text)
        kept.close()
        try:
            with open(file, "w", encoding="utf-8", errors="surrogateescape") as f:
                f.write("\n".join(planted(text.split("\n"), site)))
            after = check(bop, args.files, flags, args.timeout, rules, more)
        finally:
            shutil.move(kept.name, file)
        new = [sure for f, sure in after.items() if f not in before and f[0] in RULES[kind][way]]
        # What cannot be judged is shown.
        shown = [sure or "shown" for sure in new if sure != "possible"]
        what = "shown" if shown else "hidden" if new else "missed"
        count[what] += 1
        line = text.split("\n")[i].strip()
        how = f" ({max(shown, key=['shown', 'likely', 'confirmed'].index)})" if shown else ""
        print(f"{what:6}  {way:8} {file}:{i + 1}  {line}{how}", flush=True)
    print(f"of {len(chosen)}: {count['shown']} shown, {count['hidden']} hidden, {count['missed']} missed; "
          f"seed {args.seed}")


if __name__ == "__main__":
    main()
