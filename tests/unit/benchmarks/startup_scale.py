#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""What the start of a job costs as it grows, by counts of the simulation (benchmarks/start): nothing
all-to-all and no fence in MPI_Init, and ranks that speak to few others. Runs in the top build folder."""

import math
import subprocess
import unittest

PER_HOST = 32
WIDTH = 4  # so that a few hosts make a tree of several levels
SIZES = (256, 1024, 4096)


def simulate(ranks, *more):
    command = ["benchmarks/start/simulate", "--ranks", ranks, "--per-host", PER_HOST]
    command += ["--width", WIDTH, *more]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}: {done.stderr}")
    words = dict(word.split("=") for word in done.stdout.split())
    return {k: v if k == "algorithms" else float(v) for k, v in words.items()}


class StartupScale(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = {ranks: simulate(ranks) for ranks in SIZES}
        cls.fenced = {ranks: simulate(ranks, "--modex") for ranks in SIZES[:2]}

    def test_init_asks_nobody_and_waits_for_nobody(self):
        for ranks, run in self.runs.items():
            self.assertEqual((run["init_lookups"], run["init_fences"]), (0, 0), ranks)
        for ranks, run in self.fenced.items():  # what is counted can be seen
            self.assertEqual(run["init_fences"], ranks)

    def test_a_rank_speaks_to_few_others(self):
        for ranks, run in self.runs.items():
            rounds = math.ceil(math.log2(ranks))
            for what in ("most_lookups", "most_messages", "most_endpoints"):
                self.assertGreater(run[what], 0)
            # A barrier and an allreduce, each in as many messages as the lag of the network allows.
            self.assertLessEqual(run["most_lookups"], 3 * rounds, ranks)
            self.assertLessEqual(run["most_endpoints"], 6 * rounds, ranks)
            self.assertLessEqual(run["most_messages"], 12 * rounds, ranks)

    def test_a_host_asks_for_a_rank_once(self):
        for ranks, run in self.runs.items():
            self.assertLessEqual(run["remote_lookups"], ranks * run["lookups"])
            self.assertLessEqual(run["remote_lookups"], run["hosts"] * (ranks - PER_HOST))

    def test_a_daemon_hears_its_ranks_and_passes_on_little(self):
        for ranks, run in self.runs.items():
            # To join, to publish, look-ups of its own ranks and for those of others, to leave.
            most = PER_HOST * (3 + 2 * run["most_lookups"])
            self.assertLessEqual(run["most_requests"], most, ranks)

    def test_only_the_job_itself_grows_with_all_ranks(self):
        small, large = (self.runs[ranks] for ranks in SIZES[1:])
        grown = (large["job_bytes"] - small["job_bytes"]) / (SIZES[2] - SIZES[1])
        self.assertLess(grown, 256)  # bytes of a rank
        for ranks, run in self.runs.items():
            # A daemon gets the job once, and passes it on WIDTH times; look-ups and news of ranks
            # below it come on top.
            job = (WIDTH + 1) * (run["job_bytes"] + run["plan_bytes"])
            rest = run["most_daemon_bytes"] - job
            self.assertGreaterEqual(rest, 0)
            below = ranks / WIDTH  # a daemon of the first level has at most so many below it
            self.assertLess(rest, 600 * below * run["most_lookups"], ranks)

    def test_the_same_again(self):
        again = simulate(SIZES[0])
        for run in (again, self.runs[SIZES[0]]):
            for word in ("seconds", "memory"):
                run.pop(word, None)
        self.assertEqual(again, self.runs[SIZES[0]])


if __name__ == "__main__":
    unittest.main()
