#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""mpirun on several hosts (with_hosts): programs without MPI, and with messages between hosts. Runs in
the top build folder; MPIRUN and LAUNCHER_CLIENT name other binaries. Skipped where with_hosts is."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launcher"))
sys.dont_write_bytecode = True
from launcher import CLIENT, MPIRUN, PMI1_CLIENT, MpirunTest, is_sanitized

HOSTS = ["h1", "h2", "h3", "h4"]
LIMIT = 120  # seconds: only a hang takes as long
ALL = "h1:2,h2:2,h3:2,h4:2"

# What a job may leave nowhere: processes of it or of its daemons, and files. Run on each host.
LEFT = r"""
import os, sys
mark, names = sys.argv[1].encode(), (b"remit-guardian", b"--remit-daemon")
for pid in [p for p in os.listdir("/proc") if p.isdigit() and int(p) not in (os.getpid(), os.getppid())]:
    try:
        words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
        if mark in open(f"/proc/{pid}/environ", "rb").read() or any(name in words for name in names):
            print(pid, b" ".join(words).decode())
    except OSError:
        pass
for folder in (os.environ["TMPDIR"], "/dev/shm"):
    for name in os.listdir(folder):
        print(f"{folder}/{name}")
"""


def on_host(host, *words):
    return subprocess.run(["ssh", host, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, timeout=LIMIT, check=False).stdout


def left_on(hosts, mark):
    """What processes with this mark in their environment, and daemons, have left on each host."""
    script = pathlib.Path("/run/cluster/left.py")
    script.write_text(LEFT, encoding="ascii")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        words = pool.map(lambda host: on_host(host, f"python3 {script} {mark}"), hosts)
        return dict(zip(hosts, words))


def control(command):
    """Breaks something, and waits until it is broken."""
    done = pathlib.Path(os.environ["CLUSTER_CONTROL"] + ".done")
    before = len(done.read_text(encoding="ascii").splitlines())
    pathlib.Path(os.environ["CLUSTER_CONTROL"]).write_text(command + "\n", encoding="ascii")
    while len(done.read_text(encoding="ascii").splitlines()) == before:
        time.sleep(0.01)


class HostsTest(MpirunTest):
    hosts = HOSTS
    limit = LIMIT

    def setUp(self):
        self.mark = uuid.uuid4().hex
        self.environment = {**os.environ, "HOSTS_TEST": self.mark}

    def left(self):
        return left_on(self.hosts, self.mark)

    def tearDown(self):
        end = time.monotonic() + LIMIT
        left = self.left()
        while any(left.values()) and time.monotonic() < end:
            time.sleep(0.1)
            left = self.left()
        self.assertEqual(left, {host: "" for host in self.hosts})

    def await_processes(self, mpirun, host, name):
        """Until processes of this name run on the host; mpirun must not end before."""
        end = time.monotonic() + LIMIT
        while not on_host(host, f"pgrep -x {pathlib.Path(name).name}"):
            if mpirun.poll() is not None:
                self.fail(f"mpirun has ended with {mpirun.returncode}: {mpirun.communicate()}")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)


