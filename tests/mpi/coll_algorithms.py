#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""coll_algorithms.py [--all]: every algorithm of every collective, forced, with real ranks whose data
are checked (coll_random). Runs in the top build folder; MPIRUN names another binary.

The algorithms are those that 'remit_info --algorithms' names: run i forces the i-th of each operation,
until each was forced once. remit_info says, too, whether a forced one is used at all: one that never
applies among the sizes of coll_random is a failure. Hierarchical ones run on a host that hwloc
describes with two NUMA nodes, and the messages of some are counted. With coll_reproducible the bits of sums
are the same with cells and without, and whatever is forced.

--all: each algorithm by itself among 2 to 16 ranks, about ten minutes."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MPIRUN = os.environ.get("MPIRUN", "./mpirun")
RANKS = 4  # a power of two, and the fewest that make cells
ALL_RANKS = (2, 3, 4, 5, 7, 8, 9, 16)
SIZES = "4,256,4K,64K,1M"
CELLS = "hierarchical"  # algorithms that need cells
TWO_NODES = {"HWLOC_SYNTHETIC": "numa:2 core:1 pu:1", "REMIT_COLL_CELLS": "numa"}
CALLS = 100
# Too many for a shared board, which would leave no messages to count.
COUNTED_RANKS = 20
COUNTED = ("barrier", "allreduce")
failures = []


def fail(words):
    print(f"FAIL {words}", flush=True)
    failures.append(words)


def ask(*arguments):
    """What remit_info says."""
    done = subprocess.run(["./remit_info", "--json", *arguments], stdout=subprocess.PIPE, timeout=60, check=True)
    return json.loads(done.stdout)


def rows():
    """{operation: its algorithms inside a communicator}"""
    found = {}
    for row in ask("--algorithms")["algorithms"]:
        if not row["inter"]:
            found.setdefault(row["operation"], []).append(row["algorithm"])
    return found


def setting(forced):
    return ",".join(f"{operation}={name}" for operation, name in forced.items())


def expect_used(forced, ranks, hosts):
    """Each of them is chosen for some size, in some kind of call that coll_random makes."""
    used = set()
    for call in (["--op", "exact"], ["--op", "ordered", "--in-place"]):
        said = ask("--collectives", str(ranks), "--hosts", str(hosts), "--bytes", SIZES, *call,
                   "--param", f"coll_algorithms={setting(forced)}")
        used |= {(c["operation"], c["algorithm"]) for c in said["collectives"]["choices"] if c["chosen"]}
    for pair in forced.items():
        if pair not in used:
            fail(f"{'='.join(pair)} is never used among {ranks} ranks, though it was forced")


def play(lines, **environment):
    """Runs as in tests/mpi/runs."""
    with tempfile.NamedTemporaryFile("w", suffix=".mpi", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        if subprocess.run([HERE / "run_mpi.sh", file.name], env={**os.environ, **environment}, check=False).returncode:
            failures.append("runs")


def line(forced, ranks, steps, options=""):
    return f"{ranks} REMIT_COLL_ALGORITHMS={setting(forced)} {options} tests/mpi/coll_random {steps}"


def each_once(table):
    """Runs that force every algorithm without cells once."""
    flat = {op: [name for name in names if name != CELLS] for op, names in table.items()}
    lines = []
    for i in range(max(map(len, flat.values()))):
        forced = {op: names[i] for op, names in flat.items() if i < len(names)}
        expect_used(forced, RANKS, 1)
        lines.append(line(forced, RANKS, 150))
    play(lines)


def each_alone(table):
    lines = []
    for operation, names in table.items():
        for name in names:
            if name != CELLS:
                lines += [line({operation: name}, ranks, 100) for ranks in ALL_RANKS]
    play(lines)


def messages(forced, operation, environment):
    """Messages that all ranks send in CALLS calls, and what they send before and after."""
    command = [MPIRUN, "-n", str(COUNTED_RANKS), "--map-by", f"ppr:{COUNTED_RANKS // 2}:numa", "--bind-to", "numa",
               f"benchmarks/suite/{operation}", "-i", str(CALLS), "-x", "0"]
    command += [] if operation == "barrier" else ["-s", "8"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        env={**os.environ, **environment, "REMIT_STATISTICS": "yes", "REMIT_COLL_ALGORITHMS": setting(forced)})
    if done.returncode:
        fail(f"{operation}: status {done.returncode}: {done.stderr}")
    counts = re.findall(r"statistics: messages: eager (\d+),? rendezvous (\d+)", done.stderr)
    return sum(int(eager) + int(rendezvous) for eager, rendezvous in counts)


def by_cells(table, steps, ranks_list):
    """Cells that are NUMA nodes: in the order of ranks (all algorithms), and across it."""
    forced = {operation: CELLS for operation, names in table.items() if CELLS in names}
    lines = []
    for ranks in ranks_list:
        expect_used(forced, ranks, 2)
        for places in (f"--map-by ppr:{ranks // 2}:numa", "--map-by numa"):
            lines.append(line(forced, ranks, steps, f"{places} --bind-to numa"))
    play(lines, **TWO_NODES)
    # Without cells the same setting means something else.
    for operation in COUNTED:
        counts = [messages({operation: CELLS}, operation, {**TWO_NODES, "REMIT_COLL_CELLS": cells})
                  for cells in ("numa", "none")]
        if abs(counts[0] - counts[1]) < CALLS:
            fail(f"{operation}: {counts[0]} messages by cells, {counts[1]} without: there are none")
        print(f"ok   {operation}: {counts[0]} messages by cells, {counts[1]} without", flush=True)


def sums(places, **parameters):
    """What coll_sums says of the bits of its results."""
    environment = {**os.environ, **TWO_NODES, **{f"REMIT_COLL_{name.upper()}": v for name, v in parameters.items()}}
    command = [MPIRUN, "-n", str(RANKS), *places, "tests/mpi/coll_sums"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    found = re.search(r"coll_sums: ([0-9a-f]{16})$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        fail(f"coll_sums: status {done.returncode}: {done.stdout}")
    return found and found[1]


def reproducible_sums():
    places = ["--map-by", f"ppr:{RANKS // 2}:numa", "--bind-to", "numa"]
    by_cells = "reduce=hierarchical,allreduce=hierarchical"
    in_memory = "reduce=direct,allreduce=direct,reduce_scatter=direct,reduce_scatter_block=direct"
    ways = [{"cells": cells, "algorithms": forced} for cells, forced in
            (("numa", by_cells), ("none", by_cells), ("none", in_memory), ("none", ""))]
    same = {sums(places, reproducible="yes", **way) for way in ways}
    if len(same) != 1:
        fail(f"coll_reproducible gives {same}")
    if len({sums(places, reproducible="no", **way) for way in ways}) == 1:
        fail("sums do not depend on anything without coll_reproducible: the test sees nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="each by itself, among 2 to 16 ranks")
    options = parser.parse_args()
    table = rows()
    print(f"{sum(map(len, table.values()))} algorithms of {len(table)} operations", flush=True)
    each_once(table)
    if {0, 1} <= os.sched_getaffinity(0):
        by_cells(table, 500 if options.all else 150, (4, 8, 16) if options.all else (4,))
        reproducible_sums()
    else:
        print("skip cells: processors 0 and 1 are not both to be had", flush=True)
    if options.all:
        each_alone(table)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
