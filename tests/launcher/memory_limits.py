#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# mpirun where memory is short: from the start (ulimit -v), or from some moment on. A job runs as ever,
# or ends with a message, behind all that its ranks have written; never in silence, never hanging, and
# nothing is left.
# Runs in the top build folder; MPIRUN and TRAPS_PROGRAM name other binaries.
import ctypes
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only, as in make distcheck

from launcher import LIMIT, MPIRUN, LauncherTest, is_sanitized, marked

PROGRAM = os.path.abspath(os.environ.get("TRAPS_PROGRAM", "./tests/mpi/pt2pt"))

# Writes numbered lines, and counts in a file those that it has written: the name, how many; waits
# before them until another file is there, and behind them, so that it does not end by itself, if told.
WRITER = r"""
import os, sys, time
folder, lines, stays = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "stays"
rank = os.environ["PMIX_RANK"]
open(f"{folder}/ready.{rank}", "w").close()
while not os.path.exists(f"{folder}/go"):
    time.sleep(0.01)
count = os.open(f"{folder}/count.{rank}", os.O_CREAT | os.O_WRONLY, 0o600)
for line in range(lines):
    os.write(1, b"rank %s line %06d %s\n" % (rank.encode(), line, b"x" * 60))
    os.pwrite(count, b"%06d" % (line + 1), 0)
while stays:
    time.sleep(1)
"""


def address_space(pid):
    with open(f"/proc/{pid}/status") as file:
        return 1024 * int(re.search(r"VmSize:\s+(\d+) kB", file.read()).group(1))


