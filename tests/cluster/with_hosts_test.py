#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The hosts of with_hosts: separate, connected with each other and nothing else, and gone at the end,
whatever the end is."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import uuid

WITH_HOSTS = str(pathlib.Path(__file__).with_name("with_hosts"))
LIMIT = 120  # seconds: only a hang takes as long
SKIP = 77


def marked(mark):
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int(entry.name) != os.getpid() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


class Hosts(unittest.TestCase):
    def setUp(self):
        self.mark = uuid.uuid4().hex
        self.environment = {**os.environ, "HOSTS_TEST": self.mark}
        self.mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")

    def tearDown(self):
        end = time.monotonic() + LIMIT
        while marked(self.mark) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(marked(self.mark), [], "processes are left")
        self.assertEqual(pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8"), self.mounts)
        self.assertFalse(pathlib.Path("/run/cluster").exists())

    def run_on(self, hosts, script, status=0):
        done = subprocess.run([WITH_HOSTS, "-n", str(hosts), "sh", "-c", script], env=self.environment,
                              stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout.splitlines()

    def start(self, script):
        process = subprocess.Popen([WITH_HOSTS, "sh", "-c", script], env=self.environment,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "up\n")
        return process

    def test_each_host_is_its_own(self):
        lines = self.run_on(3, 'for h in h1 h2 h3; do ssh $h \'touch /dev/shm/$(hostname); '
                               'echo $(hostname) $TMPDIR $(ls /dev/shm)\'; done')
        self.assertEqual(lines, [f"h{i} /run/cluster/h{i}/tmp h{i}" for i in (1, 2, 3)])

    def test_no_way_out(self):
        lines = self.run_on(2, "ip route; ip -o link | grep -c .")
        self.assertEqual(lines, ["10.77.0.0/16 dev eth0 proto kernel scope link src 10.77.0.1 ", "2"])

    def test_status(self):
        self.run_on(1, "exit 7", status=7)
        self.run_on(1, "kill -9 $$", status=128 + signal.SIGKILL)
        self.run_on(2, "ssh h2 exit 9", status=9)

    def test_hosts_that_die_and_cables(self):
        reach = "ssh -o ConnectTimeout=2 h2 true 2>/dev/null; echo $?"
        said = "until [ $(grep -c . $CLUSTER_CONTROL.done) = %d ]; do sleep 0.05; done"
        words = ["cut h2", "join h2", "block h2", "join h2", "kill h2"]
        lines = self.run_on(2, "".join(f"echo {word} >$CLUSTER_CONTROL; {said % (i + 1)}; {reach}; "
                                       for i, word in enumerate(words)) + "cat $CLUSTER_CONTROL.done")
        self.assertEqual(lines, ["255", "0", "255", "0", "255", *(f"{word}: done" for word in words)])

    def test_nothing_survives_a_signal(self):
        for ending in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            process = self.start("ssh h2 'setsid sleep 1000 >/dev/null 2>&1 & echo up'; sleep 1000")
            process.send_signal(ending)
            self.assertEqual(process.wait(LIMIT), -ending)
            self.tearDown()

    def test_what_the_kernel_lacks_is_said(self):
        done = subprocess.run([WITH_HOSTS, "--delay", "1ms", "true"], env=self.environment, check=False,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertIn(done.returncode, (0, SKIP))
        self.assertEqual("sch_netem" in done.stderr, done.returncode == SKIP)


if __name__ == "__main__":
    if subprocess.run([WITH_HOSTS, "true"], check=False).returncode == SKIP:
        sys.exit(SKIP)
    unittest.main(verbosity=2)
