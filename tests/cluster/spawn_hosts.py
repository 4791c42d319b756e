#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""MPI_Comm_spawn in jobs on several hosts (with_hosts): from and to any of them, and how that fails and
ends. Runs in the top build folder; MPIRUN, LAUNCHER_CLIENT, SPAWN and PORTS name other binaries. Skipped where
with_hosts is."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from launcher_hosts import CLIENT, HOSTS, LIMIT, HostsTest, control, on_host

SPAWN = os.path.abspath(os.environ.get("SPAWN", "./tests/mpi/spawn"))
PORTS = os.path.abspath(os.environ.get("PORTS", "./tests/mpi/ports"))
MPI_ERR_PORT, MPI_ERR_SPAWN = 43, 53  # mpi.h; what a program ends with under MPI_ERRORS_ARE_FATAL
# The parents have the slot of h1, what they spawn those of h2.
CHILDREN_ON_H2 = ("--host", "h1:1,h2:2", "-n", "1", SPAWN)


class SpawnTest(HostsTest):
    def setUp(self):
        super().setUp()
        self.environment["REMIT_WAIT"] = "sleep"  # the hosts have one set of processors


class Jobs(SpawnTest):
    def everything(self, ranks, *words):
        """From rank 0 and the last one, with and without keys, with every error, nested, several at once, some of one
        job and some of another on each host."""
        out, err = self.run_job(*words, "-n", ranks, SPAWN)
        self.assertEqual((out, err), (f"spawn: passed ({ranks} ranks)\n", ""))

    def test_everything_on_two_hosts(self):
        self.everything("2", "--host", "h1,h2")

    def test_everything_where_mpirun_is_not(self):
        self.everything("1", "--host", "h2:1,h3:2")

    def test_everything_on_four_hosts(self):
        self.everything("3", "--host", "h1:1,h2:1,h3:2,h4:2", "--param", "launch_width=1")

    def places(self, *words, **environment):
        """The host of each spawned rank."""
        folder = pathlib.Path("/run/cluster/said")
        self.run_job(*words, "-outfile-pattern", f"{folder}/%h/%r", SPAWN, "say", env=environment)
        found = {path.name: path.parent.name for path in folder.glob("h?/1.*") if path.suffix[1:].isdigit()}
        for label, host in found.items():
            self.assertEqual((folder / host / label).read_text(encoding="ascii"), f"said {label[2:]}\n")
        shutil.rmtree(folder)
        return [found[f"1.{rank}"] for rank in range(len(found))]

    def test_where_they_run(self):
        self.assertEqual(self.places("--host", "h1:2,h2:2,h3:2", "-n", "2"), ["h2", "h2"])
        self.assertEqual(self.places("--host", "h3:1,h2:1,h4:1", "-n", "1", SPAWN_NUMBER="3"), ["h3", "h2", "h4"])
        self.assertEqual(self.places("--host", "h1:2,h2:2", "-n", "2", "--map-by", "node", SPAWN_NUMBER="3"),
                         ["h1", "h2", "h1"])
        self.assertEqual(self.places("--host", "h2,h3,h4", SPAWN_HOST="h4,h2", SPAWN_NUMBER="3"), ["h4", "h4", "h2"])
        self.assertEqual(self.places("--host", "h3,h2", SPAWN_HOST="localhost"), ["h3", "h3"])

    def test_lines_of_output(self):
        out, err = self.run_job("--tag-output", "--host", "h2:1,h3:2,h4", "-n", "1", SPAWN, "say",
                                env={"SPAWN_NUMBER": "3"})
        self.assertEqual(sorted(out.splitlines()), ["[0] spawn: passed (1 ranks)"] +
                         [f"[1.{rank}] said {rank}" for rank in range(3)])
        self.assertEqual(err, "")

    def test_connected_jobs_of_other_libraries(self):
        """PMIx alone: two jobs connect, fence, read each other's data, and part."""
        for hosts in ("h1,h2", "h2,h3", "h1:2,h2:2,h3:2,h4:2"):
            out, err = self.run_job("--host", hosts, "-n", "2", "--map-by", "node", CLIENT, "family")
            self.assertEqual(sorted(out.splitlines()), ["child 0 of 3 ok", "child 1 of 3 ok", "child 2 of 3 ok",
                                                        "parent 0 of 2 ok", "parent 1 of 2 ok"], err)


