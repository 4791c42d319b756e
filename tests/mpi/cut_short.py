#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# Sender or receiver killed in the middle of long messages inside a host, by each way in which these
# are copied: the other rank neither hangs nor crashes, and names the one that it misses; mpirun names
# it, too; nothing is left. Runs in the top build folder; MPIRUN names another mpirun.
import collections
import concurrent.futures
import os
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "launcher"))

from launcher import LauncherTest

PROGRAM = os.path.abspath("./tests/mpi/cut_short")
PARTS = 128  # that the program looks at
MOST_TRIES = 4  # each with twice the bytes: a watcher that gets no processor comes too late
PARALLEL = 6  # most of the time a survivor waits for its next look at its peers
KILLED = 128 + 9

GET, PUT, PIPELINED = ({"REMIT_RENDEZVOUS": name} for name in ("get", "put", "pipelined"))
BY_KERNEL, BY_RING = ({"REMIT_SHM_COPY": name} for name in ("cma", "pipelined"))
BOTH = ("sender", "receiver")

# What is forced; how the bytes lie at the sender and at the receiver; MB, messages; who dies; words
# for the program; whose memory the other rank has mapped, so that it outlives its owner and the
# message may come whole.
Way = collections.namedtuple("Way", "name parameters layouts size victims words mapped", defaults=[BOTH, (), None])
WAYS = [
    Way("both sides read", {**GET, **BY_KERNEL}, ("bytes", "bytes"), (32, 1)),
    Way("the receiver reads alone", {**GET, **BY_KERNEL}, ("bytes", "bytes"), (32, 1), ("sender",), ("absent",)),
    Way("both sides write", {**PUT, **BY_KERNEL}, ("bytes", "bytes"), (32, 1)),
    Way("several at a time are read", {**GET, **BY_KERNEL}, ("bytes", "bytes"), (32, 32)),
    Way("several at a time are written", {**PUT, **BY_KERNEL}, ("bytes", "bytes"), (32, 32)),
    Way("read in long runs", {**GET, **BY_KERNEL}, ("bytes", "long"), (32, 1)),
    Way("written from long runs", {**PUT, **BY_KERNEL}, ("long", "bytes"), (32, 1)),
    Way("read and unpacked", {**GET, **BY_KERNEL}, ("bytes", "short"), (32, 1)),
    Way("packed and unpacked", {}, ("short", "short"), (32, 1)),
    Way("in fragments", PIPELINED, ("bytes", "bytes"), (32, 1)),
    Way("several at a time in fragments", PIPELINED, ("bytes", "short"), (32, 32)),
    Way("read through the ring", {**GET, **BY_RING}, ("bytes", "bytes"), (32, 1)),
    Way("written through the ring", {**PUT, **BY_RING}, ("bytes", "bytes"), (32, 1)),
    Way("several at a time through the ring", {**GET, **BY_RING}, ("bytes", "bytes"), (32, 32)),
    Way("read where both see it", {**GET, **BY_RING}, ("shared", "bytes"), (32, 1), mapped="sender"),
    Way("written where both see it", {**PUT, **BY_RING}, ("bytes", "shared"), (32, 1), mapped="receiver"),
]


class CutShort(LauncherTest):
    def end_in_the_middle(self, way, victim):
        """Until the victim died when a part of the bytes was there and the message was not complete."""
        megabytes, messages = way.size
        for attempt in range(MOST_TRIES):
            words = ["--grace", "20", "-n", "2", PROGRAM, victim, *way.layouts, str(megabytes << attempt),
                     str(messages), *way.words]
            out, err = self.run_job(*words, status=KILLED, env=way.parameters)
            begun = re.search(rf"^(\d+) of {PARTS} parts are there: pid (\d+) is killed$", out, re.MULTILINE)
            end = re.search(rf"^(\d+) of {messages} messages failed, (-?\d+) of {PARTS} parts are there: (.*)$",
                            out, re.MULTILINE)
            told = f"{way.name}, {victim}\n{out}\n{err}"
            self.assertIsNotNone(begun, told)
            self.assertIsNotNone(end, told)
            self.assertIn("finalized with 0 failures", out, told)
            self.assertNotIn("Sanitizer", err, told)
            rank, pid = BOTH.index(victim), begun[2]
            self.assertRegex(self.the_message(err), rf"rank {rank} \(pid {pid}, .*\) .* was killed by signal 9", told)
            # A sender does not see what is there: -1.
            whole = PARTS if victim == "sender" else -1
            if victim == way.mapped and int(begun[1]) < PARTS and (int(end[1]), int(end[2])) == (0, whole):
                return
            if int(end[1]) == 0 or PARTS in (int(begun[1]), int(end[2])):
                continue  # it had come already
            self.assertRegex(end[3], rf"MPI_ERR_PROC_ABORTED.*with rank {rank} failed: .*\(pid {pid}\)", told)
            return
        self.fail(f"{way.name}: in {MOST_TRIES} tries the {victim} was never killed in the middle\n{told}")

    def test_each_way(self):
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            rounds = [pool.submit(self.end_in_the_middle, way, victim) for way in WAYS for victim in way.victims]
        for each in rounds:
            each.result()


if __name__ == "__main__":
    unittest.main()
