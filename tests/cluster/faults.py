#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Faults at random moments of jobs on two to five hosts (with_hosts): a rank killed, a daemon killed,
mpirun killed, a link cut, ssh refused. Each time mpirun must end, with the right status and one message
that names the right culprit, and nothing may be left on any host: no process, no file. Skipped where
with_hosts is. Runs in the top build folder; MPIRUN names another mpirun. `make check-faults` plays 100
rounds of each kind, FAULTS="--rounds 20 --kinds link" others."""
import argparse
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "launcher")]
sys.dont_write_bytecode = True
from bounded import print_stack
from launcher import MPIRUN
from launcher_hosts import control
from watcher import RUN, Watcher

HOSTS = ["h1", "h2", "h3", "h4", "h5"]  # mpirun is on the first
WORKING = os.path.abspath("tests/cluster/working")
STATES = ["start", "talk", "barrier", "output", "finalize", "leave"]
START_TIME = 60  # seconds that mpirun gives a daemon to report
END_TIME = 20  # that it waits for daemons at the end, and more than they wait for each other
SLACK = 60  # for a machine that does other things
PROC_ABORTED = 58  # MPI_ERR_PROC_ABORTED: what a rank says whose peer has gone
WELL = (0, None)  # the job had ended before the fault came
# What may stand on standard error beside messages: the table of the ranks when one dies, and who waited for whom; what PMIx
# says of a rank that has died while it connected or was answered, that a daemon was cut off before its greeting, and
# the last words of a daemon that gets SIGABRT.
BESIDE = re.compile(r"After [\d.]+ s the ranks are here:| +rank +host .*| +\d+ +h\d .*|Who waits for whom.*|"
                    r"  (?:MPI_\w+ on .*|collective calls on .*|deadlock.*|ranks? \d.*)|"
                    r"\[h\d:\d+\] PMIX ERROR: UNREACHABLE in file \S+/ptl_base_connection_hdlr\.c at line \d+|"
                    r"\[h\d:\d+\] pmix_ptl_base: send_msg: write failed: Connection reset by peer \(104\) \[sd = \d+\]|"
                    r"mpirun: host h\d: a connection from [\d.]+ was refused: it said nothing|"
                    r"mpirun: the daemon of host h\d: it crashed \(aborted\), or a library did .*")
LINES = re.compile(r"rank (\d+) (?:up|line (\d+))|input \d+")


class Failure(Exception):
    pass


class Job:
    """What runs where, and its mpirun."""

    def __init__(self, chance, state):
        self.state = state
        self.hosts = chance.sample(HOSTS, chance.randint(2, len(HOSTS)))
        self.counts = [chance.randint(1, 3 if len(self.hosts) < 4 else 2) for _ in self.hosts]
        self.width = chance.choice([1, 2, 32])
        self.grace = chance.choice([0.2, 2])
        self.code = chance.randint(1, 100)
        self.timeout = 15
        self.names = {}  # instead of some hosts'
        places = [[host] * count for host, count in zip(self.hosts, self.counts)]
        self.places = sum(places, [])
        self.nodes = ["h1"] + [host for host in self.hosts if host != "h1"]
        self.last = {}  # rank -> the number of its last line, -1: up
        self.broken = []  # lines
        self.process = None

    def words(self):
        work = "talk" if self.state == "start" else self.state  # which does not end before the fault
        hosts = ",".join(f"{self.names.get(host, host)}:{count}" for host, count in
                         zip(self.hosts, self.counts))
        return ["--host", hosts, "--param", f"launch_width={self.width}", "--param",
                f"host_timeout={self.timeout}", "--grace", str(self.grace), WORKING, work, str(self.code)]

    def below(self, host):
        """The hosts whose daemons are lost with that of `host`."""
        found = [self.nodes.index(host)]
        for node in range(1, len(self.nodes)):
            if (node - 1) // self.width in found:
                found.append(node)
        return [self.nodes[node] for node in found]

    def parent(self, host):
        return self.nodes[(self.nodes.index(host) - 1) // self.width]

    def ranks_on(self, hosts):
        return [rank for rank, host in enumerate(self.places) if host in hosts]

    def bound(self):
        """Seconds within which it ends: each daemon in a chain may have to find out by itself."""
        return START_TIME + self.timeout * len(self.nodes) + 2 * self.grace + END_TIME + SLACK

    def start(self):
        self.errors = tempfile.TemporaryFile(dir=RUN)
        source, feed = os.pipe() if self.state == "output" else (os.open(os.devnull, os.O_RDONLY), None)
        self.process = subprocess.Popen([MPIRUN, *self.words()], stdin=source, stdout=subprocess.PIPE,
                                        stderr=self.errors, start_new_session=True)
        os.close(source)
        if feed:
            threading.Thread(target=self.feed, args=[feed], daemon=True).start()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def feed(self, end):
        with open(end, "w", encoding="ascii") as file:
            try:
                for number in range(10 ** 9):
                    file.write(f"{number}\n")
            except BrokenPipeError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), end)  # for what it still holds

    def read(self):
        """Lines are whole, and those of a rank in order; a rank that was killed may leave a piece."""
        for text in self.process.stdout:
            line = LINES.fullmatch(text.decode(errors="replace").rstrip("\n"))
            rank = line and line.group(1)
            number = int(line.group(2) or -1) if rank else None
            if not line or (rank and number != self.last.get(rank, -2) + 1):
                self.broken.append(text)
            if rank:
                self.last[rank] = number

    def await_up(self):
        end = time.monotonic() + START_TIME + SLACK
        while len(self.last) < len(self.places):
            if self.process.poll() is not None:  # what it wrote may not have been read yet
                self.reader.join(SLACK)
            elif time.monotonic() <= end:
                time.sleep(0.002)
                continue
            if len(self.last) < len(self.places):
                raise Failure(f"not all ranks come up: rank and last line are {self.last}")

    def wait(self):
        try:
            self.process.wait(self.bound())
        except subprocess.TimeoutExpired:
            print_stack(self.process.pid)
            raise Failure(f"mpirun does not end within {self.bound()} s") from None
        self.reader.join(SLACK)
        if self.reader.is_alive():
            raise Failure("mpirun's standard output is still open")
        self.process.stdout.close()

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def judge(self, expected):
        """`expected`: pairs of an exit status and the pattern of the message, or None for silence."""
        said = [line for line in self.said().splitlines() if not BESIDE.fullmatch(line)]
        messages = [line for line in said if line.startswith("mpirun: ")]
        others = [line for line in said if not line.startswith("mpirun: ")]
        if len(messages) == 1 and " cannot be started: " in messages[0]:  # ssh may have said several lines
            messages, others = ["\n".join(messages + others)], []
        status = self.process.returncode
        if others:
            raise Failure(f"strange words on standard error: {others}")
        if len(messages) > 1:
            raise Failure("more than one message")
        if len(self.broken) > len(self.places):
            raise Failure(f"output is torn: {self.broken[:20]}")
        message = messages[0][len("mpirun: "):] if messages else ""
        for right, pattern in expected:
            if status == right and (re.fullmatch(pattern, message, re.DOTALL) if pattern else not message):
                return
        raise Failure(f"status {status}, expected one of {expected}")


# What a message ends with.
ENDED = r"(; (its|the other) (\d+ ranks were|rank was) ended)?\.?"


def gone(job, ranks):
    """What a rank says that needed another one, before its launcher knows more."""
    names = "|".join(str(rank) for rank in ranks)
    return (PROC_ABORTED, rf"rank \d+ \(pid \d+, \S+\) on host h\d aborted the job with code {PROC_ABORTED}: "
            rf".*rank ({names})( failed)?: .*{ENDED}") if ranks else WELL


def no_daemon(host, why=".*"):
    return (1, rf"the daemon of host {host} cannot be started: {why}{ENDED}")


def lost(host):
    return (1, rf"host {host} was lost \(.*\){ENDED}")


class Fault:
    """A kind of fault: chooses in __init__, breaks and mends; `hint` says what it has chosen."""

    def __init__(self, chance, states=None):
        self.state = chance.choice(states or STATES)
        self.delay = chance.choice([0, 0.003, 0.03, 0.3, 1]) * chance.random()
        self.job = Job(chance, self.state)

    def prepare(self, hosts):
        pass

    def mend(self, hosts):
        pass

    def expected(self):
        """While a job leaves, it may have ended well before."""
        return [WELL] if self.state == "leave" else []

    def strike_at(self, watcher, what, arguments, number):
        """Waits for a process to be there only where it must come."""
        starting = self.state == "start"
        if not starting:
            time.sleep(self.delay)
        # A daemon has two guardians, of which the older one is that of its ranks.
        pid = watcher.strike(what=what, arguments=arguments, number=number, of=2 if what == "guardian" else 1,
                             delay=self.delay if starting else 0, limit=START_TIME if starting else 0)
        if pid is None and self.state != "leave":
            raise Failure(f"there is no {what}")
        return pid


class RankFault(Fault):
    def __init__(self, chance):
        super().__init__(chance)
        self.rank = chance.randrange(len(self.job.places))
        self.host = self.job.places[self.rank]
        self.signal = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT,
                                     signal.SIGUSR1, signal.SIGUSR1])
        self.hint = f"rank {self.rank} on {self.host}, signal {self.signal}"
        self.pid = None

    def strike(self, hosts):
        self.pid = self.strike_at(hosts[self.host], "rank", [self.rank], self.signal)

    def expected(self):
        found = super().expected() + [gone(self.job, [self.rank])]
        name = rf"rank {self.rank} \(pid {self.pid}, \S+\) on host {self.host}"
        if self.signal == signal.SIGUSR1:  # which it takes for a wish to end
            found.append((self.job.code, f"{name} exited with status {self.job.code}{ENDED}"))
        if self.signal != signal.SIGUSR1 or self.state == "start":
            found.append((128 + self.signal, rf"{name} was killed by signal {int(self.signal)} \(.*\).*{ENDED}"))
        return found


class DaemonFault(Fault):
    def __init__(self, chance):
        super().__init__(chance)
        self.host = chance.choice(self.job.nodes[1:])
        self.what, self.signal = chance.choice([
            ("daemon", signal.SIGKILL), ("daemon", signal.SIGKILL), ("daemon", signal.SIGKILL),
            ("daemon", signal.SIGABRT), ("daemon", signal.SIGTERM), ("daemon", signal.SIGHUP),
            ("guardian", signal.SIGKILL)])
        self.hint = f"{self.what} of {self.host}, signal {self.signal}"

    def strike(self, hosts):
        self.strike_at(hosts[self.host], self.what, [], self.signal)

    def expected(self):
        found = super().expected() + [lost(self.host), no_daemon(self.host),
                                      gone(self.job, self.job.ranks_on(self.job.below(self.host)))]
        if self.what == "guardian":  # which was about to start another daemon
            found += [no_daemon(host, "the process that starts daemons was killed") for host in self.job.nodes[1:]]
        if self.signal in (signal.SIGTERM, signal.SIGHUP):
            told = (rf"the daemon of host {self.host} was told to end by signal {int(self.signal)} \(.*\){ENDED}")
            found += [(128 + self.signal, told), (1, told)]  # 1: before there were ranks
        return found


class MpirunFault(Fault):
    def __init__(self, chance):
        super().__init__(chance)
        self.signal = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGTERM,
                                     signal.SIGHUP, signal.SIGINT])
        if self.state == "start":
            self.delay *= 2
        self.hint = f"mpirun, signal {self.signal}"

    def strike(self, hosts):
        time.sleep(self.delay)
        self.job.process.send_signal(self.signal)

    def expected(self):
        found = super().expected()
        words = rf"interrupted by signal {int(self.signal)} \(.*\)( while the daemons were started)?{ENDED}"
        if self.signal == signal.SIGKILL:
            return found + [(-self.signal, None)]
        if self.state == "start":
            found.append((-self.signal, None))  # before mpirun listens to signals
        return found + [(-self.signal if self.signal == signal.SIGINT else 128 + self.signal, words)]


class LinkFault(Fault):
    def __init__(self, chance):
        super().__init__(chance)
        self.host = chance.choice(self.job.nodes)
        self.job.timeout = 6
        self.how = chance.choice(["cut", "block", "down"])
        self.hint = f"link of {self.host}, {self.how}"

    def strike(self, hosts):
        time.sleep(self.delay)
        if self.how == "down":
            hosts[self.host].run(words=["ip", "link", "set", "eth0", "down"])
        else:
            control(f"{self.how} {self.host}")

    def mend(self, hosts):
        if self.how == "down":
            hosts[self.host].run(words=["ip", "link", "set", "eth0", "up"])
        else:
            control(f"join {self.host}")
        hosts[self.host].reach(hosts=HOSTS)
        for watcher in hosts.values():
            watcher.reach(hosts=[self.host])
        for watcher in hosts.values():
            watcher.end_sessions()

    def expected(self):
        job = self.job
        away = [host for host in job.nodes[1:] if host != "h1"] if self.host == "h1" else [self.host]
        ranks = job.ranks_on(away if self.host == "h1" else job.below(self.host))
        found = super().expected() + [gone(job, ranks)]
        for host in away:
            found += [lost(host), no_daemon(host)]
        return found


class SshFault(Fault):
    """Before daemons are there, or while they are started."""
    WORDS = {"refused": "ssh ended with status 255: .*Connection refused",
             "key": r"ssh ended with status 255: .*Permission denied \(publickey\)\.",
             "name": "ssh ended with status 255: .*Could not resolve hostname nowhere: .*",
             "silent": "ssh ended with status 255: .*Connection timed out",
             "frozen": "ssh ended with status 255: .*Connection timed out.*",
             "killed": "ssh was killed by signal 9"}

    def __init__(self, chance):
        super().__init__(chance, ["leave"])
        self.host = chance.choice(self.job.nodes[1:])
        self.how = chance.choice([*self.WORDS, "refused", "key", "name", "silent"])
        self.hint = f"ssh to {self.host}, {self.how}"
        if self.how in ("name", "silent"):
            self.job.names[self.host] = {"name": "nowhere"}.get(self.how, self.how)

    def prepare(self, hosts):
        watcher = hosts[self.host]
        if self.how in ("refused", "key"):
            watcher.stop_sshd()
        if self.how == "key":
            watcher.start_sshd(options=["-o", "AuthorizedKeysFile=none"])
        if self.how == "frozen":
            watcher.freeze_sshd(frozen=True)
        if self.how == "silent":
            for each in hosts.values():
                each.run(words=["ip", "neigh", "replace", SILENT, "lladdr", "02:00:00:00:00:99", "nud", "permanent",
                                "dev", "eth0"])

    def strike(self, hosts):
        if self.how == "killed":
            time.sleep(self.delay)
            hosts[self.job.parent(self.host)].strike(what="agent", arguments=[self.host], number=signal.SIGKILL,
                                                     delay=0, limit=1)

    def mend(self, hosts):
        watcher = hosts[self.host]
        if self.how == "frozen":
            watcher.freeze_sshd(frozen=False)
        if self.how == "key":
            watcher.stop_sshd()
        if self.how in ("refused", "key"):
            watcher.start_sshd(options=[])

    def expected(self):
        name = self.job.names.get(self.host, self.host)
        # An ssh that has brought its daemon into being is needed no longer.
        return [no_daemon(name, self.WORDS[self.how])] + \
            (super().expected() if self.how == "killed" else [])


SILENT = "10.77.99.99"  # an address that drops packets
KINDS = {"rank": RankFault, "daemon": DaemonFault, "mpirun": MpirunFault, "link": LinkFault, "ssh": SshFault}
FEW = {"rank": 6, "daemon": 6, "mpirun": 6, "link": 2, "ssh": 4}  # rounds of every day


def await_nothing_left(hosts, bound, sessions):
    """Sessions of sshd are no business of Remit's while there is no network to end them by."""
    end = time.monotonic() + bound
    while True:
        left = {name: watcher.left(sessions=sessions) for name, watcher in hosts.items()}
        if not any(any(what.values()) for what in left.values()):
            return
        if time.monotonic() > end:
            raise Failure("left after the end:\n" + "\n".join(
                f"  {host}: {one}" for host, what in left.items() for one in what["processes"] + what["files"]))
        time.sleep(0.02)