class MemoryLimits(LauncherTest):
    def setUp(self):
        super().setUp()
        options = os.environ.get("ASAN_OPTIONS", "")
        self.environment["ASAN_OPTIONS"] = options + ":detect_leaks=0"
        if is_sanitized(MPIRUN):
            self.skipTest("a sanitizer takes terabytes of address space")

    # From the start.

    def limited(self, kilobytes, *command):
        return subprocess.run(["sh", "-c", f'ulimit -c 0; ulimit -v {kilobytes}; exec "$0" "$@"', *command],
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=2 * LIMIT, check=False)

    def sweep(self, limits, right, *command):
        """Each run succeeds with the right output, or says why not. Returns the limits that sufficed."""
        enough = []
        for limit in limits:
            with self.subTest(limit=limit):
                done = self.limited(limit, MPIRUN, "-n", "2", *command)
                if done.returncode == 0:
                    right(done.stdout)
                    enough.append(limit)
                else:
                    self.assertNotEqual(done.stderr.strip(), "", f"status {done.returncode} in silence")
                    # The latter: before main() is reached.
                    self.assertRegex(done.stderr, "(?m)^mpirun: |error while loading shared libraries|"
                                     "terminate called", f"status {done.returncode}")
                self.assert_nothing_left()
        return enough

    def test_every_limit_with_a_program_without_mpi(self):
        def right(out):
            self.assertEqual(sorted(out.splitlines()), ["rank 0", "rank 1"])
        limits = [*range(10000, 100000, 3000), *range(100000, 400001, 50000)]
        enough = self.sweep(limits, right, "sh", "-c", "echo rank $PMIX_RANK")
        self.assertIn(200000, enough)

    def test_every_limit_with_mpi(self):
        def right(out):
            self.assertEqual(out.count("passed (2 ranks)"), 1, out)
        self.sweep(range(30000, 400001, 10000), right, PROGRAM)

    def test_few_processes(self):
        """The other limit of threads."""
        user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        if os.getuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("only root can become another user")
        os.chmod(self.temporary, 0o777)
        if subprocess.run([*user, "test", "-x", MPIRUN], check=False).returncode != 0:
            self.skipTest("the build folder is closed to other users")
        job = 'ulimit -u %d; exec "$0" -n 2 sh -c "echo rank \\$PMIX_RANK"'
        good = 0
        for processes in range(1, 30, 2):
            done = subprocess.run([*user, "bash", "-c", job % processes, MPIRUN], env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, timeout=2 * LIMIT, check=False)
            if done.returncode == 0:
                self.assertEqual(sorted(done.stdout.splitlines()), ["rank 0", "rank 1"])
                good += 1
            else:
                self.assertIn("'ulimit -u'", self.the_message(done.stderr))
        self.assertGreater(good, 0)

    # From some moment on.

    def start_writers(self, lines, *, stays=False, ranks=2):
        folder = os.path.join(self.temporary, "writers")
        os.mkdir(folder)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        job = self.start("-n", str(ranks), sys.executable, "-c", WRITER, folder, str(lines),
                         "stays" if stays else "ends")
        end = time.monotonic() + LIMIT
        while len(os.listdir(folder)) < ranks and time.monotonic() < end:
            time.sleep(0.01)
        return job, folder

    def leave(self, job, more):
        """mpirun may take so many bytes more than it has, or less."""
        resource.prlimit(job.pid, resource.RLIMIT_AS, (max(address_space(job.pid) + more, 1), -1))

    def go(self, folder):
        open(os.path.join(folder, "go"), "w").close()

    def written(self, folder, rank):
        try:
            with open(os.path.join(folder, f"count.{rank}")) as file:
                return int(file.read() or 0)
        except FileNotFoundError:
            return 0

    def check_output(self, folder, out, ranks=2):
        """All lines that ranks have written are there, in their order; a last one may be in parts."""
        for rank in range(ranks):
            numbers = [int(n) for n in re.findall(rf"^rank {rank} line (\d+) x{{60}}$", out, re.M)]
            self.assertEqual(numbers, list(range(len(numbers))))
            self.assertGreaterEqual(len(numbers), self.written(folder, rank))

    def end_of(self, job, folder, *, whole=True):
        out, err = (stream.decode() for stream in job.communicate(timeout=2 * LIMIT))
        if whole:
            self.check_output(folder, out)
        shutil.rmtree(folder)
        self.assert_nothing_left()
        return out, err

    def test_without_memory_for_a_thread(self):
        """Output that its own thread would write is written without it."""
        job, folder = self.start_writers(20000)
        self.leave(job, 6 << 20)  # the stack of a thread has 8
        self.go(folder)
        time.sleep(0.5)  # nobody reads
        out, err = self.end_of(job, folder)
        self.assertEqual((job.returncode, err), (0, ""))
        self.assertEqual(len(out.splitlines()), 40000)

    def test_interrupted_without_memory_for_a_thread(self):
        job, folder = self.start_writers(20000, stays=True)
        self.leave(job, 6 << 20)
        self.go(folder)
        time.sleep(0.5)
        job.send_signal(signal.SIGINT)
        _, err = self.end_of(job, folder)
        self.assertIn("interrupted by signal 2", self.the_message(err))

    def test_out_of_memory_in_the_middle(self):
        """What was kept back for that is enough to end the job as any other."""
        job, folder = self.start_writers(100000)
        self.leave(job, -(1 << 20))
        self.go(folder)
        time.sleep(0.5)  # nobody reads
        out, err = self.end_of(job, folder)
        self.assertNotEqual(out, "")
        self.assertEqual(job.returncode, 1, err)
        self.assertRegex(self.the_message(err), r"mpirun: out of memory; .* \('ulimit -v'\): .* ranks were ended")

    def test_out_of_memory_again_and_again(self):
        for _ in range(5):
            job, folder = self.start_writers(20000)
            self.leave(job, -(16 << 20))
            self.go(folder)
            out, err = self.end_of(job, folder, whole=False)
            if job.returncode == 0:  # it needed none
                self.assertEqual(len(out.splitlines()), 40000)
            else:
                self.assertRegex(self.the_message(err), "mpirun: (out of memory|it crashed)")

    def test_guardian_out_of_memory(self):
        job, folder = self.start_writers(100, stays=True)
        guardian, = [pid for pid, parent in marked(self.mark) if parent == job.pid]
        resource.prlimit(guardian, resource.RLIMIT_AS, (1, -1))
        self.go(folder)
        time.sleep(0.2)
        job.send_signal(signal.SIGTERM)
        _, err = self.end_of(job, folder)
        self.assertRegex(err, "mpirun: (interrupted by signal 15|the guardian process ran out of memory)")

    # Crashes, for which too little memory is one reason.

    def test_crash_of_a_thread(self):
        """It is the main thread that ends the job."""
        job, folder = self.start_writers(20000, stays=True)
        self.go(folder)
        while self.written(folder, 0) + self.written(folder, 1) < 10000:
            time.sleep(0.01)
        others = [int(thread) for thread in os.listdir(f"/proc/{job.pid}/task") if int(thread) != job.pid]
        self.assertNotEqual(others, [])
        libc = ctypes.CDLL(None)
        tgkill = {"x86_64": 234, "aarch64": 131}[platform.machine()]
        self.assertEqual(libc.syscall(tgkill, job.pid, min(others), signal.SIGSEGV), 0)
        out, err = self.end_of(job, folder)
        self.assertGreater(len(out.splitlines()), 9000)
        self.assertEqual(job.returncode, 1)
        self.assertRegex(self.the_message(err), r"it crashed \(segmentation fault\), or a library did")

    def test_crash_of_the_main_thread(self):
        job, folder = self.start_writers(100, stays=True)
        self.go(folder)
        job.send_signal(signal.SIGBUS)
        _, err = self.end_of(job, folder, whole=False)
        self.assertEqual(job.returncode, -signal.SIGBUS)
        self.assertRegex(self.the_message(err), r"it crashed \(bus error\), or a library did")


if __name__ == "__main__":
    unittest.main(verbosity=2)
