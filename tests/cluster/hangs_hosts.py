#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The report of a job that hangs on several hosts (with_hosts): which call each rank waits in, and who waits
for whom. Runs in the top build folder; MPIRUN, STUCK and SPAWN name other binaries. Skipped where with_hosts
is."""
import os
import pathlib
import re
import signal
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from launcher_hosts import HOSTS, LIMIT, HostsTest, on_host
from hangs import patiently

STUCK = os.path.abspath(os.environ.get("STUCK", "./tests/launcher/stuck"))
SPAWN = os.path.abspath(os.environ.get("SPAWN", "./tests/mpi/spawn"))
ROW = re.compile(r"^ +(\d+)  (h\d) +(\d+|-) +(?:\d+\.\d\d s|-)  (.{33}) (.{15}) +(\d+\.\d s|-)  (.*)$", re.M)
DAEMON = "pkill -{} -f -- --remit-daemon"


class Row:
    def __init__(self, fields):
        _, self.host, self.pid, self.process, self.program, self.time, self.call = (text.strip() for text in fields)

    def __repr__(self):
        return repr(self.__dict__)


def parse(text):
    """The rows of a table, by rank, and what is found under it."""
    rows = {int(fields[0]): Row(fields) for fields in ROW.findall(text)}
    findings = text.partition("Who waits for whom:\n")[2].splitlines()
    return rows, [line.strip() for line in findings if line.startswith("  ")]


class HangTest(HostsTest):
    def setUp(self):
        super().setUp()
        self.environment["REMIT_WAIT"] = "sleep"  # the hosts have one set of processors

    def report(self, hosts, mode, *options):
        _, err = self.run_job("--timeout", self.seconds, "--host", hosts, *options, STUCK, mode, status=124)
        self.assertIn("--timeout", self.the_message(err))
        return parse(err)

    def await_ranks(self, process, hosts):
        for host in hosts:
            self.await_processes(process, host, STUCK)
        time.sleep(float(self.seconds) / 2)

    def ask(self, process, last):
        """The report that SIGQUIT prints, up to a line that matches; mpirun goes on."""
        process.send_signal(signal.SIGQUIT)
        text = ""
        while not re.search(last, text, re.M):
            line = self.wait_for_line(process.stderr)
            self.assertTrue(line, f"mpirun has ended: {text}")
            text += line
        self.assertIsNone(process.poll())
        return parse(text)

    def terminate(self, process):
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        return err.decode()


class Tables(HangTest):
    @patiently
    def test_a_circle_over_hosts(self):
        for hosts, circle in (("h1,h2", "0 -> 1 -> 0"), ("h2,h3", "0 -> 1 -> 0"), ("h4,h1,h2", "0 -> 1 -> 2 -> 0"),
                              ("h1,h2,h3,h4", "0 -> 1 -> 2 -> 3 -> 0")):
            rows, lines = self.report(hosts, "ring")
            names = hosts.split(",")
            self.assertEqual(lines, [f"deadlock: {circle}"], rows)
            self.assertEqual([rows[rank].host for rank in range(len(names))], names)
            for rank, row in rows.items():
                peer = (rank + 1) % len(names)
                self.assertEqual(row.call, f"MPI_Recv from {peer}, tag 7, 1 MPI_INT, on MPI_COMM_WORLD")
                self.assertEqual((row.program, row.process.split()[0]), ("stuck", "asleep"))
                self.assertGreater(int(row.pid), 1)
                self.assertTrue(0 < float(row.time[:-2]) < LIMIT, row)

    @patiently
    def test_a_tree_of_one_branch(self):
        rows, lines = self.report("h1:2,h2:2,h3:2,h4:2", "ring", "--param", "launch_width=1")
        self.assertEqual(lines, ["deadlock: " + " -> ".join(str(rank % 8) for rank in range(9))], rows)
        self.assertEqual([rows[rank].host for rank in range(8)], [f"h{rank // 2 + 1}" for rank in range(8)])

    @patiently
    def test_a_rank_that_does_not_send(self):
        for hosts in ("h1,h2,h3", "h2,h3,h4", "h1:2,h2"):
            rows, lines = self.report(hosts, "computes")
            self.assertEqual(lines, ["ranks 0, 2 wait for rank 1, which waits in no MPI call"], rows)
            self.assertEqual(rows[1].call, "in no MPI call that waits")
        rows, lines = self.report("h1,h2", "computes")
        self.assertEqual(lines, ["rank 0 waits for rank 1, which waits in no MPI call"], rows)

    @patiently
    def test_a_collective_that_not_all_have_entered(self):
        rows, lines = self.report("h1,h2,h3,h4", "barrier")
        self.assertEqual(lines[0], "MPI_Barrier on MPI_COMM_WORLD: rank 2 has not arrived", rows)

    @patiently
    def test_on_request(self):
        for hosts, circle in (("h1,h2", "0 -> 1 -> 0"), ("h1,h2,h3,h4", "0 -> 1 -> 2 -> 3 -> 0")):
            process = self.start("--host", hosts, STUCK, "ring")
            self.await_ranks(process, hosts.split(","))
            for _ in range(2):
                rows, lines = self.ask(process, "^  deadlock: ")
                self.assertEqual(lines, [f"deadlock: {circle}"], rows)
            self.assertIn("interrupted by signal", self.the_message(self.terminate(process)))

    @patiently
    def test_a_program_without_mpi(self):
        _, err = self.run_job("--timeout", "2", "--host", "h1,h2", "sleep", "1000", status=124)
        rows, lines = parse(err)
        self.assertEqual([(rows[rank].host, rows[rank].program, rows[rank].call) for rank in (0, 1)],
                         [(host, "sleep", "before MPI_Init, or without MPI") for host in ("h1", "h2")], err)
        self.assertEqual(lines, [])

    @patiently
    def test_a_rank_that_was_killed(self):
        """The others are looked at before they are ended."""
        for hosts, others in (("h1,h2,h3,h4", "ranks 0, 2, 3 wait"), ("h2,h1", "rank 0 waits"),
                              ("h1,h2", "rank 0 waits")):
            _, err = self.run_job("--host", hosts, STUCK, "killed", self.seconds, status=137)
            rows, lines = parse(err)
            self.assertIn(f"{others} for rank 1, which has ended", lines, err)
            self.assertEqual((rows[1].process, rows[1].host), ("ended", hosts.split(",")[1]), err)
            self.assertRegex(rows[0].call, "^MPI_Recv from 1, tag 7")
            self.assertRegex(self.the_message(err), "rank 1 .* was killed by signal 9")

    @patiently
    def test_a_spawned_job(self):
        for hosts, names in (("h1:1,h2:2", ["h2", "h2"]), ("h1:1,h2:1,h3:1", ["h2", "h3"])):
            _, err = self.run_job("--timeout", self.seconds, "--host", hosts, "-n", "1", SPAWN, "ring",
                                  status=124, env={"SPAWN_NUMBER": "2"})
            rows, lines = parse(err.partition("Job 1, spawned by rank 0 of ")[2])
            self.assertEqual(lines, ["deadlock: 0 -> 1 -> 0"], err)
            self.assertEqual([rows[rank].host for rank in (0, 1)], names, err)


class SilentHosts(HangTest):
    """A daemon that is stopped: its host's system is well, but nobody there answers."""

    def stop_daemon(self, host):
        on_host(host, DAEMON.format("STOP"))
        self.addCleanup(on_host, host, DAEMON.format("CONT"))

    @patiently
    def test_its_ranks_are_unknown(self):
        process = self.start("--host", "h1,h2,h3,h4", STUCK, "ring")
        self.await_ranks(process, HOSTS)
        self.stop_daemon("h2")
        rows, lines = self.ask(process, "^No answer within .* seconds from host h2: ")
        self.assertEqual((rows[1].call, rows[1].process, rows[1].time), ("not known", "-", "-"))
        self.assertEqual([rows[rank].call.split(",")[0] for rank in (0, 2, 3)],
                         [f"MPI_Recv from {peer}" for peer in (1, 3, 0)])
        self.assertEqual(lines, ["rank 0 waits for rank 1, which is on a host that does not answer"], rows)
        on_host("h2", DAEMON.format("CONT"))
        rows, lines = self.ask(process, "^  deadlock: ")
        self.assertEqual(lines, ["deadlock: 0 -> 1 -> 2 -> 3 -> 0"], rows)
        self.terminate(process)

    @patiently
    def test_what_is_below_it_is_unknown(self):
        process = self.start("--param", "launch_width=1", "--host", "h1,h2,h3,h4", STUCK, "barrier")
        self.await_ranks(process, HOSTS)
        self.stop_daemon("h3")
        rows, lines = self.ask(process, "^No answer within .* seconds from hosts h3, h4: ")
        self.assertEqual([rows[rank].call for rank in range(4)],
                         ["MPI_Barrier on MPI_COMM_WORLD"] * 2 + ["not known"] * 2)
        # Whether rank 2 has arrived is not known.
        self.assertEqual([line for line in lines if "arrived" in line or "deadlock" in line], [], rows)
        on_host("h3", DAEMON.format("CONT"))
        self.terminate(process)

    @patiently
    def test_it_does_not_keep_mpirun(self):
        process = self.start("--param", "host_timeout=6", "--timeout", "6", "--host", "h1,h2,h3", STUCK, "ring")
        self.await_ranks(process, HOSTS[:3])
        self.stop_daemon("h2")
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 124, err)
        err = err.decode()
        self.assertRegex(err, r"(?m)^No answer within .* seconds from host h2: ")
        self.assertRegex(err, "mpirun: the daemon of host h2 has not answered for 6 seconds; ranks there may live on")
        self.assertTrue(on_host("h2", "pgrep -x stuck"))  # tearDown() sees their end, when the daemon goes on
        on_host("h2", DAEMON.format("CONT"))

    @patiently
    def test_an_interrupt_does_not_wait_for_it(self):
        """The end of a job waits for a report, but not if a person has lost patience."""
        process = self.start("--timeout", self.seconds, "--host", "h1,h2", STUCK, "ring")
        self.await_processes(process, "h2", STUCK)
        self.stop_daemon("h2")
        time.sleep(float(self.seconds) + 1)  # it waits for the answer of h2
        process.send_signal(signal.SIGTERM)
        on_host("h2", DAEMON.format("CONT"))
        _, err = process.communicate(timeout=LIMIT)
        self.assertIn(process.returncode, (128 + signal.SIGTERM, 124), err)


if __name__ == "__main__":
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", str(len(HOSTS)), __file__, *sys.argv[1:]])
    unittest.main(verbosity=2)
