#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Remit in a cluster of Slurm (with_hosts --slurm): programs that srun starts, and mpirun inside of
allocations. Runs in the top build folder; skipped where Slurm is not installed."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from launcher_hosts import LEFT, HostsTest, control
from launcher import CLIENT, MPIRUN

LIMIT = 60  # seconds: only a hang takes as long
# Named: a node that is still completing a job would be passed over.
TWO = ["-N2", "-wh1,h2"]
THREE = ["-N3", "-wh1,h2,h3"]
HEAT = "examples/heat2d --size 64 --steps 20 --output none"
FOLDER = pathlib.Path("/run/cluster/files")


class SlurmTest(HostsTest):
    limit = LIMIT
    hosts = ["h1", "h2", "h3", "h4"]

    def stop(self, process):
        if process.poll() is None:  # the test has failed
            subprocess.run(["scancel", "-u", "root"], check=False)
        super().stop(process)

    def on_hosts(self, *words, job=None, hosts=None):
        """What a command writes on each host, as a step of this job, or as a job of its own."""
        hosts = hosts or self.hosts
        command = ["srun", "-Q", "-l", "--overlap", "--mpi=none", f"-N{len(hosts)}", f"-w{','.join(hosts)}",
                   "--ntasks-per-node=1", *([f"--jobid={job}"] if job else []), *words]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=LIMIT,
                              check=True)
        texts = {host: "" for host in hosts}
        for line in done.stdout.splitlines():
            task, text = line.split(":", 1)
            texts[hosts[int(task)]] += text.strip() + "\n"
        return texts

    def left(self):
        return self.on_hosts("python3", "-c", LEFT, self.mark)

    def start(self, *words, **options):
        """Any command, not mpirun alone."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        options["env"] = {**self.environment, **options.get("env", {})}
        process = subprocess.Popen(words, start_new_session=True, **options)
        self.addCleanup(self.stop, process)
        return process

    def job_of(self, process):
        """The number of the job that a command was given: that of the newest."""
        end = time.monotonic() + LIMIT
        while True:
            self.assertIsNone(process.poll())
            jobs = subprocess.run(["squeue", "-h", "-o", "%A"], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.split()
            if jobs:
                return max(jobs, key=int)
            self.assertLess(time.monotonic(), end)

    def await_steps(self, job, name):
        """The numbers of the steps of a job that have this name and run, as soon as there are some."""
        end = time.monotonic() + LIMIT
        while True:
            lines = subprocess.run(["squeue", "-h", "-s", "-j", job, "-o", "%i %j"], stdout=subprocess.PIPE,
                                   text=True, check=True).stdout.splitlines()
            steps = [line.split()[0] for line in lines if line.split()[1] == name]
            if steps:
                return steps
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def await_ranks(self, job, name, hosts, each):
        end = time.monotonic() + LIMIT
        while self.on_hosts("sh", "-c", f"pgrep -xc {name}; true", job=job, hosts=hosts) != {
                host: f"{each}\n" for host in hosts}:
            self.assertLess(time.monotonic(), end)

    def used(self, err, what):
        lines = [line for line in err.splitlines() if re.search(what, line)]
        return {re.search(r"rank \d+ \(\w+\)", line).group() for line in lines}


class Srun(SlurmTest):
    """srun --mpi=pmix starts programs without mpirun."""

    def test_hello(self):
        out, err = self.run_job("srun", "-Q", "--mpi=pmix", "-N4", "--ntasks-per-node=2", "examples/hello")
        self.assertEqual((sorted(out.splitlines()), err), ([f"hello from rank {i} of 8" for i in range(8)], ""))

    def test_programs(self):
        for nodes, each, programs in ((2, 1, ["tests/mpi/pt2pt"]), (3, 1, [HEAT, "tests/mpi/coll"]),
                                      (2, 2, ["tests/mpi/pt2pt", "examples/cg --cells 12"]),
                                      (3, 2, ["tests/mpi/coll", "tests/mpi/session"])):
            for program in programs:
                _, err = self.run_job("srun", "-Q", "--mpi=pmix", f"-N{nodes}", f"--ntasks-per-node={each}",
                                      *program.split(), env={"REMIT_STATISTICS": "yes"})
                ranks = nodes * each
                self.assertEqual(len(self.used(err, "statistics: tcp: sends [1-9]")), ranks, err)
                inside = ranks if each > 1 else 0
                self.assertEqual(len(self.used(err, "statistics: shm: cells_sent [1-9]")), inside, err)

    def test_a_rank_aborts(self):
        _, err = self.run_job("srun", "-Q", "--mpi=pmix", "-N3", "--ntasks-per-node=1", "tests/mpi/errors", "abort",
                              status=42)
        self.assertIn("MPI_Abort(MPI_COMM_WORLD, 42) was called", err)

    def test_a_rank_is_killed(self):
        # Without -K Slurm lets the others wait for one that dies before MPI_Init.
        process = self.start("srun", "-Q", "-K", "--mpi=pmix", *TWO, "--ntasks-per-node=2", "tests/launcher/stuck")
        job = self.job_of(process)
        self.await_steps(job, "stuck")
        self.await_ranks(job, "stuck", ["h1", "h2"], 2)
        self.run_job("srun", "-Q", "--overlap", f"--jobid={job}", "-N1", "-n1", "-wh2", "pkill", "-9", "-x", "stuck")
        _, err = process.communicate(timeout=LIMIT)
        self.assertNotEqual(process.returncode, 0, err)

    def test_scancel(self):
        process = self.start("srun", "-Q", "--mpi=pmix", "-N4", "--ntasks-per-node=2", "tests/launcher/stuck")
        job = self.job_of(process)
        self.await_steps(job, "stuck")
        self.await_ranks(job, "stuck", self.hosts, 2)
        self.run_job("scancel", job)
        _, err = process.communicate(timeout=LIMIT)
        self.assertNotEqual(process.returncode, 0, err)

    def test_without_pmix_it_is_no_job_of_one(self):
        process = self.start("srun", "-Q", "--mpi=none", "-N2", "-n4", "examples/hello")
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual((process.returncode, out), (1, b""), err)
        self.assertIn(b"start it with 'srun --mpi=pmix'", err)


class Allocations(SlurmTest):
    """mpirun inside of salloc and sbatch takes hosts and slots from Slurm, and srun for ssh."""

    def show(self, options, *words):
        out, err = self.run_job("salloc", "-Q", *options, MPIRUN, "-l", *words, "hostname")
        self.assertEqual(err, "")
        lines = [line.split() for line in out.splitlines()]
        return " ".join(host for _, host in sorted(lines, key=lambda line: int(line[0].strip("[]"))))

    def test_hosts_and_slots(self):
        FOLDER.mkdir(exist_ok=True)
        hostfile = FOLDER / "hostfile"
        hostfile.write_text("h3\nh1 slots=1\n", encoding="ascii")
        three = [*THREE, "--ntasks-per-node=2"]
        for options, words, expected in (
                (three, [], "h1 h1 h2 h2 h3 h3"), (three, ["-n", "4"], "h1 h1 h2 h2"),
                (three, ["-ppn", "1"], "h1 h2 h3"), (three, ["--map-by", "node"], "h1 h2 h3 h1 h2 h3"),
                (three, ["--host", "h3,h1:1"], "h3 h3 h1"), (three, ["--host", "+n1"], "h2 h2"),
                (three, ["--hostfile", str(hostfile)], "h3 h3 h1"), (three, ["--nolocal"], "h2 h2 h3 h3"),
                (["-N1", "-n3"], [], "h1 h1 h1"), (["-wh2,h4", "-N2", "-n2"], [], "h2 h4")):
            self.assertEqual(self.show(options, *words), expected, (options, words))
        self.assertEqual(len(self.show(["-N2", "-n3"]).split()), 3)

    def test_hosts_that_were_not_allocated(self):
        FOLDER.mkdir(exist_ok=True)
        hostfile = FOLDER / "others"
        hostfile.write_text("h1\nh4\n", encoding="ascii")
        for words in (["--host", "h1,h4"], ["--hostfile", str(hostfile)]):
            _, err = self.run_job("salloc", "-Q", *TWO, MPIRUN, *words, "true", status=2)
            self.assertRegex(self.the_message(err), "host h4 is not in the allocation of Slurm's job [0-9]+, "
                             "which is h1,h2$")
        _, err = self.run_job(MPIRUN, "--launcher-exec", "srun", "--host", "h1,h2", "true", status=2)
        self.assertIn("there is no allocation", self.the_message(err))

    def test_batch(self):
        FOLDER.mkdir(exist_ok=True)
        script = f"{MPIRUN} -l hostname; srun --mpi=none -N1 -n1 {MPIRUN} -n 2 -l hostname"
        self.run_job("sbatch", "--wait", "-N3", "--ntasks-per-node=2", "-wh2,h3,h4", "-o", f"{FOLDER}/out",
                     "--wrap", script)
        out = (FOLDER / "out").read_text(encoding="ascii")
        ranks = [f"[{rank}] h{2 + rank // 2}" for rank in range(6)]
        self.assertEqual(sorted(out.splitlines()), sorted([*ranks, *ranks[:2]]))

    def test_programs(self):
        for program in ("tests/mpi/pt2pt", HEAT):
            _, err = self.run_job("salloc", "-Q", "-N2", "--ntasks-per-node=2", MPIRUN, *program.split(),
                                  env={"REMIT_STATISTICS": "yes"})
            self.assertEqual(len(self.used(err, "statistics: tcp: sends [1-9]")), 4, err)
            self.assertEqual(len(self.used(err, "statistics: shm: cells_sent [1-9]")), 4, err)

    def test_input_and_exchange(self):
        two = ["salloc", "-Q", "-N2", "-n2", MPIRUN]
        data = os.urandom(1 << 20)
        out, _ = self.run_job(*two, "--stdin", "all", "wc", "-c", data=data)
        self.assertEqual(out.split(), [str(len(data))] * 2)
        for width in ("1", "32"):  # with 1 a daemon starts the next one
            out, err = self.run_job("salloc", "-Q", "-N4", "-n8", MPIRUN, "--param", f"launch_width={width}",
                                    CLIENT, "exchange")
            self.assertEqual((len(out.splitlines()), err), (8, ""))

    def test_steps_beside(self):
        """A step that has all processors keeps no daemon waiting."""
        self.run_job("salloc", "-Q", "-N2", "--ntasks-per-node=8", "sh", "-c",
                     f"srun sleep 1000 & sleep 1; {MPIRUN} -n 12 true; status=$?; kill $!; wait $!; exit $status")

    def test_a_command_of_ones_own(self):
        out, _ = self.run_job("salloc", "-Q", "-wh2,h3", "-N2", "-n2", MPIRUN, "--launcher-exec",
                              "srun --job-name=daemons", "sh", "-c", "squeue -h -s -o %j | grep -c daemons")
        self.assertEqual(out.split(), ["1", "1"])
        if pathlib.Path("/usr/sbin/sshd").exists():
            out, _ = self.run_job("salloc", "-Q", "-N2", "-n2", MPIRUN, "--launcher-exec", "ssh", "sh", "-c",
                                  "squeue -h -s -o %j | grep -c mpirun; true")
            self.assertEqual(out.split(), ["0", "0"])


class Ends(SlurmTest):
    def started(self, *words):
        """Three ranks that sleep; the process, and its job."""
        process = self.start("salloc", "-Q", *THREE, "-n3", MPIRUN, *words, "sh", "-c", "echo up; exec sleep 1000")
        for _ in range(3):
            self.assertEqual(process.stdout.readline(), b"up\n")
        return process, self.job_of(process)

    def end_of(self, process):
        _, err = process.communicate(timeout=LIMIT)
        self.assertNotEqual(process.returncode, 0, err)
        return self.the_message(err.decode())

    def test_a_rank_fails(self):
        _, err = self.run_job("salloc", "-Q", *THREE, "-n3", MPIRUN, "sh", "-c",
                              "test $PMIX_RANK = 2 || exec sleep 1000; exit 7", status=7)
        self.assertRegex(self.the_message(err), "rank 2 .* on host h3 exited with status 7")

    # A step is killed at once. Else either news may come first: that a daemon was asked to end, or that
    # a rank was.
    CANCELLED = "host h[23] was lost|told to end by signal 15|was killed by signal (9|15)|interrupted by signal 15"

    def test_a_job_is_cancelled(self):
        process, job = self.started()
        self.run_job("scancel", job)
        self.assertRegex(self.end_of(process), self.CANCELLED)

    def test_a_step_is_cancelled(self):
        process, job = self.started()
        self.run_job("scancel", self.await_steps(job, "mpirun")[0])
        self.assertRegex(self.end_of(process), self.CANCELLED)

    def test_a_batch_job_is_cancelled(self):
        FOLDER.mkdir(exist_ok=True)
        process = self.start("sbatch", "--wait", *THREE, "-n3", "-o", f"{FOLDER}/cancelled", "--wrap",
                             f"{MPIRUN} sh -c 'echo up; exec sleep 1000'; echo status $?")
        end = time.monotonic() + LIMIT
        while not (FOLDER / "cancelled").exists() or (FOLDER / "cancelled").read_text().count("up") < 3:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.run_job("scancel", self.job_of(process))
        process.communicate(timeout=LIMIT)
        self.assertRegex((FOLDER / "cancelled").read_text(), self.CANCELLED)

    def test_mpirun_is_killed(self):
        process, _ = self.started()
        subprocess.run(["pkill", "-9", "-f", f"^{MPIRUN} sh"], check=True)
        process.communicate(timeout=LIMIT)

    def test_a_daemon_is_killed(self):
        process, job = self.started()
        self.run_job("srun", "-Q", "--overlap", f"--jobid={job}", "-N1", "-n1", "-wh3", "pkill", "-9", "-f",
                     "--", "^.*mpirun --remit-daemon")
        self.assertIn("host h3 was lost", self.end_of(process))

    def test_daemons_that_cannot_start(self):
        _, err = self.run_job("salloc", "-Q", *THREE, MPIRUN, "--prefix", "/nonexistent", "true", status=1)
        self.assertRegex(err, r"the daemons of hosts h2,h3 cannot be started: srun ended with status \d+: "
                         r"[\s\S]*/nonexistent/bin/mpirun")

    def test_the_secret_is_nowhere_to_be_read(self):
        process, job = self.started()
        look = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'"
        texts = self.on_hosts("sh", "-c", look + " | grep -E '[0-9a-f]{64}'; true", job=job, hosts=["h1", "h2", "h3"])
        self.assertEqual(set(texts.values()), {""})
        self.run_job("scancel", job)
        process.communicate(timeout=LIMIT)


class ZLostHosts(SlurmTest):
    """Last: it breaks the cluster."""
    hosts = ["h1", "h2", "h3"]

    def test_a_host_dies(self):
        process = self.start("salloc", "-Q", "-N3", "-n3", "-wh2,h3,h4", MPIRUN, "--param", "host_timeout=6",
                             "sh", "-c", "echo up; exec sleep 1000")
        for _ in range(3):
            self.assertEqual(process.stdout.readline(), b"up\n")
        control("kill h4")
        begin = time.monotonic()
        _, err = process.communicate(timeout=LIMIT)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("host h4 was lost", self.the_message(err.decode()))
        self.assertLess(time.monotonic() - begin, LIMIT / 2)
        # Slurm would wait for that host before it calls the job over and gives the others away.
        self.run_job("scontrol", "update", "NodeName=h4", "State=DOWN", "Reason=dead")


if __name__ == "__main__":
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", str(len(SlurmTest.hosts)), "--slurm", __file__,
                                       *sys.argv[1:]])
    unittest.main(verbosity=2)