class Errors(SpawnTest):
    def failure(self, *words, status=MPI_ERR_SPAWN, **environment):
        _, err = self.run_job(*words, status=status, env=environment)
        return self.the_message(err), err

    def test_a_host_that_is_unknown(self):
        for asker in ("h1", "h2"):
            _, err = self.failure("--host", f"{asker}:1,h3:1", "-n", "1", SPAWN, "plain", SPAWN_COMMAND=SPAWN,
                                  SPAWN_HOST="h4")
            self.assertIn(f"info key host: h4 is not a host of this job, which has {asker},h3", err)

    def test_a_program_that_is_on_one_host_only(self):
        program = "/dev/shm/only-here"  # each host has a /dev/shm of its own
        shutil.copy(SPAWN, program)
        self.addCleanup(lambda: pathlib.Path(program).unlink(missing_ok=True))
        try:
            for words in (["--host", "h1:1,h2:1"], ["--host", "h2:1,h1:1"], ["--host", "h1:1,h3:1,h2:1"]):
                _, err = self.failure(*words, "-n", "1", SPAWN, "plain", SPAWN_COMMAND=program, SPAWN_NUMBER="2")
                self.assertRegex(err, f"host h[23]: .*'{program}'")
        finally:
            os.remove(program)

    def test_a_program_that_cannot_be_executed(self):
        """It is found, and fails when a process shall become it: what runs of the job elsewhere is killed."""
        program = pathlib.Path("/run/cluster/broken")
        program.write_text("#!/dev/shm/interpreter\nprintf begun >&2\nexec sleep 1000\n", encoding="ascii")
        program.chmod(0o755)
        shutil.copy("/bin/sh", "/dev/shm/interpreter")
        self.addCleanup(lambda: pathlib.Path("/dev/shm/interpreter").unlink(missing_ok=True))
        try:
            for hosts in ("h1:1,h2:1", "h2:1,h1:1"):
                _, err = self.failure("--host", hosts, "-n", "1", SPAWN, "1000", SPAWN_COMMAND=str(program),
                                      SPAWN_NUMBER="2")
                self.assertRegex(err, "host h2: .*the interpreter it names does not exist")
        finally:
            os.remove("/dev/shm/interpreter")

    def test_a_folder_that_is_on_one_host_only(self):
        folder = pathlib.Path("/dev/shm/folder")
        folder.mkdir()
        self.addCleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        try:
            _, err = self.failure("--host", "h1:1,h2:1", "-wdir", str(folder), "-n", "1", SPAWN, "plain",
                                  SPAWN_COMMAND=SPAWN, SPAWN_HOST="h2")
            self.assertIn(f"host h2: wdir {folder}: No such file or directory", err)
        finally:
            folder.rmdir()

    def test_more_than_max_slots(self):
        hostfile = pathlib.Path("/run/cluster/few")
        hostfile.write_text("h1 slots=1 max_slots=1\nh2 slots=1 max_slots=2\n", encoding="ascii")
        words = ["--hostfile", str(hostfile), "-n", "1", SPAWN, "plain"]
        _, err = self.failure(*words, SPAWN_COMMAND=SPAWN, SPAWN_NUMBER="3")
        self.assertIn("max_slots of the hostfile leaves room for 2 ranks", err)
        self.run_job(*words, env={"SPAWN_NUMBER": "2"})


