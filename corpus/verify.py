#!/usr/bin/env python3
"""Checks the expected verdicts of this corpus with an independent reference, never with Postbop.

    python3 corpus/verify.py ORACLE_DIR [FILE...]

ORACLE_DIR holds the reference's bp.py, explicit.py and ltl.py; it knows boolean programs, so that the answers of
programs in other languages stay those that were written by hand. For `violated at L:C` the assertion there must be
the one failing assertion that is nearest (hierarchically), so that a shortest trace can end nowhere else.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def directives(text):
    found = {"dialect": "standard", "entry": "main", "questions": [], "origin": None}
    for line in text.split("\n"):
        m = re.match(r"//@ (\w+): (.*)", line)
        if not m:
            continue
        key, value = m.groups()
        if key == "property":
            found["questions"].append([value, None])
        elif key == "verdict":
            found["questions"][-1][1] = value
        else:
            found[key] = value
    return found


def problems(path, parse, Reach):
    text = open(path, encoding="utf-8").read()
    d = directives(text)
    if not d["questions"] or d["origin"] is None:
        return ["no question or no origin"]
    prog = parse(text, d["dialect"], need_main=False)
    reach = Reach(prog, d["entry"])
    bad = []
    for prop, want in d["questions"]:
        if prop.startswith("ltl "):
            formula = parse_ltl(prop[4:])
            answers = {Checker(prog, formula, d["entry"], keep_frame=keep).holds for keep in (False, True)}
            got = "holds" if answers == {True} else "violated" if answers == {False} else "ambiguous"
        elif prop.startswith("reach "):
            got = "reachable" if reach.label_reachable(prop[6:]) else "unreachable"
        else:
            fails = reach.failing_asserts()
            got = "violated" if fails else "holds"
            if fails:
                best = min(reach.hier_edges([n], reach.assert_fails) for n in fails)
                near = [n for n in fails if reach.hier_edges([n], reach.assert_fails) == best]
                lines = text.split("\n")
                places = {(n.line, lines[n.line - 1].index("assert") + 1) for n in near}
                if len(near) != 1 or lines[near[0].line - 1].count("assert") != 1:
                    bad.append(f"the nearest failing assertion is not unique: {sorted(places)}")
                line, column = places.pop()
                got = f"violated at {line}:{column}"
        if got != want:
            bad.append(f"{prop}: expected {want}, the reference says {got}")
    return bad


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    from bp import parse
    global Checker, parse_ltl
    from explicit import Reach
    from ltl import Checker, parse_ltl
    files = sys.argv[2:] or sorted(
        os.path.join(d, f) for d, _, fs in os.walk(HERE) for f in fs if f.endswith(".bp"))
    failed = 0
    for path in files:
        bad = problems(path, parse, Reach)
        failed += bool(bad)
        for b in bad:
            print(f"{os.path.relpath(path, HERE)}: {b}")
    print(f"{len(files) - failed} files agree, {failed} do not")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
