#!/usr/bin/env python3
"""Asks `bop`, CBMC and Spacer the same questions about the same programs, with the same limits, on this machine.

    peers.py BOP CORPUS [--cbmc CBMC] [--z3 Z3] [--limit S] [--memory G] [--each N] [--seed K] [--half 0|1]
             [--folder F]... [--expected true|false] [--table FILE]

CORPUS is as `sv.py` has it; the questions are those about calls of what fails (`unreach-call`). Each tool has S seconds of
processor time and G GiB for each program:

- `bop check --assert`, as `sv.py` asks it.
- CBMC with bounds that grow (2, 5, 12, …) and assertions that nothing is left to unroll, so that it may answer both ways. What has
  no body there is given one: `reach_error` and `__VERIFIER_error` fail, `__VERIFIER_assume` assumes.
- Spacer (z3) on the clauses that `bop convert --to chc` writes; making them counts.

`--table FILE` has a line for each program; the end says what each tool solved, what was wrong, and what a peer solved and `bop`
did not, with the reason. The exit code is 1 if `bop` was wrong, or if Spacer contradicts it.
"""
import argparse
import collections
import os
import re
import sys
import tempfile

import sv

FAILING = ["reach_error", "__VERIFIER_error"]
BOUNDS = [2, 5, 12, 30, 80, 200, 500, 1200, 3000]


def cbmc(row, args, folder):
    """What CBMC says (true, false, none), and its processor time."""
    path = os.path.join(args.corpus, row["file"])
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    bodies = ""
    for name in FAILING:
        if re.search(rf"\b{name}\s*\(", text) and not re.search(rf"\b{name}\s*\([^()]*\)\s*{{", text):
            bodies += f'void {name}(void) {{ __CPROVER_assert(0, "it fails"); __CPROVER_assume(0); }}\n'
    if not re.search(r"\b__VERIFIER_assume\s*\([^()]*\)\s*{", text):
        bodies += "void __VERIFIER_assume(int holds) { __CPROVER_assume(holds); }\n"
    more = os.path.join(folder, "bodies.c")
    with open(more, "w") as f:
        f.write(bodies)
    command = [args.cbmc, path, more, "--no-standard-checks", "--no-malloc-may-fail", "--unwinding-assertions"]
    command += ["--verbosity", "8", "--32" if row["bits"] == "32" else "--64"]
    spent = 0.0
    for bound in BOUNDS:
        code, out, _, seconds, ended = sv.run(command + ["--unwind", str(bound)], args.limit - spent, args.memory)
        spent += seconds
        if ended or spent > args.limit or code not in (0, 10):
            return None, spent
        if code == 0:
            return "true", spent
        failed = re.findall(r"^\[(\S+)\].*: FAILURE", out, re.M)
        if any(not re.search(r"\.(unwind|recursion)\b", name) for name in failed):
            return "false", spent
    return None, spent


def spacer(row, args, folder):
    """What Spacer says of the clauses, and the processor time."""
    clauses = os.path.join(folder, "clauses.smt2")
    command = [args.bop, "convert", os.path.join(args.corpus, row["file"]), "--to", "chc", "-o", clauses]
    if row["bits"] == "32":
        command.append("--ilp32")
    code, _, _, spent, ended = sv.run(command, args.limit, args.memory)
    if ended or code != 0:
        return None, spent, "not written" if code == 2 else ""
    command = [args.z3, "fp.engine=spacer", clauses]
    _, out, _, seconds, ended = sv.run(command, args.limit - spent, args.memory)
    spent += seconds
    if ended or spent > args.limit:
        return None, spent, ""
    said = {"sat": "true", "unsat": "false"}.get((out.strip().splitlines() or [""])[0])
    return said, spent, ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("bop")
    p.add_argument("corpus")
    p.add_argument("--cbmc")
    p.add_argument("--z3")
    p.add_argument("--limit", type=float, default=60)
    p.add_argument("--memory", type=float, default=4)
    p.add_argument("--each", type=int, default=0)
    p.add_argument("--seed", default="1")
    p.add_argument("--half", type=int, choices=[0, 1])
    p.add_argument("--folder", action="append")
    p.add_argument("--program", action="append")
    p.add_argument("--expected", choices=["true", "false"])
    p.add_argument("--table")
    args = p.parse_args()
    args.property, args.args = "unreach-call", ""
    table = open(args.table, "w") if args.table else None
    solved, wrong, times = collections.Counter(), collections.Counter(), collections.Counter()
    unreadable, lost, bad, count = 0, [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for row in sv.rows(args):
            count += 1
            what, reason, seconds = sv.judge(row, args)
            said = {"right": row["expected"], "wrong": reason.split()[0]}.get(what)
            answers, spent = {"bop": said}, {"bop": seconds}
            if args.cbmc:
                answers["cbmc"], spent["cbmc"] = cbmc(row, args, folder)
            if args.z3:
                answers["spacer"], spent["spacer"], note = spacer(row, args, folder)
                unreadable += bool(note)
            for tool, answer in answers.items():
                times[tool] += spent[tool]
                solved[tool] += answer == row["expected"]
                wrong[tool] += answer not in (None, row["expected"])
            if what in ("wrong", "broken"):
                bad.append(f"{row['file']}: bop: {reason}")
            if answers.get("spacer") and said and answers["spacer"] != said:
                bad.append(f"{row['file']}: Spacer says {answers['spacer']}, bop {said}")
            peers = [t for t in answers if t != "bop" and answers[t] == row["expected"]]
            if said is None and peers:
                lost.append(f"{row['file']} ({row['expected']}; {', '.join(peers)}): {reason[:90]}")
            line = [row["file"], row["expected"]]
            line += [f"{tool} {answers[tool] or 'unknown'} {spent[tool]:.1f}" for tool in answers]
            if table:
                print("\t".join(line), file=table, flush=True)
    print("| tool | solved | wrong | processor seconds |\n|---|---|---|---|")
    for tool in times:
        print(f"| {tool} | {solved[tool]} of {count} | {wrong[tool]} | {times[tool]:.0f} |")
    if args.z3:
        print(f"\n{unreadable} programs have no clauses")
    print(f"\n{len(lost)} solved by a peer and not by bop")
    for line in lost:
        print(f"- {line}")
    for line in bad:
        print(f"WRONG {line}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