def play(hosts, fault):
    """One round. Until the fault is mended and after it nothing may be left."""
    job = fault.job
    fault.prepare(hosts)
    try:
        job.start()
        if fault.state != "start" and not isinstance(fault, SshFault):
            job.await_up()
        fault.strike(hosts)
        job.wait()
        job.judge(fault.expected())
        await_nothing_left(hosts, job.bound(), sessions=False)
    finally:
        fault.mend(hosts)
    await_nothing_left(hosts, job.bound(), sessions=True)


def clear(hosts, job):
    if job.process and job.process.poll() is None:
        job.process.kill()
        job.process.wait()
    for watcher in hosts.values():
        watcher.clear()
    await_nothing_left(hosts, SLACK, sessions=True)


def play_kind(hosts, kind, numbers, options):
    """(rounds, failures, longest)"""
    failures, longest = 0, 0
    for number in numbers:
        fault = KINDS[kind](random.Random(f"{options.seed}.{kind}.{number}"))
        begin = time.monotonic()
        what = f"{kind} {number}: {fault.state}, {fault.delay:.3f} s, {fault.hint}; {' '.join(fault.job.words()[:7])}"
        try:
            play(hosts, fault)
            answer = [line for line in fault.job.said().splitlines() if line.startswith("mpirun:")] or ["(silent)"]
            print(f"ok   {what}: {time.monotonic() - begin:.1f} s, {fault.job.process.returncode}, {answer[0]}",
                  flush=True)
        except (Failure, OSError) as failure:
            failures += 1
            print(f"FAIL {what}: {failure}\nexit status {fault.job.process and fault.job.process.returncode}, "
                  f"standard error:\n{fault.job.process and fault.job.said()}\nreplay: --seed {options.seed} "
                  f"--kinds {kind} --only {number}", flush=True)
            clear(hosts, fault.job)
        longest = max(longest, time.monotonic() - begin)
    return len(numbers), failures, longest