class Jobs(HostsTest):
    def test_each_rank_is_on_its_host(self):
        out, err = self.run_job("-l", "--host", ALL, "sh", "-c", "hostname")
        expected = [f"[{rank}] h{rank // 2 + 1}" for rank in range(8)]
        self.assertEqual((sorted(out.splitlines()), err), (expected, ""))

    def test_profiles_come_home(self):
        """Records and traces of all hosts are in the report, on one clock; nothing of them stays there
        (tearDown)."""
        program = str(pathlib.Path(MPIRUN).resolve().parent / "tests" / "profile" / "guilty")
        library = pathlib.Path(MPIRUN).resolve().parent / ".libs" / "libremit_profile.so"
        if is_sanitized(library):
            self.skipTest("programs without the sanitizer cannot load its library")
        with tempfile.TemporaryDirectory(dir="/run/cluster") as folder:
            _, err = self.run_job("--trace", "--profile-dir", folder, "--host", ALL, program,
                                  "late_sender", "5", "300")
            with open(f"{folder}/remit-profile.json", encoding="utf-8") as file:
                profile = json.load(file)
            self.assertEqual([rank["host"] for rank in profile["ranks"]],
                             [f"h{rank // 2 + 1}" for rank in range(8)], err)
            self.assertEqual(profile["largest"]["rank"], "5", profile["summary"])
            self.assertEqual(profile["largest"]["function"], "MPI_Recv", profile["summary"])
            trace = profile["trace"]
            self.assertEqual((trace["sent"], trace["received"], trace["messages"]), (7, 7, 7))
            self.assertGreater(trace["clocks_within_ns"], 0)
            self.assertLess(trace["clocks_within_ns"], 1e8)
            self.assertTrue(any("clocks of 4 hosts" in note for note in profile["notes"]),
                            profile["notes"])

    def test_every_shape_of_the_tree(self):
        for width in ("1", "2"):
            out, err = self.run_job("--param", f"launch_width={width}", "--host", "h2,h3,h4", CLIENT,
                                    "exchange")
            self.assertEqual(sorted(out.splitlines()), [f"rank {i} of 3 ok" for i in range(3)], err)

    def test_exchange_between_servers(self):
        for what in ("exchange", "direct", "publish"):
            out, err = self.run_job("--host", ALL, "-map-by", "node", CLIENT, what)
            self.assertEqual(len(out.splitlines()), 8, err)

    def test_programs_without_pmix(self):
        for words, mapping in ((["--host", "h1:2,h2:2,h3:1"], "(vector,(0,2,2),(2,1,1))"),
                               (["--host", "h2:2,h3:2", "--map-by", "node"], "(vector,(0,2,1),(0,2,1))")):
            out, err = self.run_job(*words, *PMI1_CLIENT, "exchange")
            size = len(out.splitlines())
            expected = [f"rank {rank} of {size} ok, {mapping}" for rank in range(5 if "h1" in words[1] else 4)]
            self.assertEqual((sorted(out.splitlines()), err), (expected, ""))

    def test_events(self):
        """PMIx_Notify_event: of each range, from mpirun's host and from another, to all hosts that it is for."""
        for hosts, teller, near in (("h1:2,h2:2", 0, {1}), ("h1:2,h2,h3", 2, set()), ("h2:2,h3:2", 3, {2}),
                                    ("h1,h2,h3,h4", 1, set())):
            for width in ("1", "32"):
                out, err = self.run_job("--param", f"launch_width={width}", "--host", hosts, CLIENT, "events",
                                        "0", str(teller))
                expected = []
                for rank in {0, 1, 2, 3} - {teller}:
                    words = ["local"] * (rank in near) + ["custom"] * (rank == 3) + ["namespace", "session", "end"]
                    expected.append(f"rank {rank} heard " + " ".join(f"{word}/{teller}" for word in words))
                self.assertEqual((sorted(out.splitlines()), err), (expected, ""), hosts)

    def test_job_control(self):
        """PMIx_Job_control: a signal, a pause and an end for a rank of the same host or of another, or for all."""
        for hosts, asker in (("h1:4", 0), ("h1:2,h2:2", 0), ("h1:2,h2:2", 2), ("h2,h3:3", 1), ("h1,h2,h3,h4", 1)):
            out, err = self.run_job("--param", "launch_width=1", "--host", hosts, CLIENT, "control", "0", str(asker))
            expected = ["rank 3 was signalled alone", "rank 3 was paused"]
            expected += [f"rank {rank} was signalled with all" for rank in range(4)]
            self.assertEqual((sorted(out.splitlines()), err), (sorted(expected), ""), hosts)
            for how, status, words in (("kill", 137, "signal 9 (Killed)"), ("terminate", 143, "signal 15 (Terminated)")):
                _, err = self.run_job("--host", hosts, CLIENT, "end-another", "0", str(asker), how, status=status)
                self.assertRegex(err, r"rank 3 \(pid .*was killed by " + re.escape(words) +
                                 rf", for which rank {asker} asked \(PMIx_Job_control\)")

    def test_keys_that_clients_read(self):
        out, _ = self.run_job("--host", "h1:2,h3", CLIENT, "keys")
        keys = [dict(word.split("=", 1) for word in line.split()) for line in sorted(out.splitlines())]
        self.assertEqual([(k["host"], k["local_rank"], k["nodes"], k["size"], k["peers"]) for k in
                          sorted(keys, key=lambda k: int(k["rank"]))],
                         [("h1", "0", "2", "3", "0,1"), ("h1", "1", "2", "3", "0,1"),
                          ("h3", "0", "2", "3", "2")])

    def test_hostfile_rankfile_and_relative_names(self):
        folder = pathlib.Path("/run/cluster")
        (folder / "hostfile").write_text("h1 slots=1\nh2 slots=2 max_slots=4\nh3:1\n", encoding="ascii")
        (folder / "ranks").write_text("rank 0=h3 slot=0\nrank 1=+n1 slot=0\n", encoding="ascii")
        show = ["-l", "hostname"]
        files = ["--hostfile", str(folder / "hostfile")]
        for words, expected in (([], "h1 h2 h2 h3"), (["--host", "+n1,h3"], "h2 h2 h3"),
                                (["-n", "3", "--nolocal"], "h2 h2 h3"), (["-ppn", "1"], "h1 h2 h3"),
                                (["--rankfile", str(folder / "ranks")], "h3 h2")):
            out, _ = self.run_job(*files, *words, *show)
            lines = sorted(out.splitlines())
            self.assertEqual(" ".join(line.split()[1] for line in lines), expected, words)
        _, err = self.run_job(*files, "-n", "5", "--display-map", "true")
        self.assertIn("note: more ranks than slots: h1 has 2 ranks and 1 slots", err)
        self.assertIn("rank 4 of 5 on host h3", err)
        _, err = self.run_job(*files, "--oversubscribe", "-n", "5", "true")
        self.assertEqual(err, "")

    def test_programs_on_hosts_of_their_own(self):
        out, _ = self.run_job("-l", "--host", "h2", "hostname", ":", "--host", "h4,h3", "-n", "2", "hostname")
        self.assertEqual(sorted(out.splitlines()), ["[0] h2", "[1] h4", "[2] h3"])

    def test_environment_directory_and_binding(self):
        out, _ = self.run_job("--host", "h2", "-x", "A=b c", "-wdir", "/usr", "--bind-to", "core", "sh", "-c",
                              "echo $A $PWD $(sed -n 's/Cpus_allowed_list:\\s*//p' /proc/self/status)")
        self.assertRegex(out, r"^b c /usr \d+\n$")


