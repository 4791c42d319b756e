#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# The report of a job that hangs: which call each rank waits in, and who waits for whom.
# Runs in the top build folder; MPIRUN and STUCK name other binaries.
import functools
import os
import re
import signal
import sys
import time
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only, as in make distcheck

from launcher import LIMIT, LauncherTest


def patiently(test):
    """On a loaded machine it takes longer until all ranks are blocked: tries again then."""
    @functools.wraps(test)
    def run(self):
        for self.seconds in ("2", "8"):
            try:
                return test(self)
            except AssertionError:
                pass
        self.seconds = "25"
        return test(self)
    return run


class Hangs(LauncherTest):
    STUCK = os.path.abspath(os.environ.get("STUCK", "./tests/launcher/stuck"))

    def report(self, ranks, mode, *options):
        if not os.path.exists(self.STUCK):
            self.skipTest("tests/launcher/stuck is not built")
        _, err = self.run_job("-n", str(ranks), "--timeout", self.seconds, *options, self.STUCK,
                              mode, status=124)
        table, _, findings = err.partition("Who waits for whom:\n")
        rows = re.findall(r"^ +(\d+)  \S+ +\d+ .*? (\d+\.\d s|-)  (.*)$", table, re.M)
        lines = [line.strip() for line in findings.splitlines() if line.startswith("  ")]
        for _, time_blocked, _ in rows:
            self.assertTrue(time_blocked == "-" or 0 < float(time_blocked[:-2]) < LIMIT, err)
        return {int(rank): call for rank, _, call in rows}, lines

    @patiently
    def test_two_that_receive(self):
        calls, lines = self.report(2, "ring")
        self.assertEqual(calls, {
            0: "MPI_Recv from 1, tag 7, 1 MPI_INT, on MPI_COMM_WORLD",
            1: "MPI_Recv from 0, tag 7, 1 MPI_INT, on MPI_COMM_WORLD"})
        self.assertEqual(lines, ["deadlock: 0 -> 1 -> 0"])

    @patiently
    def test_waits_that_never_sleep(self):
        for how in ("spin", "yield", "sleep"):
            _, lines = self.report(2, "ring", "--param", f"wait={how}")
            self.assertEqual(lines, ["deadlock: 0 -> 1 -> 0"], how)

    @patiently
    def test_deadlocks(self):
        cases = [("ring", 4, "0 -> 1 -> 2 -> 3 -> 0"), ("wait", 2, "0 -> 1 -> 0"),
                 ("probe", 3, "0 -> 1 -> 2 -> 0"), ("send", 2, "0 -> 1 -> 0"),
                 ("self", 1, "0 -> 0")]
        for mode, ranks, circle in cases:
            calls, lines = self.report(ranks, mode)
            self.assertEqual((lines, len(calls)), (["deadlock: " + circle], ranks), mode)
        self.assertRegex(self.report(2, "send")[0][0], "MPI_Send to 1, tag 3, 16777216 MPI_BYTE")
        calls, lines = self.report(2, "threads")
        self.assertEqual(lines, ["deadlock (unless another thread helps): 0 -> 1 -> 0"])

    @patiently
    def test_loops(self):
        for how in ("spin", "yield", "sleep"):
            calls, lines = self.report(3, "loops", "--param", f"wait={how}")
            self.assertEqual(calls, {
                0: "MPI_Test in a loop: receive from 1, tag 8, 1 MPI_INT, on MPI_COMM_WORLD",
                1: "MPI_Recv from 0, tag 7, 1 MPI_INT, on MPI_COMM_WORLD",
                2: "MPI_Iprobe in a loop from 0, tag 9, on MPI_COMM_WORLD"})
            self.assertEqual(lines, ["deadlock (unless the loops around these calls do more): "
                                     "0 -> 1 -> 0", "rank 2 is stuck behind it"])

    @patiently
    def test_a_loop_that_ended(self):
        self.seconds = str(2 + int(self.seconds))
        calls, lines = self.report(2, "looped")
        self.assertEqual(calls[0], "in no MPI call that waits")
        self.assertEqual(lines, ["rank 1 waits for rank 0, which waits in no MPI call"])

    @patiently
    def test_a_rank_that_is_elsewhere(self):
        elsewhere = ", which waits in no MPI call"
        calls, lines = self.report(3, "computes")
        self.assertEqual(calls[1], "in no MPI call that waits")
        self.assertEqual(lines, ["ranks 0, 2 wait for rank 1" + elsewhere])
        calls, lines = self.report(3, "waitall")
        self.assertRegex(calls[0], "MPI_Waitall, 2 of 2 requests left: receive from 1, tag 8")
        self.assertEqual(lines, [f"rank 0 waits for rank {peer}{elsewhere}" for peer in (1, 2)])
        calls, lines = self.report(3, "waitany")
        self.assertRegex(calls[0], "MPI_Waitany, 2 of 2 requests left: receive from 1")
        self.assertEqual(lines, [])
        calls, _ = self.report(2, "sendrecv")
        self.assertRegex(calls[0], "MPI_Sendrecv: receive from 1, tag 6, 1 MPI_INT")
        _, lines = self.report(2, "finalized")
        self.assertEqual(lines, ["rank 0 waits for rank 1, which has called MPI_Finalize"])

    @patiently
    def test_collectives_that_not_all_have_entered(self):
        calls, lines = self.report(4, "barrier")
        self.assertEqual(calls[3], "MPI_Barrier on MPI_COMM_WORLD")
        self.assertEqual(lines[0], "MPI_Barrier on MPI_COMM_WORLD: rank 2 has not arrived")
        _, lines = self.report(4, "bcast")
        self.assertEqual(lines[0], "MPI_Bcast on MPI_COMM_WORLD: rank 0 has not arrived")
        calls, lines = self.report(3, "ibarrier")
        self.assertEqual(calls[0], "MPI_Wait: barrier on MPI_COMM_WORLD")
        self.assertRegex(lines[0], "barrier on MPI_COMM_WORLD: rank 1 has not arrived")
        _, lines = self.report(3, "any")
        self.assertEqual(lines, ["MPI_Barrier on MPI_COMM_WORLD: rank 0 has not arrived",
                                 "deadlock: 0 -> 1 -> 0"])

    @patiently
    def test_other_communicators(self):
        calls, lines = self.report(5, "split")
        self.assertRegex(calls[0], r"from 0 \(rank 4 of MPI_COMM_WORLD\), tag 7, .*on even")
        self.assertEqual(lines[0], "MPI_Barrier on odd: rank 1 has not arrived")
        self.assertIn("deadlock: 4 -> 4", lines)

    @patiently
    def test_windows(self):
        calls, lines = self.report(4, "locked")
        self.assertRegex(calls[3], r"^MPI_Win_lock: exclusive lock of rank 0, held by rank 2 since \d+\.\d s "
                                   r"or longer, on window \d+$")
        held = float(re.search(r"since (\S+) s", calls[3])[1])
        self.assertTrue(0 < held < LIMIT, calls[3])
        self.assertEqual(lines, ["rank 3 waits for rank 2, which waits in no MPI call"])
        calls, lines = self.report(3, "read")
        self.assertRegex(calls[2], "^MPI_Win_lock: exclusive lock of rank 0, held by readers since .* s or longer, ")
        self.assertEqual(lines, [])
        calls, lines = self.report(2, "locks")
        self.assertRegex(calls[0], "^MPI_Win_lock: shared lock of rank 1, held by rank 1 since .* s or longer, ")
        self.assertEqual(lines, ["deadlock: 0 -> 1 -> 0"])
        calls, lines = self.report(3, "posts")
        self.assertRegex(calls[0], r"^MPI_Win_start: a post on window \d+$")
        self.assertRegex(calls[2], r"^MPI_Win_wait: a completion on window \d+$")
        self.assertEqual(lines, ["ranks 0, 2 wait for rank 1, which waits in no MPI call"])

    @patiently
    def test_a_lock_that_was_handed_on(self):
        """Who waits says who has it now, and not who had it when the wait began."""
        for how in ("sleep", "yield", "spin"):
            calls, lines = self.report(4, "handed", "--param", f"wait={how}")
            self.assertRegex(calls[3], "^MPI_Win_lock: exclusive lock of rank 0, held by rank 2 since ", how)
            self.assertEqual(lines, ["rank 3 waits for rank 2, which waits in no MPI call"], how)

    @patiently
    def test_a_rank_that_was_killed(self):
        _, err = self.run_job("-n", "3", self.STUCK, "killed", self.seconds, status=137)
        self.assertRegex(err, r"(?m)^ +1  .* ended .* in no MPI call")
        self.assertRegex(err, r"(?m)^ +2  .* MPI_Recv from 1, tag 7")
        self.assertIn("ranks 0, 2 wait for rank 1, which has ended", err)
        self.assertRegex(self.the_message(err), "rank 1 .* was killed by signal 9")

    @patiently
    def test_on_request(self):
        process = self.start("-n", "2", self.STUCK, "ring")
        while self.running_ranks() < 2:
            time.sleep(0.05)
        time.sleep(float(self.seconds) / 2)
        process.send_signal(signal.SIGQUIT)
        time.sleep(float(self.seconds) / 2)
        self.assertIsNone(process.poll())  # it goes on
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LIMIT)
        self.assertIn("deadlock: 0 -> 1 -> 0", err.decode())

    def running_ranks(self):
        """Ranks that run by now."""
        return sum(os.path.basename(self.STUCK) == self.name(pid) for pid in self.marked())

    def name(self, pid):
        try:
            with open(f"/proc/{pid}/comm") as file:
                return file.read().strip()
        except OSError:
            return ""

    @patiently
    def test_blocked_rank_uses_no_processor_time(self):
        """Ten seconds in MPI_Recv: under 0.1 s."""
        _, err = self.run_job("-n", "2", "--timeout", "12", self.STUCK, "computes", status=124)
        match = re.search(r"(?m)^ +0  .* (\d+\.\d\d) s .* (\d+\.\d) s  MPI_Recv", err)
        self.assertTrue(match, err)
        self.assertGreater(float(match[2]), 10)
        self.assertLess(float(match[1]), 0.1, err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
