#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Bits of floating-point sums on several hosts (with_hosts): with coll_reproducible they do not depend on how many
ranks a host has. Runs in the top build folder; MPIRUN and SUMS name other binaries. Skipped where with_hosts is."""
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from launcher_hosts import HostsTest

SUMS = os.path.abspath(os.environ.get("SUMS", "./tests/mpi/coll_sums"))
# Six ranks: all on one host, three and three, two each, unevenly, and neighbours on different hosts.
PLACES = (["h1:6"], ["h1:3,h2:3"], ["h1:2,h2:2,h3:2"], ["h1:1,h2:5"], ["h1:3,h2:3", "--map-by", "node"])


class SumsTest(HostsTest):
    def setUp(self):
        super().setUp()
        self.environment["REMIT_WAIT"] = "sleep"  # the hosts have one set of processors

    def sums(self, *words):
        found = []
        for places in PLACES:
            out, _ = self.run_job("-n", "6", "--host", *places, *words, SUMS)
            self.assertRegex(out, r"^coll_sums: [0-9a-f]{16}\n")
            found.append(out.splitlines()[0])
        return found

    def test_reproducible(self):
        self.assertEqual(len(set(self.sums("--param", "coll_reproducible=yes"))), 1)

    def test_otherwise(self):
        self.assertGreater(len(set(self.sums())), 1, "the other test sees nothing")


if __name__ == "__main__":
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", "4", __file__, *sys.argv[1:]])
    unittest.main(verbosity=2)
