#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# A rank dies while others wait for it in a window: for its lock, its post, its completion, or in a fence; where
# members share words of memory, and where they send messages. The others neither hang nor crash, and name it;
# mpirun names it, too. Runs in the top build folder; MPIRUN names another mpirun.
import concurrent.futures
import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from deaths import DYING, PARALLEL, DeathTest
from launcher import PROC_ABORTED

PROGRAM = os.path.abspath("./tests/mpi/window_deaths")

WORDS = {
    "words of the host": {},
    "words of the host, asleep": {"REMIT_WAIT": "sleep"},
    "messages": {"REMIT_SHM_ALLOC": "no"},
    "messages over tcp": {"REMIT_DEVICES": "tcp"},
}
HAD_LOCK = rf"rank {DYING} has ended while it had the lock"
SAID = {
    "lock": HAD_LOCK,
    "read": HAD_LOCK,
    "start": rf"rank {DYING} has ended without a post",
    "complete": rf"rank {DYING}",
    "flush": rf"rank {DYING}",
    "wait": rf"rank {DYING} has ended without a completion",
    "test": rf"rank {DYING} has ended without a completion",
    "fence": rf"rank {DYING} has ended",
    "free": rf"rank {DYING} has ended",
}


class WindowDeaths(DeathTest):
    def end_while_others_wait(self, ways, mode):
        said, told = self.survivors(f"{ways}, {mode}", PROGRAM, mode, env=WORDS[ways])
        for error, words in said:
            # Whose owner keeps it by messages knows who has died, and that it has changed nothing.
            # Memory that a host shares outlives its owner.
            without_error = ("read",) if ways.startswith("messages") else ("complete", "flush")
            if mode in without_error:
                self.assertEqual((error, words), (0, "none"), told)
                continue
            self.assertEqual(error, PROC_ABORTED, told)
            self.assertRegex(words, SAID[mode], told)

    def test_each_wait(self):
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            rounds = [pool.submit(self.end_while_others_wait, ways, mode) for ways in WORDS for mode in SAID]
        for each in rounds:
            each.result()


if __name__ == "__main__":
    unittest.main()
