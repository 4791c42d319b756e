#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# What mpirun does with its streams and those of the ranks, and as the job of a terminal.
# Runs in the top build folder; MPIRUN names another binary.
import array
import hashlib
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

sys.dont_write_bytecode = True  # the source folder may be read-only

from launcher import LIMIT, MPIRUN, LauncherTest, marked


class Streams(LauncherTest):
    READER = 'if [ $PMIX_RANK = 0 ]; then sha256sum; else wc -c; fi'

    def test_input_goes_to_rank_0_exactly(self):
        data = os.urandom(1 << 20) * 64
        digest = hashlib.sha256(data).hexdigest()
        process = self.start("-n", "3", "sh", "-c", self.READER, stdin=subprocess.PIPE)
        out, _ = process.communicate(data, timeout=LIMIT)
        self.assertEqual(sorted(out.decode().split()), sorted([digest, "-", "0", "0"]))
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            process = self.start("-n", "2", "sh", "-c", self.READER, stdin=file)
            out, _ = process.communicate(timeout=LIMIT)
        self.assertIn(digest, out.decode())

    def test_input_that_nobody_reads_stays(self):
        script = f"{MPIRUN} -n 2 true; cat"
        process = subprocess.run(["sh", "-c", script], input=b"one\ntwo\n", timeout=LIMIT,
                                 stdout=subprocess.PIPE, env=self.environment)
        self.assertEqual(process.stdout, b"one\ntwo\n")

    def test_much_output_in_whole_lines(self):
        # Lines of 1 to about 3000 bytes, 4 MB from each of 16 ranks.
        program = ("import os, sys\n"
                   "rank = os.environ['PMIX_RANK']; total = 0; i = 0\n"
                   "while total < 1 << 22:\n"
                   "    line = f'{rank} {i} ' + 'x' * (i * 7919 % 3000) + '.\\n'\n"
                   "    sys.stdout.write(line); total += len(line); i += 1\n"
                   "sys.stdout.write(f'{rank} {i} end.')\n")
        process = self.start("-n", "16", "-l", sys.executable, "-c", program)
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual((process.returncode, err), (0, b""))
        self.assertGreater(len(out), 1 << 26)
        following = [0] * 16
        ended = 0
        for line in out.decode().splitlines():
            match = re.fullmatch(r"\[(\d+)\] (\d+) (\d+) (x*|end)\.", line)
            self.assertTrue(match, line[:100])
            rank, number = int(match[1]), int(match[3])
            self.assertEqual((rank, number), (int(match[2]), following[rank]))
            following[rank] += 1
            if match[4] == "end":
                ended += 1
            else:
                self.assertEqual(len(match[4]), number * 7919 % 3000)
        self.assertEqual(ended, 16)

    def test_streams_are_separate(self):
        out, err = self.run_job("-n", "2", "sh", "-c", "echo out; echo err >&2; printf end")
        self.assertEqual(sorted(re.findall("out|end", out)), ["end", "end", "out", "out"])
        self.assertEqual(err, "err\nerr\n")

    def test_own_words_begin_a_line(self):
        """A rank that dies in the middle of a line does not hide what mpirun says of it."""
        for words, shown in (("printf half >&2; kill -9 $$", ""), ("printf half; kill -9 $$", "half")):
            out, err = self.run_job("-n", "1", "sh", "-c", words, status=137)
            self.assertEqual(out, shown)
            self.assertIn("rank 0", self.the_message(err))
            self.assertEqual(err.startswith("half\nmpirun: "), shown == "", err)
        both = self.start("-n", "1", "sh", "-c", "printf half; kill -9 $$", stderr=subprocess.STDOUT)
        self.assertRegex(both.communicate(timeout=self.limit)[0], b"^half\nmpirun: rank 0")

    def test_last_line_without_newline_and_long_lines(self):
        out, _ = self.run_job("printf", "a\nno newline")
        self.assertEqual(out, "a\nno newline")
        out, _ = self.run_job(sys.executable, "-c", "print('y' * 3000000, end='')")
        self.assertEqual(out, "y" * 3000000)

    def test_slow_reader_holds_the_ranks_back(self):
        process = self.start("--grace", "0.5", "-n", "4", "head", "-c", "20000000", "/dev/zero")
        time.sleep(2.5)  # longer than --grace, twice
        with open(f"/proc/{process.pid}/status") as file:
            resident = int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1])
        self.assertLess(resident, 60000)
        total = 0
        while chunk := process.stdout.read(1 << 20):
            total += len(chunk)
        process.wait(LIMIT)
        self.assertEqual((process.returncode, total), (0, 80000000))

    def test_output_waits_for_a_reader_after_the_ranks_ended(self):
        size = 1100000  # fills mpirun's queue and a part of the rank's pipe; then the rank is gone
        process = self.start("--grace", "0.1", "sh", "-c",
                             f"head -c {size} /dev/zero | tr '\\0' y")
        time.sleep(2)
        out = process.stdout.read()
        process.wait(LIMIT)
        self.assertEqual((process.returncode, out), (0, b"y" * size))

    def test_pipe_held_from_outside(self):
        # A process that is no descendant of mpirun holds the rank's output open.
        script = ("import os, socket, array\n"
                  "s = socket.socket(socket.AF_UNIX); s.connect('\\0' + os.environ['HOLDER'])\n"
                  "s.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [1]))])\n"
                  "s.recv(1); print('end')\n")
        name = "launcher-test-" + uuid.uuid4().hex
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("\0" + name)
            listener.listen(1)
            process = self.start("--grace", "0.2", sys.executable, "-c", script,
                                 env={"HOLDER": name})
            connection, _ = listener.accept()
            message, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(4))
            held = array.array("i", ancillary[0][2])[0]
            connection.send(b"x")
            out, _ = process.communicate(timeout=LIMIT)
            os.close(held)
            connection.close()
        self.assertEqual((process.returncode, out), (0, b"end\n"))

    def test_reader_that_goes_away(self):
        process = self.start("-n", "3", "yes")
        self.wait_for_line(process.stdout)
        process.stdout.close()
        err = process.stderr.read().decode()
        process.wait(LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGPIPE)
        self.assertEqual(len(self.own_messages(err)), 1)

    def test_closed_descriptors(self):
        for redirections, status in ((">&-", 1), ("<&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 1)):
            script = f"{MPIRUN} -n 2 sh -c 'echo text; echo text >&2; cat' {redirections}"
            done = subprocess.run(["sh", "-c", script], timeout=LIMIT, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, status, redirections)
            if redirections == ">&-":
                self.assertIn("is closed (>&-)", self.the_message(done.stderr.decode()))
        # Nothing is lost where nothing is written.
        done = subprocess.run(["sh", "-c", f"{MPIRUN} -n 2 true >&-"], env=self.environment)
        self.assertEqual(done.returncode, 0)

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            _, err = self.run_job("-n", "2", "echo", "text", status=1, stdout=full)
            self.assertIn("standard output: No space left", self.the_message(err))
            self.run_job("-n", "2", "sh", "-c", "echo text >&2", status=1, stderr=full)
        os.symlink("/dev/full", os.path.join(self.temporary, "full.1"))
        name = os.path.join(self.temporary, "full")
        _, err = self.run_job("-n", "2", "-outfile-pattern", name, "echo", "text", status=1)
        self.assertIn(f"{name}.1: No space left", self.the_message(err))
        for rank in (0, 1):
            os.remove(f"{name}.{rank}")
        _, err = self.run_job("-outfile-pattern", "/proc/nothing/file", "echo", "text", status=1)
        self.assertIn("/proc/nothing/file", self.the_message(err))

    def test_output_that_nobody_reads_any_more(self):
        process = self.start("-n", "2", "sh", "-c", "read line; echo text", stdin=subprocess.PIPE)
        process.stdout.close()
        process.stdin.write(b"\n")
        process.stdin.close()
        err = process.stderr.read().decode()
        process.wait(LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGPIPE)
        self.assertRegex(self.the_message(err), "nobody reads mpirun's standard output any more")

    def test_files_of_ranks(self):
        def read(*names):
            with open(os.path.join(self.temporary, *names)) as file:
                return file.read()
        script = "echo out $PMIX_RANK; echo err $PMIX_RANK >&2"
        folder = os.path.join(self.temporary, "d")
        out, err = self.run_job("-n", "2", "--output-filename", folder, "sh", "-c", script)
        self.assertEqual(sorted(out.splitlines()), ["out 0", "out 1"])
        self.assertEqual(sorted(err.splitlines()), ["err 0", "err 1"])
        self.assertEqual(read("d", "rank.1", "stdout"), "out 1\n")
        self.assertEqual(read("d", "rank.0", "stderr"), "err 0\n")
        out, err = self.run_job("-n", "2", "--output", f"tag,merge,dir={folder}:nocopy", "sh", "-c",
                                script)
        self.assertEqual((out, err), ("", ""))
        self.assertEqual(sorted(read("d", "rank.1", "stdout").splitlines()),
                         ["[1] err 1", "[1] out 1"])
        pattern = os.path.join(self.temporary, "d", "%r-%h.log")
        out, err = self.run_job("-n", "2", "-outfile-pattern", pattern, "sh", "-c", script)
        self.assertEqual((out, sorted(err.splitlines())), ("", ["err 0", "err 1"]))
        self.assertEqual(read("d", f"1-{os.uname().nodename}.log"), "out 1\n")
        shutil.rmtree(folder)

    def test_exit_codes_that_a_pipe_cannot_take_at_once(self):
        """Nobody reads the output of an interrupted job: why it ends is said, not how every rank did."""
        ranks = 1100
        process = self.start("--grace", "0.2", "-print-all-exitcodes", "yes", ":", "-n", str(ranks),
                             "sh", "-c", "echo up >&2; exec sleep 100")
        for _ in range(ranks):
            self.wait_for_line(process.stderr)
        process.send_signal(signal.SIGINT)
        err = process.stderr.read().decode()
        process.wait(LIMIT)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertRegex(self.the_message(err), f"{ranks + 1} ranks were ended")

    def test_timestamps_and_merged_streams(self):
        out, err = self.run_job("-n", "2", "--timestamp", "-l", "--merge-stderr-to-stdout", "sh", "-c",
                                "echo a; echo b >&2")
        self.assertEqual(err, "")
        for line in out.splitlines():
            self.assertRegex(line, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[[01]\] [ab]$")
        self.assertEqual(len(out.splitlines()), 4)

    def test_what_stands_before_lines(self):
        out, err = self.run_job("-n", "2", "-prepend-pattern", "%h/%r: ", "sh", "-c", "echo a; echo b >&2")
        for text, letter in ((out, "a"), (err, "b")):
            self.assertEqual(sorted(text.splitlines()),
                             [f"{os.uname().nodename}/{rank}: {letter}" for rank in (0, 1)])

    def test_input_to_another_to_all_and_to_none(self):
        data = os.urandom(1 << 20) * 16
        digest = hashlib.sha256(data).hexdigest()
        script = "echo $PMIX_RANK $(sha256sum)"
        empty = hashlib.sha256(b"").hexdigest()
        for who, readers in (("2", {2}), ("none", set()), ("all", {0, 1, 2})):
            expected = [f"{rank} {digest if rank in readers else empty} -" for rank in range(3)]
            process = self.start("-n", "3", "--stdin", who, "sh", "-c", script, stdin=subprocess.PIPE)
            out, _ = process.communicate(data, timeout=LIMIT)
            self.assertEqual(sorted(out.decode().splitlines()), expected, who)
            with tempfile.TemporaryFile() as file:
                file.write(data)
                file.seek(0)
                out, _ = self.run_job("-n", "3", "--stdin", who, "sh", "-c", script, stdin=file)
                self.assertEqual(sorted(out.splitlines()), expected, who)
        # One that does not read its copy keeps nobody waiting for ever.
        process = self.start("-n", "2", "--stdin", "all", "sh", "-c",
                             "test $PMIX_RANK = 0 || sha256sum", stdin=subprocess.PIPE)
        out, _ = process.communicate(data, timeout=LIMIT)
        self.assertEqual(out.decode(), f"{digest}  -\n")


class Terminal(LauncherTest):
    def start_in_terminal(self, *arguments):
        """mpirun as the foreground job of a terminal of its own."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(MPIRUN, [MPIRUN, *arguments], self.environment)
        self.addCleanup(os.close, terminal)
        return pid, terminal

    def read_until(self, terminal, text):
        seen = ""
        end = time.monotonic() + LIMIT
        while text not in seen:
            self.assertLess(time.monotonic(), end, seen)
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 4096).decode()
                except OSError:
                    break
        self.assertIn(text, seen)
        return seen

    def test_prompt_answer_and_end_of_input(self):
        script = 'if [ $PMIX_RANK = 0 ]; then printf "name? "; read n; echo "hello $n"; cat; echo over; fi'
        pid, terminal = self.start_in_terminal("-n", "2", "sh", "-c", script)
        self.read_until(terminal, "name? ")
        os.write(terminal, b"you\n")
        self.read_until(terminal, "hello you")
        os.write(terminal, b"\x04")
        self.read_until(terminal, "over")
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_interrupt_key(self):
        pid, terminal = self.start_in_terminal("-n", "2", "sh", "-c", "echo up; exec sleep 100")
        self.read_until(terminal, "up\r\nup")
        os.write(terminal, b"\x03")
        self.read_until(terminal, "were ended")
        self.assertEqual(os.WTERMSIG(os.waitpid(pid, 0)[1]), signal.SIGINT)

    def wait_for_end(self, pid):
        """Its status; it has to end soon."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.fail(f"no end within {LIMIT} s")

    def test_interrupt_key_twice(self):
        """The first one gives the ranks the time of --grace, and they take it."""
        script = 'trap "echo asked" TERM; echo up; while :; do sleep 0.05; done'
        pid, terminal = self.start_in_terminal("--grace", "1000", "-n", "2", "sh", "-c", script)
        self.read_until(terminal, "up\r\nup")
        os.write(terminal, b"\x03")
        # The shell may say of its child that it was terminated.
        seen = ""
        while seen.count("asked") < 2:
            seen += self.read_until(terminal, "\n")
        os.write(terminal, b"\x03")
        self.assertEqual(os.WTERMSIG(self.wait_for_end(pid)), signal.SIGINT)

    def test_suspend_key_and_foreground(self):
        """Under a shell with job control: Ctrl-Z, then fg."""
        rank = 'echo up $$; read line; echo "read $line"'
        script = f"set -m; {MPIRUN} -n 2 --stdin all sh -c '{rank}'; echo stopped; read word; fg; echo status $?"
        shell, terminal = pty.fork()
        if shell == 0:
            os.execve("/bin/sh", ["/bin/sh", "-c", script], self.environment)
        self.addCleanup(os.close, terminal)
        seen = self.read_until(terminal, "up")
        while len(pids := re.findall(r"up (\d+)\r", seen)) < 2:
            seen += self.read_until(terminal, "\n")
        pids = [int(pid) for pid in pids]
        os.write(terminal, b"\x1a")
        self.read_until(terminal, "stopped\r\n")
        mpirun = [pid for pid, parent in marked(self.mark) if parent == shell]
        self.assertEqual(len(mpirun), 1)
        self.wait_for_state([*mpirun, *pids], "T")
        os.write(terminal, b"word\n")
        self.wait_for_state(pids, "S")
        os.write(terminal, b"line\n")
        self.read_until(terminal, "status 0")
        self.assertEqual(self.wait_for_end(shell), 0)

    def test_background_job_is_not_stopped(self):
        pid, terminal = pty.fork()
        if pid == 0:
            script = f"set -m; {MPIRUN} -n 2 sh -c 'sleep 0.3; echo done' & wait $!; echo status $?"
            os.execve("/bin/sh", ["/bin/sh", "-c", script], self.environment)
        self.addCleanup(os.close, terminal)
        os.write(terminal, b"typed\n")
        self.read_until(terminal, "status 0")
        os.waitpid(pid, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
