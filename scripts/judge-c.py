#!/usr/bin/env python3
"""Runs the reference for C (`judge.py`), and goes on where one of its own programs cannot be run.

    judge-c.py ORACLE [arguments of judge.py]

ORACLE is the folder of `judge.py`. A few of its generated programs step out of an object (`*out++` and then
`*out += v`, with `out` the address of a local variable): what such a program does when it is run is no answer,
and about one in 10,000 dies of it, whereupon the judge itself ends with an error. Here such a program is named
and left out. More than one in a hundred, and more than two, is a failure: then too little was compared.
"""
import sys

sys.path.insert(0, sys.argv[1])
sys.argv[:2] = [sys.argv[1] + "/judge.py"]

import judge  # noqa: E402
import native  # noqa: E402

observe = native.observe
ran, died = 0, []


def observe_if_it_runs(program, *args, **kw):
    global ran
    ran += 1
    try:
        return observe(program, *args, **kw)
    except RuntimeError as e:
        if "the program ended with -" not in str(e):
            raise
        died.append(str(e))
        print(f"left out: {e}", flush=True)
        return None


native.observe = observe_if_it_runs
code = judge.main()
if len(died) > max(2, ran / 100):
    print(f"{len(died)} of {ran} programs of the reference died when they were run")
    code = 1
sys.exit(code)
