#!/usr/bin/env python3
"""Bugs from projects' own histories: does `bop` find in the revision before a fix what the fix removed?

    scripts/historic.py --bop target/debug/bop --n 20 --seed 1 REPOSITORY.git … > historic.tsv

From each repository's log commits are taken whose message speaks of a leak, a double free, a use after free, or something
that is not closed or unlocked, which change one `.c` file (tests, examples, fuzzers and code for other systems aside), by
at most 25 lines. The seed draws from them, the same number from each repository as far as there are that many. The file is
checked alone, with default options, as it was before the fix and behind it; headers that cannot be found are made empty.
A bug is *found* if there is a shown finding before that there is not behind: the same rule, function, and lines of
source of the place and of the origin; `hidden` says that there is one that is only possible. A commit whose file the
compiler does not preprocess or `bop` does not read is not counted, and the next one is drawn. Whether a finding is the bug that
the fix speaks of is for people to see: the lines are printed. Standard library only.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

SPEAKS = r"(leak|double[- ]?free|use[- ]after[- ]free|(not|never) (freed|closed|unlocked)|missing (free|f?close|unlock))"
ASIDE = re.compile(
    r"(^|/)(tests?|testing|examples?|fuzz\w*|contrib|docs?|bench\w*|win\w*|vms|os390|compat)(/|\.c$)|win32|darwin|(^|/)test|test\.c$"
)
RULES = ["memory", "file", "descriptor", "lock"]


def git(repo, *args):
    done = subprocess.run(["git", f"--git-dir={repo}", *args], capture_output=True, text=True, errors="replace")
    return done.stdout if done.returncode == 0 else ""


def candidates(repo):
    log = git(repo, "log", "--no-merges", "-i", "-E", f"--grep={SPEAKS}", "--format=%H", "--", "*.c")
    for commit in log.split():
        subject = git(repo, "log", "-1", "--format=%s", commit).strip()
        changed = git(repo, "diff-tree", "--no-commit-id", "--numstat", "-r", commit).strip().split("\n")
        rows = [line.split("\t") for line in changed if line.count("\t") == 2]
        sources = [r for r in rows if r[2].endswith(".c") and not ASIDE.search(r[2])]
        if len(sources) != 1 or not all(n.isdigit() for n in sources[0][:2]):
            continue
        added, removed, path = sources[0]
        if int(added) + int(removed) <= 25 and re.search(SPEAKS, subject, re.I):
            yield commit, path, subject


def preprocesses(path, flags):
    """Whether the file can be preprocessed; makes headers that are missing."""
    for _ in range(40):
        done = subprocess.run(["cc", "-E", *flags, path, "-o", os.devnull], capture_output=True, text=True, errors="replace")
        if done.returncode == 0:
            return True
        missing = re.search(r"fatal error: ([^\s:]+): No such file", done.stderr)
        if not missing:
            return False
        made = os.path.join(flags[-1][2:], missing[1])
        if os.path.exists(made) or ".." in missing[1]:
            return False
        os.makedirs(os.path.dirname(made), exist_ok=True)
        open(made, "w").close()
    return False


def check(bop, repo, revision, path, timeout):
    """The findings as counts of what tells them apart, shown and hidden ones; none if the file is not read."""
    with tempfile.TemporaryDirectory() as folder:
        tree = subprocess.Popen(["git", f"--git-dir={repo}", "archive", revision], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        subprocess.run(["tar", "x", "-C", folder], stdin=tree.stdout, stderr=subprocess.DEVNULL)
        tree.wait()
        source = os.path.join(folder, path)
        if not os.path.exists(source):
            return None
        folders = {os.path.dirname(source)}
        for top, inside, files in os.walk(folder):
            inside.sort()
            if any(f.endswith(".h") for f in files) and not re.search(r"win|vms|test|compat", os.path.relpath(top, folder)):
                folders.add(top)
        made = os.path.join(folder, "made-up-headers")
        os.mkdir(made)
        first = os.path.dirname(source)
        order = [first] + sorted(folders - {first}) + [made]
        flags = ["-D_GNU_SOURCE", "-D_DEFAULT_SOURCE", "-w", *(f"-I{f}" for f in order)]
        if not preprocesses(source, flags):
            return None
        command = [bop, "check", source, "--format", "json", "--trace", "none", "--confidence", "possible",
                   "--allow-incomplete", "--timeout", f"{timeout}s"]
        for rule in RULES:
            command += ["--rule", rule]
        done = subprocess.run([*command, "--", *flags], capture_output=True, text=True, errors="replace")
        try:
            report = json.loads(done.stdout)
        except ValueError:
            return None
        texts = {}

        def text(place):
            name = place.get("file", source)
            if name not in texts:
                try:
                    with open(name, encoding="utf-8", errors="replace") as f:
                        texts[name] = f.read().split("\n")
                except OSError:
                    texts[name] = []
            line = place.get("line", 0)
            return texts[name][line - 1].strip() if 0 < line <= len(texts[name]) else ""

        shown, hidden = collections.Counter(), collections.Counter()
        for result in report["results"]:
            if result["verdict"] != "violated" or not result.get("place"):
                continue
            for at in [result] + result.get("also", []):
                key = (result["property"]["rule"], at["place"].get("proc"), text(at["place"]), text(at.get("origin") or {}))
                sure = at.get("confidence") or result.get("confidence")
                (hidden if sure == "possible" else shown)[key] += 1
        return shown, hidden


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--bop", default="target/debug/bop")
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--timeout", type=int, default=60)
    args = parser.parse_args()
    bop = os.path.abspath(args.bop)
    draw = random.Random(args.seed)
    rest = []
    for repo in args.repositories:
        found = sorted(candidates(repo))
        draw.shuffle(found)
        rest.append((repo, found))
    count = collections.Counter()
    while sum(count.values()) < args.n and any(found for _, found in rest):
        for repo, found in rest:
            while found and sum(count.values()) < args.n:
                commit, path, subject = found.pop()
                before = check(bop, repo, f"{commit}^", path, args.timeout)
                behind = before and check(bop, repo, commit, path, args.timeout)
                if not before or not behind:
                    print(f"# not read: {repo} {commit[:10]} {path}", file=sys.stderr, flush=True)
                    continue
                shown = before[0] - (behind[0] + behind[1])
                # What is told behind the fix, too, is something else.
                hidden = before[1] - (behind[0] + behind[1])
                what = "found" if shown else "hidden" if hidden else "missed"
                count[what] += 1
                project = os.path.basename(os.path.dirname(repo.rstrip("/")))
                print("\t".join([what, project, commit[:10], path, subject[:80]]), flush=True)
                for key in list(shown or hidden)[:3]:
                    print("\t", "\t".join(str(k) for k in key), flush=True)
                break
    print(f"of {sum(count.values())}: {count['found']} found, {count['hidden']} hidden, {count['missed']} missed; seed {args.seed}")


if __name__ == "__main__":
    main()
