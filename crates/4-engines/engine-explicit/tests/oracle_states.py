"""Random programs with what the reference in Python says of them, for tests/oracle.rs.

    PYTHONPATH=<the oracle> python3 oracle_states.py FIRST_SEED COUNT PROFILE

For each program: `program SEED`, its text with `| ` before each line, `node PROC LINE: STATES` for each
statement (states separated by `;`, each the names of its true variables separated by blanks),
`label PROC:LABEL LENGTH` and `assert LENGTH` (`-` where not reachable), `end`.
"""
import sys

import bp
import explicit
import gen

first, count, profile = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
for seed in range(first, first + count):
    text = gen.random_program(seed, gen.PROFILES[profile])
    prog = bp.parse(text)
    try:
        reach = explicit.Reach(prog, limit=100_000)
    except MemoryError:
        continue
    print("program", seed)
    for line in text.splitlines():
        print("|", line)
    for node in reach.state_sets():
        if node["kind"] != "exit":
            print(f"node {node['proc']} {node['line']}:", ";".join(" ".join(s) for s in node["states"]) if node["states"] else "none")
    show = lambda length: "-" if length is None else length
    for proc, label, node in prog.all_labels():
        print(f"label {proc}:{label}", show(reach.hier_edges([node])))
    print("assert", show(reach.hier_edges(reach.failing_asserts(), reach.assert_fails)))
    print("end")
