#!/usr/bin/env python3
"""Compares bop's answers with those of ABC on the circuits that `bop convert --to aiger` writes.

    python3 scripts/judge-circuits.py --bop target/debug/bop FILE...

Each bad state of a circuit (failed assertions, labels) is decided by ABC's property-directed search; bop is asked the
same of the program. Programs with recursion are counted and left out. With yosys, the BTOR2 text is not read (yosys
writes it only); `--btor2` compares it with the AIGER text by simulation here.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile


def binary(aag: str) -> tuple[bytes, list[str]]:
    """The binary form, which ABC reads; the names of bad states."""
    lines = aag.splitlines()
    m, i, l, o, a, b = map(int, lines[0].split()[1:])
    at = 1 + i
    latches = [list(map(int, x.split())) for x in lines[at:at + l]]
    bads = [int(x) for x in lines[at + l:at + l + b]]
    ands = [list(map(int, x.split())) for x in lines[at + l + b:at + l + b + a]]
    names = [x.split(" ", 1)[1] for x in lines[at + l + b + a:] if re.match(r"b\d+ ", x)]
    # Bad states as outputs: old versions of ABC know nothing else.
    out = f"aig {m} {i} {l} {b} {a}\n".encode()
    for number, (latch, after) in enumerate(latches):
        assert latch == 2 * (i + number + 1)
        out += f"{after}\n".encode()
    for bad in bads:
        out += f"{bad}\n".encode()
    for number, (gate, x, y) in enumerate(ands):
        assert gate == 2 * (i + l + number + 1), gate
        x, y = max(x, y), min(x, y)
        assert gate > x >= y
        for delta in (gate - x, x - y):
            while delta >= 0x80:
                out += bytes([delta & 0x7F | 0x80])
                delta >>= 7
            out += bytes([delta])
    return out, names


def simulate(aag: str, btor2: str, seed: int) -> None:
    """Both texts behave alike on random inputs."""
    rng = random.Random(seed)
    lines = aag.splitlines()
    m, i, l, o, a, b = map(int, lines[0].split()[1:])
    ins = [int(x) for x in lines[1:1 + i]]
    latches = [list(map(int, x.split())) for x in lines[1 + i:1 + i + l]]
    bads = [int(x) for x in lines[1 + i + l:1 + i + l + b]]
    ands = [list(map(int, x.split())) for x in lines[1 + i + l + b:1 + i + l + b + a]]
    rows = [x.split() for x in btor2.splitlines() if not x.startswith(";")]
    inputs = [int(r[0]) for r in rows if r[1] == "input"]
    states = [int(r[0]) for r in rows if r[1] == "state"]
    nexts = {int(r[3]): int(r[4]) for r in rows if r[1] == "next"}
    assert len(inputs) == i and len(states) == l and len(nexts) == l
    now = {latch: 0 for latch, _ in latches}
    memory = {s: 0 for s in states}
    for _ in range(30):
        bits = [rng.randrange(2) for _ in ins]
        value = {0: 0} | dict(zip(ins, bits)) | now
        read = lambda lit: value[lit & ~1] ^ (lit & 1)
        for gate, x, y in ands:
            value[gate] = read(x) & read(y)
        line = {2: 0} | dict(zip(inputs, bits)) | memory
        get = lambda n: line[n] if n > 0 else 1 - line[-n]
        seen = []
        for r in rows:
            if r[1] == "and":
                line[int(r[0])] = get(int(r[3])) & get(int(r[4]))
            elif r[1] == "bad":
                seen.append(get(int(r[2])))
        assert seen == [read(bad) for bad in bads]
        now = {latch: read(after) for latch, after in latches}
        memory = {s: get(n) for s, n in nexts.items()}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bop", required=True)
    parser.add_argument("--abc", default="berkeley-abc")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    agree = wrong = left = open_ = 0
    for file in args.files:
        def convert(form: str):
            return subprocess.run([args.bop, "convert", file, "--to", form, "--timeout", "20s"], capture_output=True, text=True)
        done = convert("aiger")
        if done.returncode != 0:
            left += 1
            continue
        simulate(done.stdout, convert("btor2").stdout, 1)
        data, names = binary(done.stdout)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.aig")
            with open(path, "wb") as out:
                out.write(data)
            for number, name in enumerate(names):
                command = f"read_aiger {path}; cone -s -O {number}; scleanup; fold; pdr -T 10"
                said = subprocess.run([args.abc, "-c", command], capture_output=True, text=True, timeout=60).stdout
                question = ["--assert"] if name == "assert" else ["--reach", name]
                asked = subprocess.run([args.bop, "check", file, "-q", "--no-config", "--timeout", "20s", *question], capture_output=True, text=True)
                if "was asserted in frame" in said:
                    theirs = 1
                elif "Property proved" in said or "trivially" in said or "constant 0" in said:
                    theirs = 0
                else:
                    theirs = None
                if theirs is None or asked.returncode not in (0, 1):
                    open_ += 1
                elif theirs == asked.returncode:
                    agree += 1
                else:
                    wrong += 1
                    print(f"{file}: {name}: bop exits {asked.returncode}, ABC says {said.strip().splitlines()[-1:]}")
    print(f"{agree} answers agree, {wrong} differ, {open_} are open; {left} files are left out (recursion)")
    return 1 if wrong or agree == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
