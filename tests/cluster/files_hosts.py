#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Collective accesses to files on several hosts (with_hosts), which all see one file system: blocks that interleave
between hosts go through owners of all hosts, against a model of each byte. Runs in the top build folder; MPIRUN names
another mpirun. Skipped where with_hosts is."""
import os
import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from launcher_hosts import HostsTest

PROGRAMS = pathlib.Path("./tests/mpi").resolve()
# Evenly, unevenly, each alone, and blocks of neighbours on one host.
PLACES = {
    "two and two": ("4", "h1:2,h2:2", "--map-by", "node"),
    "three and one": ("4", "h1:3,h2:1", "--map-by", "node"),
    "each alone": ("3", "h1:1,h2:1,h3:1"),
    "one and one": ("2", "h1:1,h2:1"),
    "neighbours": ("5", "h1:2,h2:1,h3:2"),
}
INTERLEAVED = [place for place in PLACES if place != "one and one"]


class FilesTest(HostsTest):
    limit = 120

    def setUp(self):
        super().setUp()
        self.environment["REMIT_WAIT"] = "sleep"  # the hosts have one set of processors

    def run_program(self, place, program, *arguments):
        ranks, hosts, *words = PLACES[place]
        out, err = self.run_job("-n", ranks, "--host", hosts, *words, "-x", "REMIT_WAIT", "-x", "REMIT_STATISTICS=yes",
                                str(PROGRAMS / program), *arguments)
        self.assertIn(f"{program}: passed", out, err)
        for line in out.splitlines():
            if "REMIT_TEST_SEED" in line:
                print(f"{place}: {line}", flush=True)
        return out + err

    def test_owners_of_all_hosts_move_the_data(self):
        for place in INTERLEAVED:
            with self.subTest(place):
                text = self.run_program(place, "file_staged")
                moved = [int(number) for number in re.findall(r"(\d+) from other hosts", text)]
                self.assertGreater(sum(moved), 1000000, text)

    def test_random_accesses(self):
        for place in INTERLEAVED:
            with self.subTest(place):
                self.run_program(place, "file_random", "8")

    def test_they_go_on_by_themselves(self):
        self.run_program("two and two", "file_progress")

    def test_a_rank_that_is_killed(self):
        """In the middle of accesses. Who hears of it names the file and the rank; mpirun ends those who do not."""
        for place in ("two and two", "neighbours"):
            for mode in ("write", "read", "iwrite"):
                with self.subTest(place=place, mode=mode):
                    ranks, hosts, *words = PLACES[place]
                    out, err = self.run_job("--grace", "10", "-n", ranks, "--host", hosts, *words, "-x", "REMIT_WAIT",
                                            str(PROGRAMS / "file_deaths"), "staged", mode, status=128 + 9)
                    said = re.findall(r"(?m)^rank \d+, class (\d+): (.*)$", out)
                    self.assertTrue(said, err)
                    for number, text in said:
                        self.assertNotEqual(number, "0", out)
                        self.assertIn("remit_deaths.", text)
                    self.assertRegex(out, rf"rank {int(ranks) - 1} has ended", err)

    def test_a_rank_without_memory(self):
        """Whatever it is that one rank has no memory for: nobody is left waiting, and all say the same. A process that
        sleeps takes memory for that, which is not what is tried."""
        self.environment["REMIT_WAIT"] = "spin"
        for place in ("one and one", "each alone"):
            with self.subTest(place):
                self.run_program(place, "file_memory")

    def test_wrong_arguments(self):
        self.run_program("three and one", "file_refused")


if __name__ == "__main__":
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", "4", __file__, *sys.argv[1:]])
    unittest.main(verbosity=2)
