#!/usr/bin/env python3
"""`bop run` against gcc: the same output and exit code on programs that csmith makes, or on files.

    python3 scripts/run-agree.py --bop target/debug/bop --csmith 200 --seed 7
    python3 scripts/run-agree.py --bop target/debug/bop FILE.c ...

Ends with the counts: agreed, undefined (the run met what has no meaning), not covered (by cause), differing, out of
time. Exit code 1 if anything differs; a run that takes more than a thousand times as long as the processor's does. Programs
that differ are kept in --out.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Each program is made with one of these.
SWITCHES = [
    [],
    ["--packed-struct"],
    ["--no-packed-struct", "--max-struct-fields", "15"],
    ["--no-pointers"],
    ["--no-structs", "--no-unions"],
    ["--no-bitfields"],
    ["--inline-function"],
    ["--float"],
    ["--int128", "--uint128"],
    ["--no-volatiles", "--max-funcs", "4"],
    ["--builtins", "--strict-const-arrays"],
    ["--max-array-dim", "4", "--max-pointer-depth", "4"],
]
INCLUDES = "/usr/include/csmith"


def run(cmd, timeout, **kw):
    try:
        return subprocess.run(cmd, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL, **kw)
    except subprocess.TimeoutExpired:
        return None


def judge(args, path, flags):
    """What comes of one program: a word, and a cause."""
    with tempfile.TemporaryDirectory() as d:
        folder = os.path.dirname(os.path.abspath(path))
        built = run(["gcc", "-O0", "-fwrapv", "-w", *flags, os.path.abspath(path), "-o", f"{d}/p", "-lm"], 60, cwd=folder)
        if built is None or built.returncode:
            return "skipped", "gcc does not compile it"
        start = time.monotonic()
        native = run([f"{d}/p"], args.native_timeout, cwd=d)
        seconds = time.monotonic() - start
        if native is None:
            return "skipped", "it takes long"
        cpp = [f"--cpp={flag}" for flag in flags]
        ours = run([args.bop, "run", os.path.abspath(path), *cpp], args.timeout, cwd=folder)
        if ours is None:
            return "differing" if seconds * 1000 < args.timeout else "out of time", f"{seconds:.2f} s of the processor"
        errors = ours.stderr.decode(errors="replace")
        if ours.returncode == 3:
            cause = re.search(r": (?:not covered|unknown): (.*)", errors)
            if cause:
                return "not covered", cause.group(1)
        ended = [line for line in errors.splitlines() if ": undefined behaviour: " in line]
        if ours.returncode == 1 and ended and native.returncode != 1:
            return "undefined", ended[-1]
        code = native.returncode if native.returncode >= 0 else 128 - native.returncode
        if (ours.stdout, ours.returncode) == (native.stdout, code):
            return "agreed", ""
        if native.returncode < 0 and ended:
            return "undefined", ended[-1]
        return "differing", f"exit code {ours.returncode} instead of {code}" if ours.returncode != code else "output"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bop", required=True)
    ap.add_argument("--csmith", type=int, default=0)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--timeout", type=float, default=120)
    ap.add_argument("--native-timeout", type=float, default=1)
    ap.add_argument("--out", default="run-differences")
    ap.add_argument("-v", action="store_true")
    ap.add_argument("files", nargs="*")
    args = ap.parse_args()
    args.bop = os.path.abspath(args.bop)
    counts, causes = collections.Counter(), collections.Counter()

    def note(name, path, flags):
        word, cause = judge(args, path, flags)
        counts[word] += 1
        if word in ("not covered", "undefined"):
            causes[f"{word}: {re.sub(r'^.*undefined behaviour: ', '', cause)}"] += 1
        if word == "differing" or args.v and word != "agreed":
            print(f"{word}: {name}: {cause}", flush=True)
        if word == "differing":
            os.makedirs(args.out, exist_ok=True)
            shutil.copy(path, args.out)

    with tempfile.TemporaryDirectory() as d:
        for k in range(args.csmith):
            seed, switches = (args.seed * 100_000 + k) % 2**31, SWITCHES[k % len(SWITCHES)]
            path = f"{d}/csmith-{seed}.c"
            made = run(["csmith", "--seed", str(seed), *switches, "-o", path], 60, cwd=d)
            if made is None or made.returncode or not os.path.exists(path):
                counts["skipped"] += 1
                continue
            note(f"csmith --seed {seed} {' '.join(switches)}", path, [f"-I{INCLUDES}"])
            os.remove(path)
    for path in args.files:
        note(path, path, [])
    for cause, n in causes.most_common(20):
        print(f"  {n} {cause}")
    words = ["agreed", "undefined", "not covered", "differing", "out of time", "skipped"]
    print(", ".join(f"{counts[word]} {word}" for word in words))
    sys.exit(1 if counts["differing"] else 0)


if __name__ == "__main__":
    main()
