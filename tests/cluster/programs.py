#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""programs.py [--all] [--hosts N...] [--match PATTERN] [--limit SECONDS] [--table]

The runs of tests/mpi/runs (MPI test programs, examples, benchmarks that check their messages) on
several hosts (with_hosts), between which messages go over TCP by the device tcp, or by that
of REMIT_DEVICES. Runs in the top build folder; MPIRUN names another binary.

Without --all a small part on two hosts. With it every run that makes sense between hosts, on 2, 4 and
8 hosts: with the ranks that its line asks for where these are enough for a rank on each host, else
with as many as hosts. Ranks are dealt out by node. Each run prints a line; it fails if its exit
status is not zero, if it takes longer than the limit, or if TCP carried none of its messages. After
the runs of a number of hosts none of them may have a process or a file of theirs. The last line counts.

--table also prints a table of programs and hosts for docs/suites.md."""
import argparse
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
RUNS = HERE.parent / "mpi" / "runs"
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from launcher_hosts import MPIRUN, left_on

HOSTS = [2, 4, 8]
LIMIT = 120  # seconds a run: only a hang takes as long
SMALL = r"^2 tests/mpi/(buffers|comm|fork|neighbors|nonblocking|partitioned|requests|session|threads)$|" \
        r"^3 tests/mpi/(coll_reduce|session)$|" \
        r"^4 tests/mpi/rma_(basic|notify|random|types)$"

# Not run between hosts, by a pattern of the line, and why.
LEFT_OUT = [
    (r"REMIT_SHM_|REMIT_COLL_CELLS=", "a parameter of shared memory"),
    (r"REMIT_SINGLETON=", "a process without a launcher"),
    (r"--bind-to|--map-by", "about the places of ranks on one host"),
    (r"benchmarks/suite/(un)?pack\b", "sends nothing"),
    (r"tests/mpi/rma_passive", "targets that serve no messages"),
    (r"benchmarks/suite/.* -w shared\b", "memory that the ranks of one host share"),
]
# Programs for two ranks, which run on two hosts only.
PAIRS = r"benchmarks/suite/(latency|bw|bibw|matching|thread_rate|typed_latency|computing_target|" \
        r"(put|get|acc|get_acc|fop|cas|arrivals|overlap)_\w+)\b|" \
        r"benchmarks/programs/stencil3d --size 5\b"
# Programs that need not send anything by a device of the network.
SILENT = r"hello|benchmarks/suite/init|tests/mpi/(unsupported|wrong_arguments|queries)|threads [012]$"


@dataclasses.dataclass(frozen=True)
class Run:
    ranks: int
    words: str  # variables, program, arguments

    def line(self):
        return f"{self.ranks} {self.words}"

    def program(self):
        return next(word for word in self.words.split() if "=" not in word)

    def command(self, hosts):
        words = self.words.split()
        first = words.index(self.program())
        each = -(-self.ranks // hosts)
        names = ",".join(f"h{i + 1}:{each}" for i in range(min(hosts, self.ranks)))
        settings = [word for variable in words[:first] for word in ("-x", variable)]
        return [MPIRUN, "-n", str(self.ranks), "--host", names, "--map-by", "node", *settings, *words[first:]]


def lines_of_runs():
    for path in sorted(RUNS.glob("*.mpi")):
        for line in path.read_text(encoding="ascii").splitlines():
            if line and not line.startswith("#"):
                ranks, words = line.split(maxsplit=1)
                yield Run(int(ranks), words)


def runs_on(hosts):
    """In the order of the lists, each once."""
    every = [run for run in lines_of_runs() if not any(re.search(pattern, run.words) for pattern, _ in LEFT_OUT)]
    chosen = {}
    for run in every:
        enough = any(other.words == run.words and other.ranks >= hosts for other in every)
        if run.ranks >= hosts:
            chosen[run] = None
        elif not enough and not re.search(PAIRS, run.words):
            chosen[Run(hosts, run.words)] = None
    return list(chosen)


def end_session(process):
    """mpirun ends its ranks; what else is in its session goes with it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def judge(run, hosts, limit, environment):
    """(what is wrong or None, seconds, output)"""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(run.command(hosts), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True, env={**environment, "REMIT_STATISTICS": "yes"})
        wrong = None
        try:
            if process.wait(limit) != 0:
                wrong = f"exit status {process.returncode}"
        except subprocess.TimeoutExpired:
            wrong = f"no end within {limit:g} s"
            end_session(process)
        seconds = time.monotonic() - begin
        output.seek(0)
        text = output.read().decode(errors="replace")
    talked = set(re.findall(r"(rank \d+) .*statistics: (?:tcp|ofi): .*(?:sends|puts|gets) [1-9]", text))
    if wrong is None and len(talked) < 2 and not re.search(SILENT, run.words):
        wrong = f"{len(talked)} ranks sent something over TCP"
    return wrong, seconds, text


