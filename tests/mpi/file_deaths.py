#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# A rank is killed in the middle of collective accesses to a file: staged ones, those that go straight, and calls about
# the file as a whole. The others neither hang nor crash, and name the file and the rank; mpirun names it, too. Runs in
# the top build folder; MPIRUN names another mpirun.
import concurrent.futures
import os
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "launcher"))

from launcher import PROC_ABORTED, LauncherTest

PROGRAM = os.path.abspath("./tests/mpi/file_deaths")
PARALLEL = 4  # most of the time a survivor waits for its next look at its peers
KILLED = 128 + 9
RANKS = 3
DYING = RANKS - 1

RUNS = [(way, mode) for way in ("staged", "direct") for mode in ("write", "read", "iwrite", "split")]
RUNS += [("contiguous", mode) for mode in ("write", "iwrite", "ordered", "view", "sync", "close")]
PLACES = {
    "shared memory": {},
    "shared memory, asleep": {"REMIT_WAIT": "sleep"},
    "tcp": {"REMIT_DEVICES": "tcp"},
}


# Two threads sleep then, and seldom neither looks whether a member has ended: docs/design/files.md, "What remains".
OPEN = [("shared memory, asleep", "staged", mode) for mode in ("iwrite", "split")]


class FileDeaths(LauncherTest):
    def end_while_others_wait(self, place, way, mode):
        out, err = self.run_job("--grace", "20", "-n", str(RANKS), PROGRAM, way, mode, status=KILLED,
                                env=PLACES[place])
        told = f"{place}, {way}, {mode}\n{out}\n{err}"
        self.assertNotIn("Sanitizer", err, told)
        self.assertRegex(self.the_message(err), rf"rank {DYING} \(pid .* was killed by signal 9", told)
        words = []
        for rank in range(DYING):
            said = re.search(rf"(?m)^rank {rank}, class (\d+): (.*)$", out)
            self.assertIsNotNone(said, told)
            self.assertEqual(int(said[1]), PROC_ABORTED, told)
            self.assertRegex(said[2], r"remit_deaths\.", told)
            words.append(said[2])
            self.assertIn(f"rank {rank} finalized with 0 failures", out, told)
        # Who hears of it through another member may not know yet who it was.
        self.assertTrue(any(f"rank {DYING}" in said for said in words), told)

    def test_each_call(self):
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            rounds = [pool.submit(self.end_while_others_wait, place, way, mode) for place in PLACES
                      for way, mode in RUNS if (place != "tcp" or way != "staged") and (place, way, mode) not in OPEN]
        for each in rounds:
            each.result()


if __name__ == "__main__":
    unittest.main()