class Streams(HostsTest):
    def test_lines_are_whole_and_in_order(self):
        script = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $PMIX_RANK $i $PMIX_RANK; done; echo e >&2"
        out, err = self.run_job("--host", "h1,h2,h3,h4", "sh", "-c", script)
        seen = {rank: 0 for rank in range(4)}
        for line in out.splitlines():
            rank, number, again = map(int, line.split())
            self.assertEqual((rank, number), (again, seen[rank] + 1))
            seen[rank] = number
        self.assertEqual((set(seen.values()), err), ({3000}, "e\n" * 4))

    def test_a_slow_reader_holds_ranks_back(self):
        process = self.start("--host", "h2", "sh", "-c", "head -c 30000000 /dev/zero")
        time.sleep(1)
        out, _ = process.communicate(timeout=LIMIT)
        self.assertEqual((len(out), process.returncode), (30000000, 0))

    def test_last_words_when_output_is_not_read(self):
        process = self.start("--grace", "0.2", "--host", "h2", "yes")
        process.stdout.readline()
        process.terminate()
        process.wait(timeout=LIMIT)
        self.assertIn("interrupted by signal 15", self.the_message(process.stderr.read().decode()))

    def test_input(self):
        data = random.randbytes(3 << 20)
        digest = hashlib.sha256(data).hexdigest()
        empty = hashlib.sha256(b"").hexdigest()
        for who, readers in (("1", {1}), ("all", {0, 1, 2}), ("none", set())):
            out, _ = self.run_job("--host", "h1,h2,h3", "--stdin", who, "sh", "-c",
                                  "echo $PMIX_RANK $(sha256sum)", data=data)
            self.assertEqual(sorted(out.splitlines()),
                             [f"{rank} {digest if rank in readers else empty} -" for rank in range(3)])

    def test_input_that_nobody_reads(self):
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as source:
            out, err = self.run_job("--host", "h2,h1", "head", "-1", stdin=source.stdout)
            self.assertEqual((out, err), ("y\n", ""))
            source.kill()

    def test_files_of_ranks_are_where_mpirun_is(self):
        folder = pathlib.Path("/run/cluster/files")
        self.run_job("--host", "h1,h2", "-outfile-pattern", f"{folder}/%h", "hostname")
        self.assertEqual((folder / "h2.1").read_text(encoding="ascii"), "h2\n")

    def test_output_that_nobody_reads_any_more(self):
        process = self.start("--host", "h2", "sh", "-c", "while echo text; do :; done")
        process.stdout.readline()
        process.stdout.close()
        process.stdout = None
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGPIPE)


