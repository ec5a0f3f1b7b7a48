#!/usr/bin/env python3
"""Draws findings of reports for people to judge, and counts what they said.

    scripts/sample-findings.py --n 60 --seed 1 REPORT.json … > sample.tsv
    scripts/sample-findings.py --judged first.tsv second.tsv

The first form reads what `bop check --format json` wrote, one report for each project, and draws findings that are shown,
each cause once, the same number from each project as far as there are that many. A line has the project, the rule, its
confidence, place, origin, message, and an empty first column: `real`, `harmless` (real, and nobody minds), `false` or
`unclear` goes there, with a reason in the last one. Each finding is judged twice, by two who do not see what the other said.

The second form compares two such files: what they disagree about counts as false. It prints a table by rule and confidence.
Standard library only.
"""

import argparse
import collections
import json
import os
import random
import sys

WORDS = ("real", "harmless", "false", "unclear")


def findings(name):
    with open(name, encoding="utf-8") as f:
        report = json.load(f)
    project = os.path.splitext(os.path.basename(name))[0]
    for result in report["results"]:
        place = result.get("place")
        if result["verdict"] != "violated" or not place:
            continue
        origin = result.get("origin") or {}
        yield [
            project,
            result["property"]["rule"],
            result.get("confidence", "-"),
            f"{place.get('file', report['file'])}:{place['line']}:{place['proc']}",
            f"{origin['file']}:{origin['line']}" if origin else "-",
            result.get("message", "").replace("\t", " "),
            str(len(result.get("also", []))),
        ]


def sample(names, n, seed):
    draw = random.Random(seed)
    rest = [list(findings(name)) for name in names]
    for one in rest:
        draw.shuffle(one)
    out = []
    while len(out) < n and any(rest):
        for one in rest:
            if one and len(out) < n:
                out.append(one.pop())
    for row in out:
        print("\t".join(["", *row, ""]))


def judged(first, second):
    def read(name):
        with open(name, encoding="utf-8") as f:
            rows = [line.rstrip("\n").split("\t") for line in f if line.strip()]
        return {tuple(row[1:7]): row[0].strip() for row in rows}

    a, b = read(first), read(second)
    if a.keys() != b.keys():
        raise SystemExit("the two files are about different findings")
    table = collections.defaultdict(collections.Counter)
    for key in a:
        for word in (a[key], b[key]):
            if word not in WORDS:
                raise SystemExit(f"{key[3]}: `{word}` is none of {', '.join(WORDS)}")
        word = a[key] if a[key] == b[key] else "false"
        for row in ((key[1], key[2]), ("all", "")):
            table[row][word] += 1
    print("| rule | confidence | " + " | ".join(WORDS) + " | of |")
    print("|---" * (len(WORDS) + 3) + "|")
    for (rule, sure), count in sorted(table.items()):
        cells = " | ".join(str(count[w]) for w in WORDS)
        print(f"| {rule} | {sure} | {cells} | {sum(count.values())} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--judged", action="store_true")
    args = parser.parse_args()
    if args.judged:
        if len(args.files) != 2:
            raise SystemExit("--judged takes two files")
        judged(*args.files)
    else:
        sample(args.files, args.n, args.seed)


if __name__ == "__main__":
    main()
