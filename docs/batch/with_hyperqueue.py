#!/usr/bin/env python3
"""Runs a batch of bop with HyperQueue: a server and a worker of its own, each question a task.

    pip install hyperqueue
    python3 with_hyperqueue.py nightly.toml

With a cluster that runs already, `bop batch nightly.toml --emit-tasks hq > nightly.sh; sh nightly.sh` does it.
"""
import os
import subprocess
import sys

from hyperqueue import Job, LocalCluster


def main() -> int:
    batch = sys.argv[1]
    bop = os.environ.get("BOP", "bop")
    lines = subprocess.run([bop, "batch", batch, "--emit-tasks", "lines"], check=True, text=True, capture_output=True)
    job = Job(max_fails=None)
    for line in lines.stdout.splitlines():
        # Every answer is a success, a refusal is none.
        command = line.replace("bop", bop, 1) + "; [ $? -ne 2 ]"
        job.program(["sh", "-c", command], stdout=None, stderr=None)
    with LocalCluster() as cluster:
        cluster.start_worker()
        client = cluster.client()
        submitted = client.submit(job)
        client.wait_for_jobs([submitted], raise_on_error=False)
        for task, failed in client.get_failed_tasks(submitted).items():
            print(f"task {task}: {failed.error}", file=sys.stderr)
    # All results are there: this sums them up.
    return subprocess.run([bop, "batch", batch]).returncode


if __name__ == "__main__":
    sys.exit(main())