class Ends(HostsTest):
    def test_a_rank_that_fails(self):
        for script, status, words in (("exit 7", 7, "exited with status 7"),
                                      ("kill -SEGV $$", 139, "was killed by signal 11")):
            _, err = self.run_job("--host", "h1,h2,h3", "sh", "-c",
                                  f"test $PMIX_RANK = 2 || exec sleep 1000; {script}", status=status)
            # Of the others some may not have been started yet.
            self.assertRegex(self.the_message(err), rf"rank 2 \(pid \d+, sh\) on host h3 {words}[^;]*"
                             r"(; the other (2 ranks were|rank was) ended)?\.$")

    def test_abort(self):
        _, err = self.run_job("--host", "h1,h2", CLIENT, "abort", "5", "1", status=5)
        self.assertIn("aborted the job", self.the_message(err))

    def test_programs_that_are_not_there(self):
        _, err = self.run_job("--host", "h2,h3", "no-such-program", status=127)
        self.assertRegex(self.the_message(err), "on host h[23]: program 'no-such-program' not found")

    def test_a_program_without_its_library(self):
        """Why the loader gave it up is found on its host, and told once."""
        program = "/run/cluster/without_library"
        subprocess.run(["./bin/mpicc", "-norpath", "-x", "c", "-", "-o", program], check=True, text=True,
                       input="#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }")
        _, err = self.run_job("--host", "h2:2,h3:2", "-n", "4", program, status=127,
                              env={"LD_LIBRARY_PATH": ""})
        messages = self.own_messages(err)
        self.assertEqual(len(messages), 2, err)
        self.assertRegex(messages[0], "exited with status 127")
        self.assertIn(f"{program} needs libmpi_abi.so.1, which the loader does not find", messages[1])
        option = re.search(r"-x (LD_LIBRARY_PATH=\S*)\.$", messages[1]).group(1)
        self.run_job("--host", "h2:2,h3:2", "-n", "4", "-x", option, program)

    def test_a_program_with_two_libraries(self):
        """Its host says who has brought the other one."""
        def compiled(name, text, *options):
            path = f"/run/cluster/{name}"
            subprocess.run(["./bin/mpicc", "-norpath", "-x", "c", "-", "-x", "none", "-o", path, *options], check=True, text=True,
                           input=text)
            return path
        shared = ("-shared", "-fPIC", "-Wl,-soname,libmpi.so.99")
        program = compiled("two_libraries", "#include <mpi.h>\nint other(void);\n"
                           "int main(void) { MPI_Init(0, 0); MPI_Finalize(); return 3 + other(); }",
                           compiled("libmpi.so.99", "int other(void) { return 1; }", *shared))
        path = os.path.abspath("./.libs") + ":/run/cluster"
        _, err = self.run_job("--host", "h2:2,h3:2", "-n", "4", program, status=4, env={"LD_LIBRARY_PATH": path})
        messages = self.own_messages(err)
        self.assertEqual(len(messages), 2, err)
        self.assertRegex(messages[1], f"{program} has two MPI libraries .*/libmpi.so.99, which {program} needs")

    def test_daemons_that_cannot_start(self):
        _, err = self.run_job("--host", "h1,nowhere", "true", status=1)
        self.assertRegex(self.the_message(err), "host nowhere cannot be started: ssh ended with status 255: .*")
        _, err = self.run_job("--prefix", "/nonexistent", "--host", "h2", "true", status=1)
        self.assertRegex(err, "host h2 cannot be started: ssh ended with status 127: .*/nonexistent/bin/mpirun")
        _, err = self.run_job("--param", "launch_width=1", "--host", "h2,h3,nowhere", "true", status=1)
        self.assertIn("host nowhere cannot be started: ssh ended with status 255", err)
        _, err = self.run_job("--launcher-exec", "no-such-ssh", "--host", "h2", "true", status=1)
        self.assertIn("program 'no-such-ssh' not found", self.the_message(err))

    def started(self, *words):
        process = self.start(*words, "sh", "-c", "echo up; sleep 1000")
        for _ in range(3):
            self.assertEqual(process.stdout.readline(), b"up\n")
        return process

    def test_signals(self):
        for sent, status in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, -signal.SIGINT)):
            process = self.started("--host", "h1,h2,h3")
            process.send_signal(sent)
            _, err = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, status, err)
            self.assertIn("its 3 ranks were ended", self.the_message(err.decode()))
        process = self.start("--host", "h2", "sh", "-c", "trap 'echo got; exit' USR1; echo up; while :; do "
                             "sleep 0.05; done")
        self.assertEqual(process.stdout.readline(), b"up\n")
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.communicate(timeout=LIMIT)[0], b"got\n")

    def test_signals_while_daemons_are_started(self):
        for sent, status in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, -signal.SIGINT)):
            process = self.start("--launcher-exec", "tail -f /dev/null", "--host", "h2", "true")
            self.await_processes(process, "h1", "tail")
            process.send_signal(sent)
            _, err = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, status, err)
            self.assertIn("while the daemons were started", self.the_message(err.decode()))

    def test_signals_that_are_ignored(self):
        def ignore():
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
        process = self.start("--host", "h1,h2", "--stdin", "all", "sh", "-c", "echo up; read line; echo $line",
                             stdin=subprocess.PIPE, preexec_fn=ignore)
        while not select.select([process.stdout], [], [], 0.02)[0]:  # while daemons are started
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGHUP)
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)  # and while ranks run
        out, err = process.communicate(b"over\n", timeout=LIMIT)
        self.assertEqual((process.returncode, sorted(out.split()), err), (0, [b"over"] * 2 + [b"up"] * 2, b""))

    def test_mpirun_is_killed(self):
        process = self.started("--host", "h2,h3,h4")
        process.kill()
        process.communicate(timeout=LIMIT)

    def test_daemons_tell_each_other_that_mpirun_is_gone(self):
        """That of h2 cannot end while its guardians are stopped. It has told the one below, and that the next."""
        process = self.started("--host", "h2,h3,h4", "--param", "launch_width=1")
        on_host("h2", "pkill -STOP -x remit-guardian")
        process.kill()
        process.communicate(timeout=LIMIT)
        end = time.monotonic() + LIMIT
        while any(self.left()[host] for host in ("h3", "h4")):
            self.assertLess(time.monotonic(), end)
        self.assertRegex(self.left()["h2"], r"\d+ \S+ --remit-daemon")
        on_host("h2", "pkill -CONT -x remit-guardian")

    def test_a_daemon_is_killed(self):
        process = self.started("--host", "h2,h3,h4", "--param", "launch_width=1")
        on_host("h3", "pkill -9 -f -- --remit-daemon")
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("host h3 was lost", self.the_message(err.decode()))

    def test_timeout(self):
        _, err = self.run_job("--timeout", "3", "--host", "h1,h2", "sleep", "1000", status=124)
        self.assertIn("--timeout 3 seconds", err)
        self.assertRegex(err, r"\n +1 +h2 +\d+ .* asleep .* sleep ")


