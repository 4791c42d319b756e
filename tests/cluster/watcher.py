#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""watcher.py HOST: sees what is on a host of with_hosts, and breaks it, at the word of a test.

A watcher runs on each host and is spoken to through a socket in the folder of the host, which all hosts
see: no network is between, so it answers when the host's cable is cut. A request and its answer are a
line of JSON each. Watcher is the test's side."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

RUN = pathlib.Path("/run/cluster")
SSHD = "/usr/sbin/sshd"
LIMIT = 60  # seconds: only a hang takes as long


class Process:
    """One of /proc; a zombie has neither words nor an environment."""

    def __init__(self, pid):
        folder = pathlib.Path(f"/proc/{pid}")
        self.pid = pid
        self.words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        self.variables = (folder / "environ").read_bytes().split(b"\0")
        stat = (folder / "stat").read_text(errors="replace")
        self.name, rest = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
        self.state, self.parent = rest[0], int(rest[1])

    def is_rank(self, rank):
        return f"PMIX_RANK={rank}".encode() in self.variables and self.name == "working"

    def is_daemon(self):
        return self.words[1:2] == ["--remit-daemon"] and self.name != "remit-guardian"

    def is_guardian(self):
        return self.name == "remit-guardian"

    def is_agent(self, host):
        return self.name == "ssh" and host in self.words

    def is_session(self):
        return self.words[0].startswith("sshd: ") and "[listener]" not in self.words[0]

    def is_listener(self):
        return self.words[0].startswith("sshd: ") and "[listener]" in self.words[0]

    def __str__(self):
        return f"{self.pid} (of {self.parent}) {self.state} {self.name}: {' '.join(self.words).strip()}"


def processes():
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit():
                found.append(Process(int(name)))
        except (OSError, ValueError):
            pass  # it has gone meanwhile
    return found


def find(what, *arguments):
    return [process for process in processes() if getattr(process, f"is_{what}")(*arguments)
            and process.state not in "ZX"]


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Answers:
    """What is done at each word; the names of the methods are the words."""

    def __init__(self):
        self.known = set()
        self.listener = None

    def settle(self):
        """What is here now may stay."""
        end = time.monotonic() + LIMIT
        while find("session"):
            if time.monotonic() > end:
                raise OSError("sessions of sshd do not end")
            time.sleep(0.01)
        self.known = {process.pid for process in processes()}

    def left(self, sessions):
        """What has come since then: processes (zombies, too; those of sshd if wished for), and files."""
        folders = (os.environ["TMPDIR"], "/dev/shm")
        return {"processes": [str(process) for process in processes() if process.pid not in self.known
                              and (sessions or not process.is_session())],
                "files": [f"{folder}/{name}" for folder in folders for name in os.listdir(folder)]}

    def strike(self, what, arguments, number, delay, limit, of=1):
        """Sends a signal to the oldest of these processes when so many are there; its pid, or None."""
        end = time.monotonic() + limit
        while len(found := find(what, *arguments)) < of:
            if time.monotonic() > end:
                return None
            time.sleep(0.002)
        time.sleep(delay)
        kill(found[0].pid, number)
        return found[0].pid

    def end_sessions(self):
        """Of sshd, whose clients have gone while the network was: it would wait for them for long."""
        parents = {process.parent for process in processes() if not process.is_session()}
        for session in find("session"):
            if session.pid not in parents and session.pid not in self.known:
                kill(session.pid, signal.SIGKILL)

    def clear(self):
        """Ends everything, after a failure."""
        for process in processes():
            if process.pid not in self.known:
                kill(process.pid, signal.SIGKILL)
        for folder in (os.environ["TMPDIR"], "/dev/shm"):
            subprocess.run(["find", folder, "-mindepth", "1", "-delete"], check=False)

    def run(self, words):
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)
        if done.returncode != 0:
            raise OSError(f"{' '.join(words)}: {done.stdout.strip()}")
        return done.stdout

    def reach(self, hosts):
        """Waits until others can be reached again: the kernel remembers a while that they could not."""
        end = time.monotonic() + LIMIT
        for host in hosts:
            while True:
                try:
                    socket.create_connection((host, 22), timeout=1).close()
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.01)

    def freeze_sshd(self, frozen):
        for listener in find("listener"):
            kill(listener.pid, signal.SIGSTOP if frozen else signal.SIGCONT)

    def stop_sshd(self):
        for listener in find("listener"):
            kill(listener.pid, signal.SIGKILL)
        if self.listener:
            self.listener.wait()
            self.listener = None
        while find("listener"):
            time.sleep(0.002)

    def start_sshd(self, options):
        folder = pathlib.Path(os.environ["TMPDIR"]).parent
        with open(folder / "log", "a", encoding="ascii") as log:
            self.listener = subprocess.Popen([SSHD, "-D", "-e", *options, "-f", str(folder / "sshd_config")],
                                             stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.reach(["127.0.0.1"])
        self.known.add(self.listener.pid)


class Watcher:
    """The one of a host; started by ssh."""

    def __init__(self, host):
        self.host = host
        self.path = RUN / host / "watcher"
        subprocess.run(["ssh", host, f"{sys.executable} {pathlib.Path(__file__).resolve()} {host} "
                        f"</dev/null >{RUN}/{host}/watcher.log 2>&1 &"], check=True, timeout=LIMIT,
                       stdin=subprocess.DEVNULL)
        end = time.monotonic() + LIMIT
        while not self.path.exists():
            if time.monotonic() > end:
                raise OSError(f"no watcher on {host}: {(RUN / host / 'watcher.log').read_text()}")
            time.sleep(0.01)

    def __getattr__(self, word):
        def ask(**arguments):
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(3 * LIMIT)
                line.connect(str(self.path))
                line.sendall(json.dumps([word, arguments]).encode() + b"\n")
                answer = json.loads(line.makefile().readline())
            if "error" in answer:
                raise OSError(f"{self.host}: {word}: {answer['error']}")
            return answer["is"]
        return ask


def main(host):
    answers = Answers()
    path = RUN / host / "watcher"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path) + ".new")
        listener.listen()
        os.rename(str(path) + ".new", path)  # who sees it can connect
        while True:
            line, _ = listener.accept()
            with line:
                word, arguments = json.loads(line.makefile().readline())
                try:
                    answer = {"is": getattr(answers, word)(**arguments)}
                except (OSError, subprocess.SubprocessError) as error:
                    answer = {"error": str(error)}
                line.sendall(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