class Ends(SpawnTest):
    def failure(self, part, status):
        _, err = self.run_job(*CHILDREN_ON_H2, part, status=status)
        return self.the_message(err)

    def test_a_spawned_rank_fails(self):
        who = r"rank [01] of spawned job 1 \(pid \d+, .*\) on host h2 "
        for part, status, words in (("abort", 9, "aborted the job with code 9"),
                                    ("killed", 128 + signal.SIGKILL, "was killed by signal 9"),
                                    ("status", 5, "exited with status 5"),  # after MPI_Finalize
                                    ("session", 1, "exited without calling MPI_Init, though MPI_Comm_spawn")):
            self.assertRegex(self.failure(part, status), who + words)

    def test_a_program_that_is_no_mpi_program(self):
        _, err = self.run_job(*CHILDREN_ON_H2, "plain", status=1, env={"SPAWN_COMMAND": "/bin/true"})
        self.assertRegex(self.the_message(err), "on host h2 exited without calling MPI_Init, though MPI_Comm_spawn")

    def hang(self, *words):
        process = self.start(*words, *CHILDREN_ON_H2, "hang")
        end = time.monotonic() + LIMIT
        while len(on_host("h2", "pgrep -x spawn").split()) < 2:
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        return process

    def ended(self, process, status, words):
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, status, err)
        self.assertRegex(self.the_message(err.decode()), words)

    def test_a_spawned_rank_is_killed(self):
        process = self.hang()
        on_host("h2", "pkill -9 -o -x spawn")
        self.ended(process, 137, "rank [01] of spawned job 1 .* on host h2 was killed by signal 9")

    def test_a_parent_is_killed(self):
        process = self.hang()
        on_host("h1", "pkill -9 -x spawn")
        self.ended(process, 137, "rank 0 .* on host h1 was killed by signal 9")

    def test_a_daemon_is_killed(self):
        process = self.hang()
        on_host("h2", "pkill -9 -f -- --remit-daemon")
        self.ended(process, 1, "host h2 was lost")

    def test_signals(self):
        for sent, status in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, -signal.SIGINT)):
            process = self.hang()
            process.send_signal(sent)
            self.ended(process, status, "interrupted by signal .*; its 3 ranks were ended")

    def test_mpirun_is_killed(self):
        process = self.hang()
        process.kill()
        process.communicate(timeout=LIMIT)

    def test_a_report(self):
        process = self.hang("--timeout", "4")
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 124, err)
        self.assertRegex(err.decode(), r"Job 1, spawned by rank 0 of remit\.h1\.\d+\.\w+:\n(.*\n)* +1 +h2 +\d+ ")


class Ports(SpawnTest):
    def test_ports_of_processes_that_leave(self):
        for words in (["h1,h2"], ["h2,h1,h3", "--param", "launch_width=1"], ["h3:2,h2:2"]):
            out, err = self.run_job("--host", *words, PORTS, "gone")
            self.assertEqual((out, err), ("ports gone: passed\n", ""))

    def test_a_port_of_another_job(self):
        """That is closed, and then has ended."""
        server = self.start("--host", "h2,h3", "--stdin", "1", PORTS, "shut", stdin=subprocess.PIPE)
        port = self.wait_for_line(server.stdout).strip()
        visit = ["--host", "h4:1,h1:1", "-n", "1", PORTS, "visit", port]
        for _ in range(2):
            _, err = self.run_job(*visit, status=MPI_ERR_PORT)
            self.assertIn("has closed the port", self.the_message(err))
        _, err = server.communicate(b"\n", timeout=LIMIT)
        self.assertEqual((server.returncode, err), (0, b""))
        _, err = self.run_job(*visit, status=MPI_ERR_PORT)
        self.assertIn("cannot be reached", self.the_message(err))


class ZLostHosts(SpawnTest):
    """Last: they break the cluster."""
    hosts = ["h1", "h2"]

    def test_a_host_is_lost_while_it_is_asked(self):
        """h3 does not answer, and the rank that spawns there waits."""
        process = self.start("--param", "host_timeout=6", "--host", "h2:1,h3:2", "-n", "1", SPAWN, "plain",
                             env={"SPAWN_WAIT": "yes"}, stdin=-1)
        self.await_processes(process, "h2", SPAWN)
        control("kill h3")
        process.stdin.write(b"go\n")
        process.stdin.close()
        process.stdin = None
        begin = time.monotonic()
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("host h3 was lost", self.the_message(err.decode()))
        self.assertLess(time.monotonic() - begin, LIMIT / 2)


if __name__ == "__main__":
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", str(len(HOSTS)), __file__, *sys.argv[1:]])
    unittest.main(verbosity=2)