class Messages(HostsTest):
    """MPI between hosts, over the device that is chosen without a word."""

    def used(self, err, what):
        lines = [line for line in err.splitlines() if re.search(what, line)]
        return {re.search(r"rank \d+ \(\w+\)", line).group() for line in lines}

    def test_programs(self):
        heat = "examples/heat2d --size 64 --steps 20 --output none"
        for hosts, ranks, programs in (("h1,h2", 2, ["tests/mpi/pt2pt", "tests/mpi/types"]),
                                       ("h1:2,h2:2", 4, ["tests/mpi/intercomm", "examples/cg --cells 12", heat]),
                                       ("h1,h2,h3,h4", 4, ["tests/mpi/pt2pt", heat])):
            for program in programs:
                _, err = self.run_job("--host", hosts, *program.split(), env={"REMIT_STATISTICS": "yes"})
                self.assertEqual(len(self.used(err, "statistics: tcp: sends [1-9]")), ranks, err)
                inside = ranks if ":" in hosts else 0
                self.assertEqual(len(self.used(err, "statistics: shm: cells_sent [1-9]")), inside, err)

    def test_hosts_of_one_machine_share_its_cores(self):
        """As these do: their ranks are counted together. Bindings are their own, so none is bound."""
        cores = len(os.sched_getaffinity(0))
        for hosts, ranks in (("h1,h2", 2), ("h1,h2,h3,h4", 4), ("h1:2,h2:2", 4)):
            _, err = self.run_job("--host", hosts, "--report-bindings", "tests/mpi/pt2pt",
                                  env={"REMIT_STATISTICS": "yes"})
            word = "spins" if ranks <= cores else "yields its core"
            self.assertEqual(len(self.used(err, f"statistics: waiting: .*; a rank {word}")), ranks, err)
            self.assertEqual(len(re.findall(r"not bound", err)), ranks, err)

    def test_programs_over_libfabric(self):
        for hosts, ranks in (("h1,h2", 2), ("h1:2,h2:2", 4)):
            _, err = self.run_job("--host", hosts, "tests/mpi/pt2pt" if ranks == 2 else "tests/mpi/intercomm",
                                  env={"REMIT_STATISTICS": "yes", "REMIT_DEVICES": "shm,ofi"})
            self.assertEqual(len(self.used(err, "statistics: ofi: sends [1-9]")), ranks, err)

    def test_a_rank_that_does_without_mpi_keeps_nobody(self):
        for call, rank in (("barrier", "0"), ("barrier", "3"), ("allreduce", "1"), ("bcast", "2"), ("send", "3")):
            with tempfile.TemporaryDirectory(dir="/run/cluster") as folder:
                self.run_job("--host", "h1,h2,h3,h4", "tests/cluster/departs", call, rank, folder)

    def test_a_rank_aborts(self):
        _, err = self.run_job("--host", "h1,h2,h3", "tests/mpi/errors", "abort", status=42)
        self.assertRegex(self.the_message(err), "rank 0 .* on host h1 aborted the job with code 42: .*; the other 2")

    def test_a_rank_is_killed(self):
        process = self.start("--host", "h1,h2", "tests/launcher/stuck")
        self.await_processes(process, "h2", "tests/launcher/stuck")
        on_host("h2", "pkill -9 -x stuck")
        _, err = process.communicate(timeout=LIMIT)
        # Either news may come first: that of the host, or that of the rank that talked to it.
        self.assertIn(process.returncode, (137, 58), err)  # 58: MPI_ERR_PROC_ABORTED
        self.assertRegex(self.the_message(err.decode()), "rank 1 .* on host h2 was killed|"
                         "rank 0 .*: rank 1: .* on host h2 .*: its process has ended")


