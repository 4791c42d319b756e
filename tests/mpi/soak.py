#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# Endurance of mpirun: thousands of short jobs, kills at random moments, gigabytes through its
# streams; nothing may hang, be lost, or be left behind. `make check-soak SOAK="--jobs 500"`.
# Runs in the top build folder; MPIRUN and LAUNCHER_CLIENT name other binaries.
import argparse
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # the source folder may be read-only

from launcher import CLIENT, MPIRUN, marked, marked_environment

LIMIT = 60  # seconds: only a hang takes as long


class Failure(Exception):
    pass


class Job:
    """One mpirun with a mark in its environment, by which everything it starts is found."""

    def __init__(self, *arguments, **options):
        self.temporary = tempfile.mkdtemp(prefix="soak.")
        environment, self.mark = marked_environment(self.temporary)
        self.arguments = arguments
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.STDOUT)
        self.process = subprocess.Popen([MPIRUN, *arguments], env=environment,
                                        start_new_session=True, **options)

    def marked(self):
        return marked(self.mark)

    def finish(self, statuses=None):
        """Waits for the end; fails if there is none, or if anything is left."""
        try:
            out, _ = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.fail("does not end")
        if statuses is not None and self.process.returncode not in statuses:
            self.fail(f"exit status {self.process.returncode}:\n{(out or b'').decode()[-2000:]}")
        end = time.monotonic() + LIMIT
        while (self.marked() or os.listdir(self.temporary)) and time.monotonic() < end:
            time.sleep(0.01)
        if self.marked():
            self.fail(f"processes are left: {self.marked()}")
        if os.listdir(self.temporary):
            self.fail(f"files are left: {os.listdir(self.temporary)}")
        os.rmdir(self.temporary)
        return out

    def fail(self, what):
        for pid, _ in self.marked():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.temporary, ignore_errors=True)
        raise Failure(f"{' '.join(self.arguments)}: {what}")


def short_job(chance):
    ranks = str(chance.randint(1, 5))
    code = chance.randint(1, 100)
    arguments, status = chance.choice([
        (["-n", ranks, CLIENT, "exchange"], 0),
        (["-n", ranks, CLIENT, "direct"], 0),
        (["-n", ranks, "true"], 0),
        (["-n", ranks, "-l", "sh", "-c", "echo text; echo text >&2"], 0),
        (["-n", ranks, "sh", "-c", f"{CLIENT} exchange & wait"], 0),
        (["-n", ranks, CLIENT, "abort", str(code), "0"], code),
        (["-n", ranks, CLIENT, "exit-after", str(code), "0"], code),
        (["-n", ranks, CLIENT, "signal", "11", "0"], 139),
        (["-n", ranks, "no-such-program"], 127)])
    Job(*arguments).finish([status])


def killed_job(chance):
    program = chance.choice([
        f"{CLIENT} exchange; sleep 100 & wait", "sleep 100 & setsid sleep 100 & wait",
        "(trap '' TERM HUP; sleep 100 & sleep 100) & exec sleep 100", f"exec {CLIENT} exchange",
        "while :; do echo text; done", "while :; do :; done"])
    job = Job("--grace", "0.2", "-n", str(chance.randint(1, 4)), "sh", "-c", program,
              stdout=subprocess.DEVNULL)
    time.sleep(chance.choice([0.02, 0.1, 0.4]) * chance.random())
    living = job.marked()
    children = [pid for pid, parent in living if parent == job.process.pid]
    ranks = [pid for pid, parent in living if parent in children]
    target, pids = chance.choice([("mpirun", [job.process.pid]), ("guardian", children[:1]),
                                  ("rank", ranks), ("anything", [pid for pid, _ in living])])
    number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    if pids:
        try:
            os.kill(chance.choice(pids), number)
        except ProcessLookupError:
            pass
        if target == "mpirun" and number != signal.SIGKILL and chance.random() < 0.3:
            job.process.send_signal(number)  # the impatient second one
    # The signal may have come too early or to somebody who does not mind.
    time.sleep(0.05)
    if job.process.poll() is None:
        job.process.send_signal(signal.SIGTERM)
    job.finish()


def shared_memory_files():
    """Names in /dev/shm that no process maps: other programs may have theirs."""
    left = set()
    for name in os.listdir("/dev/shm"):
        used = subprocess.run(["grep", "-qs", f"/dev/shm/{name}", *maps()], check=False)
        if used.returncode != 0:
            left.add(name)
    return left


