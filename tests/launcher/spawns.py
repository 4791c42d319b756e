#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# mpirun and the processes that ranks start: their output, their failures, the end of them all.
# Runs in the top build folder; MPIRUN and SPAWN name other binaries.
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only, as in make distcheck

from launcher import CLIENT, LIMIT, LauncherTest


# mpi.h; what a program ends with under MPI_ERRORS_ARE_FATAL
MPI_ERR_PORT, MPI_ERR_SPAWN = 43, 53


class Spawns(LauncherTest):
    SPAWN = os.path.abspath(os.environ.get("SPAWN", "./tests/mpi/spawn"))

    def setUp(self):
        super().setUp()
        if not os.path.exists(self.SPAWN):
            self.skipTest("tests/mpi/spawn is not built")

    def test_output_is_marked(self):
        out, err = self.run_job("-n", "1", "--tag-output", self.SPAWN, "say")
        self.assertEqual(sorted(out.splitlines()),
                         ["[0] spawn: passed (1 ranks)", "[1.0] said 0", "[1.1] said 1"])
        self.assertEqual(err, "")

    def test_files_of_spawned_ranks(self):
        folder = os.path.join(self.temporary, "out")
        self.run_job("-n", "1", "--output-filename", folder, self.SPAWN, "say")
        try:
            paths = [parent for parent, _, files in os.walk(folder) if files]
            for label in ("0", "1.0", "1.1"):
                self.assertTrue(any(path.endswith("." + label) for path in paths), (label, paths))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def failure(self, part, status):
        _, err = self.run_job("-n", "2", self.SPAWN, part, status=status)
        return self.the_message(err)

    def test_a_spawned_rank_aborts(self):
        self.assertRegex(self.failure("abort", 9),
                         r"rank [01] of spawned job 1 \(pid \d+, .*\) on host \S+ aborted the job "
                         r"with code 9")

    def test_a_spawned_rank_is_killed(self):
        self.assertRegex(self.failure("killed", 128 + signal.SIGKILL),
                         r"rank [01] of spawned job 1 .* was killed by signal 9")

    def test_a_spawned_rank_fails_after_finalize(self):
        self.assertRegex(self.failure("status", 5), "rank [01] of spawned job 1 .* status 5")

    def run_program(self, text, status):
        """A job whose spawned program is a script."""
        program = os.path.join(self.temporary, "spawned")
        with open(program, "w") as script:
            script.write(text)
        os.chmod(program, 0o755)
        try:
            return self.run_job("-n", "2", "-x", f"SPAWN_COMMAND={program}", self.SPAWN, "plain",
                                status=status)
        finally:
            os.remove(program)

    def test_a_program_that_is_no_mpi_program(self):
        _, err = self.run_program("#!/bin/sh\nexit 0\n", 1)
        self.assertIn("without calling MPI_Init, though MPI_Comm_spawn", self.the_message(err))

    def test_a_program_that_opens_a_session_only(self):
        self.assertRegex(self.failure("session", 1), "rank [01] of spawned job 1 .* without calling "
                                                     "MPI_Init, though MPI_Comm_spawn")

    def test_a_program_that_fails_at_once(self):
        _, err = self.run_program("#!/bin/sh\nexit 7\n", 7)
        self.assertIn("exited with status 7", self.the_message(err))

    def test_a_program_that_cannot_be_executed(self):
        # It is found, and fails when the first process shall become it.
        _, err = self.run_program("#!/no/such/interpreter\n", MPI_ERR_SPAWN)
        self.assertIn("the interpreter it names does not exist", err)
        self.assertIn("MPI_Comm_spawn on MPI_COMM_WORLD", self.the_message(err))

    def spawned_pids(self, count):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            pids = [pid for pid in self.marked() if self.is_part(pid, "hang")]
            if len(pids) >= count:
                return pids
            time.sleep(0.02)
        self.fail("the spawned processes did not come up")

    @staticmethod
    def is_part(pid, part):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            return False
        # mpirun's own words begin with its name, and parents have the part without a second word
        return len(words) == 4 and words[1] == part.encode() and words[2] == b""

    def test_mpirun_is_killed(self):
        process = self.start("-n", "1", self.SPAWN, "hang")
        self.spawned_pids(2)
        process.kill()
        process.wait()
        self.assert_nothing_left()

    def test_interrupt_ends_all(self):
        process = self.start("-n", "1", self.SPAWN, "hang")
        self.spawned_pids(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LIMIT)
        self.assertIn("interrupted by signal 2", err.decode())
        self.assertIn("3 ranks were ended", err.decode())

    def test_the_report_names_spawned_jobs(self):
        process = self.start("-n", "1", "--timeout", "6", self.SPAWN, "hang")
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 124)
        text = err.decode()
        self.assertRegex(text, r"Job 1, spawned by rank 0 of remit\.")
        self.assertIn("on MPI_COMM_PARENT", text)
        self.assertNotIn("deadlock", text)


class Disconnected(LauncherTest):
    """Two jobs of two mpiruns, which find each other by the name of a port alone."""
    PORTS = os.path.abspath(os.environ.get("PORTS", "./tests/mpi/ports"))

    def test_two_jobs(self):
        if not os.path.exists(self.PORTS):
            self.skipTest("tests/mpi/ports is not built")
        server = self.start("-n", "2", self.PORTS, "serve")
        port = self.wait_for_line(server.stdout).strip()
        self.assertTrue(re.fullmatch(r"remit:\d+:[0-9a-f]+", port), port)
        for ranks in ("3", "1"):
            self.run_job("-n", ranks, self.PORTS, "visit", port)
        # and a process without a launcher
        environment = {**self.environment, "REMIT_SINGLETON": "1"}
        client = self.start_program([self.PORTS, "visit", port], environment)
        self.assertEqual(client.wait(LIMIT), 0)
        out, err = server.communicate(timeout=LIMIT)
        self.assertEqual((server.returncode, err), (0, b""), out)
        _, err = self.run_job("-n", "1", self.PORTS, "visit", port,
                              status=MPI_ERR_PORT)
        self.assertIn("cannot be reached", self.the_message(err))

    def test_a_port_that_was_closed(self):
        if not os.path.exists(self.PORTS):
            self.skipTest("tests/mpi/ports is not built")
        server = self.start("-n", "2", "--stdin", "1", self.PORTS, "shut", stdin=subprocess.PIPE)
        port = self.wait_for_line(server.stdout).strip()
        for ranks in ("1", "3"):
            _, err = self.run_job("-n", ranks, self.PORTS, "visit", port, status=MPI_ERR_PORT)
            self.assertIn("has closed the port", self.the_message(err))
        _, err = server.communicate(b"\n", timeout=LIMIT)
        self.assertEqual((server.returncode, err), (0, b""))

    def test_names_of_ports_that_are_too_long(self):
        if not os.path.exists(self.PORTS):
            self.skipTest("tests/mpi/ports is not built")
        for length in ("1023", "1024", "5000"):
            out, err = self.run_job("-n", "1", CLIENT, "name", length, "9", ":", "-n", "1", self.PORTS, "lookup",
                                    length)
            self.assertEqual((out, err), ("", ""))

    def start_program(self, words, environment):
        process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