def main():
    options = parse_options()
    if "CLUSTER_CONTROL" not in os.environ:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", str(len(HOSTS)), __file__, *sys.argv[1:]])
    # AddressSanitizer makes an exit status of the signal.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
    with open(RUN / "hosts", "a", encoding="ascii") as names:
        names.write(f"{SILENT} silent\n")
    ssh = RUN / "ssh_config"
    ssh.write_text("Host silent\n  ConnectTimeout 2\n" + ssh.read_text(encoding="ascii"), encoding="ascii")
    hosts = {host: Watcher(host) for host in HOSTS}
    for watcher in hosts.values():
        watcher.settle()
    print(f"REMIT_TEST_SEED={options.seed}", flush=True)
    results = {}
    for kind in options.kinds:
        numbers = range(options.rounds or FEW[kind]) if options.only is None else [options.only]
        results[kind] = play_kind(hosts, kind, numbers, options)
    print(f"{'kind':8} {'rounds':>6} {'passed':>6} {'failed':>6} {'longest':>9}")
    for kind, (rounds, failures, longest) in results.items():
        print(f"{kind:8} {rounds:6} {rounds - failures:6} {failures:6} {longest:7.1f} s")
    sys.exit(1 if any(failures for _, failures, _ in results.values()) else 0)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, help="of each kind (default: a few)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND",
                        help=f"of {', '.join(KINDS)} (default: all)")
    parser.add_argument("--only", type=int, metavar="N", help="only the round with this number")
    parser.add_argument("--seed", default=os.environ.get("REMIT_TEST_SEED"))
    options = parser.parse_args()
    if options.seed is None:
        options.seed = str(random.SystemRandom().randrange(1 << 32))
        sys.argv += ["--seed", options.seed]
    return options


if __name__ == "__main__":
    main()