class Strangers(HostsTest):
    def test_garbage_is_dropped(self):
        process = self.start("--host", "h2,h3", "sh", "-c", "echo up; read line; echo $line", stdin=subprocess.PIPE)
        up = 0
        while up < 2:  # the rank without input may have ended by then
            self.assertIsNone(process.poll())
            up += process.stdout.readline() == b"up\n"
        listening = subprocess.run(["ss", "-Hltnp"], stdout=subprocess.PIPE, text=True, check=True).stdout
        port = int(re.search(rf":(\d+)\s.*pid={process.pid},", listening).group(1))
        for size in (0, 1, 47, 48, 200, 100000):
            with socket.create_connection(("h1", port), timeout=10) as stranger:
                try:
                    stranger.sendall(random.randbytes(size))
                    stranger.shutdown(socket.SHUT_WR)
                    self.assertEqual(stranger.recv(1000), b"")  # no word to who does not know ours
                except OSError:  # it was dropped meanwhile
                    pass
        out, err = process.communicate(b"over\n", timeout=LIMIT)
        self.assertEqual((process.returncode, out.split()), (0, [b"over"]), err)
        self.assertIn(b"mpirun: host h1: a connection from 10.77.0.1 was refused: it is no daemon\n", err)

    def test_the_secret_is_nowhere_to_be_read(self):
        process = self.start("--host", "h2", "sh", "-c", "echo up; sleep 1000")
        process.stdout.readline()
        texts = on_host("h2", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n'")
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                try:
                    texts += (entry / name).read_text(errors="replace").replace("\0", "\n")
                except OSError:
                    pass
        self.assertEqual(re.findall(r"\b[0-9a-f]{64}\b", texts), [])
        process.terminate()
        process.communicate(timeout=LIMIT)

    def test_a_daemon_without_mpirun(self):
        done = subprocess.run([MPIRUN, "--remit-daemon"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "a daemon is started by mpirun, which tells it what to do\n"))


class ZLostHosts(HostsTest):
    """Last: they break the cluster."""
    hosts = ["h1", "h2"]

    def lose(self, what):
        process = self.start("--param", "host_timeout=6", "--host", "h2,h3,h4", "sh", "-c", "echo up; sleep 1000")
        for _ in range(3):
            self.assertEqual(process.stdout.readline(), b"up\n")
        control(f"{what} h4")
        begin = time.monotonic()
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("host h4 was lost", self.the_message(err.decode()))
        return time.monotonic() - begin

    def test_1_a_cable_is_cut(self):
        self.assertLess(self.lose("cut"), LIMIT / 2)
        control("join h4")

    def test_2_a_host_dies(self):
        self.assertLess(self.lose("kill"), LIMIT / 2)

    def test_3_a_host_dies_while_ranks_talk(self):
        process = self.start("--param", "host_timeout=6", "--host", "h1,h3", "tests/launcher/stuck")
        self.await_processes(process, "h3", "stuck")
        control("kill h3")
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("host h3 was lost", self.the_message(err.decode()))


if __name__ == "__main__":
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", str(len(HOSTS)), __file__, *sys.argv[1:]])
    unittest.main(verbosity=2)
