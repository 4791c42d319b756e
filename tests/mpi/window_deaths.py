#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# A rank dies while others wait for it in a window: for its lock, its post, its completion, or in a fence; where
# members share words of memory, and where they send messages. The others neither hang nor crash, and name it;
# mpirun names it, too. Runs in the top build folder; MPIRUN names another mpirun.
import concurrent.futures
import os
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "launcher"))

from launcher import PROC_ABORTED, LauncherTest

PROGRAM = os.path.abspath("./tests/mpi/window_deaths")
PARALLEL = 4  # most of the time a survivor waits for its next look at its peers
KILLED = 128 + 9
RANKS = 3
DYING = RANKS - 1

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


class WindowDeaths(LauncherTest):
    def end_while_others_wait(self, ways, mode):
        out, err = self.run_job("--grace", "20", "-n", str(RANKS), PROGRAM, mode, status=KILLED, env=WORDS[ways])
        told = f"{ways}, {mode}\n{out}\n{err}"
        self.assertNotIn("Sanitizer", err, told)
        self.assertRegex(self.the_message(err), rf"rank {DYING} \(pid .* was killed by signal 9", told)
        for rank in range(DYING):
            said = re.search(rf"(?m)^rank {rank}, class (\d+): (.*)$", out)
            self.assertIsNotNone(said, told)
            self.assertIn(f"rank {rank} finalized with 0 failures", out, told)
            # Whose owner keeps it by messages knows who has died, and that it has changed nothing.
            # Memory that a host shares outlives its owner.
            without_error = ("read",) if ways.startswith("messages") else ("complete", "flush")
            if mode in without_error:
                self.assertEqual(said.groups(), ("0", "none"), told)
                continue
            self.assertEqual(int(said[1]), PROC_ABORTED, told)
            self.assertRegex(said[2], SAID[mode], told)

    def test_each_wait(self):
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            rounds = [pool.submit(self.end_while_others_wait, ways, mode) for ways in WORDS for mode in SAID]
        for each in rounds:
            each.result()


if __name__ == "__main__":
    unittest.main()
