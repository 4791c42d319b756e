#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# Endurance of mpirun and of MPI programs under it: thousands of short jobs, kills at random moments,
# gigabytes through mpirun's streams; nothing may hang, be lost, or be left behind.
# `make check-soak SOAK="--jobs 500"`. Runs in the top build folder; MPIRUN, SOAK_JOB and
# LAUNCHER_CLIENT name other binaries.
import argparse
import collections
import contextlib
import hashlib
import os
import random
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
STREAM_LIMIT = 1800  # the same, for all that goes through the streams
OWN_SHARED_MEMORY = "SOAK_OWN_SHARED_MEMORY"  # in the environment: /dev/shm is nobody else's
SOAK_JOB = os.path.abspath(os.environ.get("SOAK_JOB", "./tests/launcher/soak_job"))


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
        try:
            self.process = subprocess.Popen([MPIRUN, *arguments], env=environment,
                                            start_new_session=True, **options)
        except OSError:
            os.rmdir(self.temporary)
            raise

    def marked(self):
        return marked(self.mark)

    def finish(self, statuses=None, limit=LIMIT):
        """Waits for the end; fails if there is none, or if anything is left. What was written."""
        try:
            out, _ = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.fail("does not end")
        if statuses is not None and self.process.returncode not in statuses:
            self.fail(f"exit status {self.process.returncode}:\n{(out or b'').decode(errors='replace')[-2000:]}")
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
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.temporary, ignore_errors=True)
        raise Failure(f"{' '.join(self.arguments)}: {what}")


def short_jobs(ranks, seed, code):
    """(name, weight, mpirun's arguments, exit status) of each kind of a short job."""
    some = ["-n", ranks]
    job = [*some, SOAK_JOB, seed]
    behind_shell = f"{SOAK_JOB} {seed} mixture & wait"
    return [
        ("start and end", 4, [*job, "start"], 0),
        ("messages", 4, [*job, "messages"], 0),
        ("collectives", 4, [*job, "collectives"], 0),
        ("MPI_Alloc_mem", 4, [*job, "memory"], 0),
        ("mixture", 4, [*job, "mixture"], 0),
        ("mixture behind a shell", 1, [*some, "sh", "-c", behind_shell], 0),
        ("MPI_Abort", 1, [*job, "abort", code, "0"], int(code)),
        ("exit status", 1, [*job, "exit", code, "0"], int(code)),
        ("no MPI_Finalize", 1, [*job, "exit", "0", "0"], 1),
        ("death by signal", 1, [*job, "signal", "11", "0"], 139),
        ("PMIx alone", 1, [*some, CLIENT, "exchange"], 0),
        ("PMIx without a fence", 1, [*some, CLIENT, "direct"], 0),
        ("true", 1, [*some, "true"], 0),
        ("tagged output", 1, [*some, "-l", "sh", "-c", "echo text; echo text >&2"], 0),
        ("no such program", 1, [*some, "no-such-program"], 127)]


def short_job(chance):
    """Runs one; its kind."""
    kinds = short_jobs(str(chance.randint(1, 5)), str(chance.getrandbits(32)),
                       str(chance.randint(1, 100)))
    name, _, arguments, status = chance.choices(kinds, [weight for _, weight, _, _ in kinds])[0]
    Job(*arguments).finish([status])
    return name


def killed_programs(seed):
    """What a rank's shell is given, which never ends; in the first places, the rank is MPI's."""
    endless = f"{SOAK_JOB} {seed} forever"
    return [f"exec {endless}"] * 6 + [
        f"{endless}; sleep 100 & wait", f"{endless} & setsid sleep 100 & wait",
        f"(trap '' TERM HUP; sleep 100 & sleep 100) & exec {endless}",
        f"exec {CLIENT} exit 0 99",
        "while :; do echo text; done", "while :; do :; done"]


def victims(job, target):
    """The processes that a name stands for; mpirun's only child is the guardian, that of the ranks."""
    if target == "mpirun":
        return [job.process.pid]
    living = job.marked()
    children = [pid for pid, parent in living if parent == job.process.pid]
    if target == "guardian":
        return children
    if target == "rank":
        return [pid for pid, parent in living if parent in children]
    return [pid for pid, _ in living]


def statuses_after(target, number, program):
    """How mpirun ends after that; None if that is not certain."""
    if target == "mpirun":
        # Signals that come before mpirun listens to them end it as they end anybody.
        return [-number, 128 + number] if number == signal.SIGTERM else [-number]
    if target == "guardian":
        # It ignores all but one; then the second signal, to mpirun, ends the job.
        return [1] if number == signal.SIGKILL else [-signal.SIGTERM, 128 + signal.SIGTERM]
    if target == "rank" and (number == signal.SIGKILL or program.startswith(f"exec {SOAK_JOB}")):
        return [128 + number]
    return None


