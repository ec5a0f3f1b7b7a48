#!/usr/bin/env python3
"""Runs `bop` on programs of SV-COMP with known verdicts, and says by folder how many are decided, and why not.

    sv.py BOP CORPUS [--property P] [--limit S] [--memory G] [--each N] [--seed K] [--folder F]... [--jobs J]
          [--args "..."] [--table FILE] [--expected true|false] [--beside CBMC]

CORPUS is a folder with `verdicts.tsv` (columns `file`, `property`, `expected`, `subproperty`, `bits`). Each program has
S seconds of processor time and G GiB. `--each N` draws N programs of each folder with the seed K, `--half 0` and
`--half 1` are two halves that are the same for everybody; `--folder` takes names with `*`.
`--expected false` takes only the programs whose answer is that. `--beside CBMC` asks that program the same, with bounds that
grow, within the same S seconds and G GiB; the table says what it found, the end how the processor times of those compare that
both have found. CBMC shows no run of the compiled program; what it finds is taken as it is.
`--table FILE` writes a line for each program. What is counted as right has the exit code and the verdict of its JSON,
and is what the corpus expects. An answer against the corpus is WRONG, and the exit code is 1 then.
"""
import argparse
import collections
import concurrent.futures
import csv
import fnmatch
import json
import os
import random
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib

FLAGS = {
    "unreach-call": "--assert",
    "no-overflow": "--overflow",
    "valid-memsafety": "--memory-safety",
    "valid-memcleanup": "--memory-cleanup",
    "termination": "--terminates",
}
HOLDS = {"holds", "unreachable"}
# What CBMC is asked, and how far it unrolls, one after the other.
BESIDE = {
    "unreach-call": [],
    "no-overflow": ["--signed-overflow-check"],
    "valid-memsafety": ["--pointer-check", "--bounds-check", "--memory-leak-check"],
    "valid-memcleanup": ["--memory-cleanup-check", "--memory-leak-check"],
}
UNWIND = [2, 5, 12, 30, 80, 200, 500, 1200, 3000]
FAILS = {"violated", "reachable"}


def rows(args):
    with open(os.path.join(args.corpus, "verdicts.tsv"), newline="") as f:
        found = [r for r in csv.DictReader(f, delimiter="\t") if r["property"] == args.property]
    by = collections.defaultdict(list)
    for r in found:
        folder = r["file"].split("/")[0]
        if args.folder and not any(fnmatch.fnmatch(folder, p) for p in args.folder):
            continue
        if args.expected and r["expected"] != args.expected:
            continue
        if args.program and not any(fnmatch.fnmatch(r["file"], p) for p in args.program):
            continue
        # A half by name: the same whatever else is chosen.
        if args.half is not None and zlib.crc32(r["file"].encode()) % 2 != args.half:
            continue
        by[folder].append(r)
    out = []
    for folder in sorted(by):
        some = sorted(by[folder], key=lambda r: r["file"])
        if args.each and len(some) > args.each:
            some = random.Random(f"{args.seed} {folder}").sample(some, args.each)
        out += sorted(some, key=lambda r: r["file"])
    return out


