#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# A rank is killed in the middle of collective accesses to a file: staged ones, those that go straight, and calls about
# the file as a whole. The others neither hang nor crash, and name the file and the rank; mpirun names it, too. Runs in
# the top build folder; MPIRUN names another mpirun.
import concurrent.futures
import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from deaths import DYING, PARALLEL, DeathTest
from launcher import PROC_ABORTED

PROGRAM = os.path.abspath("./tests/mpi/file_deaths")

RUNS = [(way, mode) for way in ("staged", "direct") for mode in ("write", "read", "iwrite", "split")]
RUNS += [("contiguous", mode) for mode in ("write", "iwrite", "ordered", "view", "sync", "close")]
PLACES = {
    "shared memory": {},
    "shared memory, asleep": {"REMIT_WAIT": "sleep"},
    "tcp": {"REMIT_DEVICES": "tcp"},
}


class FileDeaths(DeathTest):
    def end_while_others_wait(self, place, way, mode):
        said, told = self.survivors(f"{place}, {way}, {mode}", PROGRAM, way, mode, env=PLACES[place])
        for error, words in said:
            self.assertEqual(error, PROC_ABORTED, told)
            self.assertRegex(words, r"remit_deaths\.", told)
        # Who hears of it through another member may not know yet who it was.
        self.assertTrue(any(f"rank {DYING}" in words for _, words in said), told)

    def test_each_call(self):
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            rounds = [pool.submit(self.end_while_others_wait, place, way, mode) for place in PLACES
                      for way, mode in RUNS if place != "tcp" or way != "staged"]
        for each in rounds:
            each.result()


if __name__ == "__main__":
    unittest.main()
