#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Ranks on two hosts (with_hosts), each of which has the same folder by a client that keeps what it has
seen (faulty_mount --cached), as hosts with a network file system have: what MPI promises of files holds
between them. Runs in the top build folder; MPIRUN names another mpirun. Skipped where with_hosts is, and
where file systems in user space may not be mounted."""
import os
import pathlib
import subprocess
import sys
import unittest

WITH_HOSTS = pathlib.Path(__file__).resolve().parent / "with_hosts"
MPIRUN = os.path.abspath(os.environ.get("MPIRUN", "./mpirun"))
MOUNT = os.path.abspath("tests/files/faulty_mount")
PROGRAM = os.path.abspath("tests/files/file_visible")
RUN = pathlib.Path("/run/cluster")
LIMIT = 120  # seconds: only a hang takes as long


class TwoClients(unittest.TestCase):
    def setUp(self):
        self.below, self.here = RUN / "below", RUN / "here"
        for folder in (self.below, self.here):
            folder.mkdir(exist_ok=True)
        self.servers = []
        for host in ([], ["ssh", "h2"]):
            words = [*host, MOUNT, str(self.below), str(self.here), "--cached"]
            server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
            self.servers.append(server)
            if server.stdout.readline() != "mounted\n":
                self.skipTest(f"no file system in user space: {server.stderr.read().strip()}")

    def tearDown(self):
        for server in self.servers:
            server.communicate()  # the end of its input ends it

    def test_what_is_written_is_seen(self):
        words = [MPIRUN, "--host", "h1:2,h2:2", "env", f"TMPDIR={self.here}", PROGRAM, "incoherent"]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
                              check=False)
        self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}")


if __name__ == "__main__":
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(WITH_HOSTS, [WITH_HOSTS, "-n", "2", __file__, *sys.argv[1:]])
    unittest.main()