def killed_job(chance):
    """Signals somebody of an endless job at a random moment; who it was, and the signal's name."""
    program = chance.choice(killed_programs(chance.getrandbits(32)))
    job = Job("--grace", "0.2", "-n", str(chance.randint(1, 4)), "sh", "-c", program,
              stdout=subprocess.DEVNULL)
    time.sleep(chance.choice([0.02, 0.1, 0.4]) * chance.random())
    target = chance.choice(["mpirun", "mpirun", "rank", "rank", "guardian", "anything"])
    number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    end = time.monotonic() + LIMIT
    while not (pids := victims(job, target)) and time.monotonic() < end:
        time.sleep(0.001)
    if not pids or job.process.poll() is not None:
        job.fail(f"has no {target} to signal; mpirun's status: {job.process.poll()}")
    statuses = statuses_after(target, number, program)
    try:
        os.kill(chance.choice(pids), number)
    except ProcessLookupError:
        statuses = None
    if target == "mpirun" and number != signal.SIGKILL and chance.random() < 0.3:
        job.process.send_signal(number)  # the impatient second one
    ends_alone = target in ("mpirun", "rank") or number == signal.SIGKILL and target == "guardian"
    if statuses is None or not ends_alone:  # it may have met somebody who does not mind
        time.sleep(0.05)
        if job.process.poll() is None:
            job.process.send_signal(signal.SIGTERM)
    job.finish(statuses)
    known = "" if statuses else " (any exit status)"
    return f"{target} {signal.Signals(number).name}{known}"


def enter_own_shared_memory():
    """Begins again with a /dev/shm of its own: what is left there is of these jobs, whatever its name.
    False where mounts cannot be changed."""
    if OWN_SHARED_MEMORY in os.environ:
        return True
    mount = "mount -t tmpfs -o mode=1777 none /dev/shm"
    for kind in ("-m", "-rm"):  # as root; as anybody, in a user namespace
        with contextlib.suppress(FileNotFoundError):
            done = subprocess.run(["unshare", kind, "sh", "-c", mount], check=False, timeout=LIMIT,
                                  stderr=subprocess.DEVNULL)
            if done.returncode == 0:
                os.environ[OWN_SHARED_MEMORY] = "yes"
                os.execvp("unshare", ["unshare", kind, "sh", "-c", f'{mount} && exec "$0" "$@"',
                                      sys.executable, *sys.argv])
    return False


def repeat(what, title, count, seed, parallel):
    """Each round has a seed of its own, so that one round can be replayed alone. Returns the seconds
    that all took."""
    next_round = iter(range(count))
    lock = threading.Lock()
    failures = []
    kinds = collections.Counter()
    start = time.monotonic()
    longest = 0

    def work():
        nonlocal longest
        while not failures:
            with lock:
                number = next(next_round, None)
            if number is None:
                return
            begin = time.monotonic()
            try:
                kind = what(random.Random(f"{seed}.{what.__name__}.{number}"))
            except Exception as failure:  # whatever it is, this round was not done
                name = "" if isinstance(failure, Failure) else f"{type(failure).__name__}: "
                failures.append(f"{what.__name__} {number}: {name}{failure}")
                return
            with lock:
                kinds[kind] += 1
                longest = max(longest, time.monotonic() - begin)
                done = kinds.total()
                if done % max(1, count // 10) == 0 and done < count:
                    print(f"     {done} of {count} {title}, {time.monotonic() - start:.0f} s", flush=True)

    threads = [threading.Thread(target=work) for _ in range(parallel)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures or kinds.total() != count:
        raise Failure("; ".join(failures) or f"{kinds.total()} of {count} {title} were done")
    seconds = time.monotonic() - start
    print(f"ok   {count} {title} in {seconds:.1f} s, {parallel} at a time, the longest {longest:.2f} s: "
          + ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())), flush=True)
    return seconds


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
                out = job.finish([0], STREAM_LIMIT)
                if kind == "pipe":
                    feeder.wait(LIMIT)
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
    watchdog = threading.Timer(STREAM_LIMIT, job.process.kill)  # ends the loop, with a wrong status
    watchdog.daemon = True
    watchdog.start()
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
    watchdog.cancel()
    job.finish([0])
    if ended != ranks or total < megabytes << 20:
        raise Failure(f"{ended} of {ranks} ranks, {total} bytes arrived")
    print(f"ok   {total >> 20} MB of output from {ranks} ranks in whole lines", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Endurance of mpirun and of MPI programs.")
    parser.add_argument("--jobs", type=int, default=10000, help="short jobs (default 10000)")
    parser.add_argument("--kills", type=int, default=500, help="kills (default 500)")
    parser.add_argument("--megabytes", type=int, default=1024, help="through the streams")
    parser.add_argument("--parallel", type=int, default=2, help="jobs at a time (default 2)")
    parser.add_argument("--seed", default=os.environ.get("REMIT_TEST_SEED"))
    options = parser.parse_args()
    seed = options.seed or str(random.SystemRandom().randrange(1 << 32))
    own_shared_memory = enter_own_shared_memory()
    print(f"REMIT_TEST_SEED={seed}", flush=True)
    try:
        if options.megabytes:
            exact_input(options.megabytes)
            whole_output(options.megabytes)
        jobs = repeat(short_job, "short jobs", options.jobs, seed, options.parallel)
        kills = repeat(killed_job, "kills", options.kills, seed, options.parallel)
        left = os.listdir("/dev/shm") if own_shared_memory else []
        if left:
            raise Failure(f"left in /dev/shm: {left}")
        looked = "also not in /dev/shm" if own_shared_memory else "/dev/shm, which is others' too, was not looked at"
        print(f"ok   {options.jobs:,} short jobs in {jobs:.0f} s and {options.kills:,} kills in "
              f"{kills:.0f} s, {options.parallel} at a time, seed {seed}: none hung, each ended with the "
              f"status that it should; no process, no file of theirs is left, {looked}", flush=True)
    except Failure as failure:
        sys.exit(f"FAIL {failure}\nreplay with REMIT_TEST_SEED={seed}")


if __name__ == "__main__":
    main()