def maps():
    return [f"/proc/{entry}/maps" for entry in os.listdir("/proc") if entry.isdigit()]


def repeat(what, count, seed, parallel):
    """Each round has a seed of its own, so that one round can be replayed alone."""
    next_round = iter(range(count))
    lock = threading.Lock()
    failures = []

    def work():
        while not failures:
            with lock:
                number = next(next_round, None)
            if number is None:
                return
            try:
                what(random.Random(f"{seed}.{what.__name__}.{number}"))
            except Failure as failure:
                failures.append(f"{what.__name__} {number}: {failure}")

    start = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(parallel)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise Failure("; ".join(failures))
    print(f"ok   {count} x {what.__name__} in {time.monotonic() - start:.1f} s", flush=True)


def exact_input(megabytes):
    """Every byte of standard input reaches its readers, from a pipe and from a file."""
    block = os.urandom(1 << 20)
    digest = hashlib.sha256()
    with tempfile.TemporaryFile() as file:
        for number in range(megabytes):
            piece = number.to_bytes(8, "little") + block[8:]
            digest.update(piece)
            file.write(piece)
        expected = digest.hexdigest()
        for who, readers in (("0", 1), ("all", 2)):
            for kind in ("file", "pipe"):
                file.seek(0)
                source = file
                if kind == "pipe":
                    feeder = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
                    source = feeder.stdout
                job = Job("-n", "2", "--stdin", who, "sha256sum", stdin=source)
                if kind == "pipe":
                    feeder.stdout.close()
                out, _ = job.process.communicate()
                job.finish([0])
                if kind == "pipe":
                    feeder.wait()
                if out.decode().split().count(expected) != readers:
                    raise Failure(f"input of {megabytes} MB, {kind} to {who}: got {out}")
    print(f"ok   {megabytes} MB of input, exact to the byte", flush=True)


def whole_output(megabytes, ranks=16):
    """No line of much output is torn, lost or doubled."""
    each = megabytes * (1 << 20) // ranks
    program = ("import os, sys\n"
               "rank = os.environ['PMIX_RANK']; total = 0; i = 0\n"
               f"while total < {each}:\n"
               "    line = f'{rank} {i} ' + 'x' * (i * 7919 % 2000) + '.\\n'\n"
               "    sys.stdout.write(line); total += len(line); i += 1\n"
               "sys.stdout.write(f'{rank} {i} end.\\n')\n")
    job = Job("-n", str(ranks), sys.executable, "-c", program, stderr=subprocess.DEVNULL)
    following = [0] * ranks
    ended = total = 0
    for line in job.process.stdout:
        total += len(line)
        rank, number, rest = line.split(b" ", 2)
        index = int(rank)
        if int(number) != following[index]:
            raise Failure(f"rank {index}: line {int(number)} follows {following[index] - 1}")
        following[index] += 1
        if rest == b"end.\n":
            ended += 1
        elif len(rest) != int(number) * 7919 % 2000 + 2 or rest.strip(b"x") != b".\n":
            raise Failure(f"torn: {line[:80]}")
    job.finish([0])
    if ended != ranks or total < megabytes << 20:
        raise Failure(f"{ended} of {ranks} ranks, {total} bytes arrived")
    print(f"ok   {total >> 20} MB of output from {ranks} ranks in whole lines", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Endurance of mpirun.")
    parser.add_argument("--jobs", type=int, default=10000, help="short jobs (default 10000)")
    parser.add_argument("--kills", type=int, default=500, help="kills (default 500)")
    parser.add_argument("--megabytes", type=int, default=1024, help="through the streams")
    parser.add_argument("--parallel", type=int, default=2, help="jobs at a time (default 2)")
    parser.add_argument("--seed", default=os.environ.get("REMIT_TEST_SEED"))
    options = parser.parse_args()
    seed = options.seed or str(random.SystemRandom().randrange(1 << 32))
    print(f"REMIT_TEST_SEED={seed}", flush=True)
    shared = shared_memory_files()
    try:
        if options.megabytes:
            exact_input(options.megabytes)
            whole_output(options.megabytes)
        repeat(short_job, options.jobs, seed, options.parallel)
        repeat(killed_job, options.kills, seed, options.parallel)
        left = shared_memory_files() - shared
        if left:
            raise Failure(f"left in /dev/shm: {left}")
        print("ok   nothing is left in /dev/shm", flush=True)
    except Failure as failure:
        sys.exit(f"FAIL {failure}\nreplay with REMIT_TEST_SEED={seed}")


if __name__ == "__main__":
    main()