def run(command, limit, memory):
    """Exit code, output, processor time, and why it was ended."""

    def limits():
        os.setsid()
        seconds = int(limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen(command, stdout=out, stderr=err, preexec_fn=limits)
        ended = []

        def watch():
            page = os.sysconf("SC_PAGE_SIZE")
            start = time.time()
            while not done.wait(0.2):
                try:
                    with open(f"/proc/{p.pid}/statm") as f:
                        used = int(f.read().split()[1]) * page
                except (OSError, IndexError, ValueError):
                    return
                # Nobody waits for ever for a processor.
                if used > memory * 2**30 or time.time() - start > 20 * limit + 60:
                    ended.append("memory" if used > memory * 2**30 else "clock")
                    os.killpg(p.pid, signal.SIGKILL)
                    return

        done = threading.Event()
        watcher = threading.Thread(target=watch)
        watcher.start()
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        done.set()
        watcher.join()
        out.seek(0)
        err.seek(0)
        spent = usage.ru_utime + usage.ru_stime
        return p.returncode, out.read().decode(errors="replace"), err.read().decode(errors="replace"), spent, ended


def judge(row, args):
    """What happened: right, wrong, unknown or broken; why; and the time."""
    command = [args.bop, "check", os.path.join(args.corpus, row["file"]), FLAGS[row["property"]]]
    command += ["--format", "json", "--memory", f"{args.memory:g}G", "--timeout", f"{20 * args.limit:g}s"]
    if row["bits"] == "32":
        command.append("--ilp32")
    command += shlex.split(args.args)
    code, out, err, spent, ended = run(command, args.limit, args.memory)
    if ended:
        return "unknown", ended[0], spent
    if code in (-signal.SIGXCPU, -signal.SIGKILL) or spent > args.limit:
        return "unknown", "time", spent
    if code == 2:
        return "unknown", "not read: " + (out or err).strip().splitlines()[0][:150], spent
    try:
        results = json.loads(out)["results"]
        verdict = {r["verdict"] for r in results}
        reasons = [r["stop_reason"] for r in results if r.get("stop_reason")]
    except (ValueError, KeyError, TypeError):
        return "broken", f"exit code {code}: {(err or out).strip()[-150:]}", spent
    fails, holds = bool(verdict & FAILS), bool(verdict) and verdict <= HOLDS
    if code != (1 if fails else 0 if holds else 3):
        return "broken", f"exit code {code} with {sorted(verdict)}", spent
    if not fails and not holds:
        reason = reasons[0] if reasons else "no reason"
        if isinstance(reason, dict):
            reason = reason.get("kind", "") + ": " + str(reason.get("what", reason.get("text", "")))
        notes = [r.get("why") for r in results if r.get("why")]
        return "unknown", f"{reason}: {notes[0]}" if notes else str(reason), spent
    said = "false" if fails else "true"
    if said != row["expected"]:
        return "wrong", f"{said} instead of {row['expected']}", spent
    return "right", said, spent


def beside(row, args):
    """Whether CBMC finds a run that fails, and its processor time, the bounds before the last one included."""
    command = [args.beside, os.path.join(args.corpus, row["file"]), "--no-standard-checks", "--no-malloc-may-fail"]
    command += ["--no-unwinding-assertions", "--stop-on-fail", "--verbosity", "4"] + BESIDE[row["property"]]
    command += ["--32"] if row["bits"] == "32" else ["--64"]
    spent = 0.0
    for bound in UNWIND:
        code, _, _, seconds, ended = run(command + ["--unwind", str(bound)], args.limit - spent, args.memory)
        spent += seconds
        if ended or spent > args.limit:
            return None, spent
        if code == 10:
            return True, spent
        if code != 0:
            return None, spent
    return False, spent


def main():
    p = argparse.ArgumentParser()
    p.add_argument("bop")
    p.add_argument("corpus")
    p.add_argument("--property", default="unreach-call", choices=FLAGS)
    p.add_argument("--limit", type=float, default=60)
    p.add_argument("--memory", type=float, default=4)
    p.add_argument("--each", type=int, default=0)
    p.add_argument("--seed", default="1")
    p.add_argument("--half", type=int, choices=[0, 1])
    p.add_argument("--folder", action="append")
    p.add_argument("--program", action="append")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--args", default="")
    p.add_argument("--table")
    p.add_argument("--expected", choices=["true", "false"])
    p.add_argument("--beside")
    args = p.parse_args()
    chosen = rows(args)
    table = open(args.table, "w") if args.table else None
    folders = collections.defaultdict(collections.Counter)
    why = collections.defaultdict(collections.Counter)
    wrong, spent = [], 0.0
    found, ratios = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for row, (what, reason, seconds) in zip(chosen, pool.map(lambda r: judge(r, args), chosen)):
            folder = row["file"].split("/")[0]
            folders[folder][what] += 1
            folders[folder]["all"] += 1
            spent += seconds
            if what == "unknown":
                why[folder][reason.split(":")[0] if reason.startswith("time") else reason[:90]] += 1
            if what in ("wrong", "broken"):
                wrong.append(f"{row['file']}: {reason}")
            line = "\t".join([row["file"], row["expected"], what, f"{seconds:.1f}", reason])
            if args.beside:
                other, took = beside(row, args)
                found["both" if other and what == "right" else "ours" if what == "right" else "theirs" if other else "none"] += 1
                if other and what == "right":
                    ratios.append(seconds / max(took, 0.01))
                line += f"\t{'found' if other else 'not found'}\t{took:.1f}"
            if table:
                print(line, file=table, flush=True)
            if sys.stderr.isatty():
                print(line[:150], file=sys.stderr)
    print(f"| folder | right | of | unknown by reason |\n|---|---|---|---|")
    for folder in sorted(folders):
        n = folders[folder]
        reasons = "; ".join(f"{k} {text}".replace("|", "/") for text, k in why[folder].most_common())
        print(f"| `{folder}` | {n['right']} | {n['all']} | {reasons} |")
    right, total = sum(n["right"] for n in folders.values()), sum(n["all"] for n in folders.values())
    print(f"\n{right} of {total} right, {spent:.0f} s of processor time")
    if ratios:
        print(f"beside: {dict(sorted(found.items()))}, median ratio of processor time {statistics.median(ratios):.2f}")
    for line in wrong:
        print(f"WRONG {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