def play(hosts, options):
    """All runs on this many hosts: {program: [passed, failed]}"""
    environment = {**os.environ, "HOSTS_TEST": uuid.uuid4().hex}
    results = {}
    for run in runs_on(hosts):
        if not re.search(options.match, run.line()):
            continue
        wrong, seconds, text = judge(run, hosts, options.limit, environment)
        what = f"{hosts} hosts, {run.ranks} ranks: {run.words} ({seconds:.1f} s)"
        print(f"FAIL {what}: {wrong}" if wrong else f"ok   {what}", flush=True)
        shown = [line for line in text.splitlines() if "statistics: " not in line]
        for line in shown[-60:] if wrong else [line for line in shown if "REMIT_TEST_SEED=" in line]:
            print(f"     {line}", flush=True)
        results.setdefault(run.program(), [0, 0])[1 if wrong else 0] += 1
    end = time.monotonic() + 20
    names = [f"h{i + 1}" for i in range(hosts)]
    while any((left := left_on(names, environment["HOSTS_TEST"])).values()) and time.monotonic() < end:
        time.sleep(0.1)
    if any(left.values()):
        print(f"FAIL {hosts} hosts: left after the end: {left}", flush=True)
        results.setdefault("what is left", [0, 0])[1] += 1
    return results


def table(results):
    """Rows of Markdown: program, hosts..., with numbers of runs."""
    columns = sorted(results)
    print("\n| program | " + " | ".join(f"{hosts} hosts" for hosts in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for program in sorted({program for cells in results.values() for program in cells}):
        cells = []
        for hosts in columns:
            passed, failed = results[hosts].get(program, (0, 0))
            cells.append("" if passed + failed == 0 else f"{passed} pass" + (f", {failed} fail" if failed else ""))
        print(f"| {program} | " + " | ".join(cells) + " |")


def main():
    options = parse_options()
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", str(max(options.hosts)), __file__, *sys.argv[1:]])
    if options.all:
        for pattern, reason in LEFT_OUT:
            print(f"not run: {pattern}: {reason}")
    results = {hosts: play(hosts, options) for hosts in options.hosts}
    if options.table:
        table(results)
    passed, failed = (sum(counts[i] for cells in results.values() for counts in cells.values()) for i in (0, 1))
    print(f"{passed + failed} runs on {', '.join(map(str, options.hosts))} hosts: {passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


def parse_options():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0], description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every run that makes sense between hosts")
    parser.add_argument("--hosts", type=int, nargs="+", metavar="N", help="numbers of hosts")
    parser.add_argument("--match", metavar="PATTERN", help="only runs whose line matches")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="for each run")
    parser.add_argument("--table", action="store_true", help="print a table of programs and hosts")
    options = parser.parse_args()
    whole = options.all or options.match is not None
    options.hosts = options.hosts or (HOSTS if whole else [2])
    options.match = options.match or ("" if options.all else SMALL)
    return options


if __name__ == "__main__":
    main()
