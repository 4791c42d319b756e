#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# mpirun from the outside: what it starts, reports, ends and leaves behind.
# Runs in the top build folder; MPIRUN and LAUNCHER_CLIENT name other binaries.
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

MPIRUN = os.path.abspath(os.environ.get("MPIRUN", "./mpirun"))
CLIENT = os.path.abspath(os.environ.get("LAUNCHER_CLIENT", "./launcher_client"))
PMI1_CLIENT = (sys.executable, str(pathlib.Path(__file__).resolve().with_name("pmi1_client.py")))
SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 30  # seconds: only a hang takes as long
PROC_ABORTED = 58  # MPI_ERR_PROC_ABORTED
IN_STATUS = 19  # MPI_ERR_IN_STATUS

# mpirun leaves signals alone that it was started with ignored, as a shell's background jobs and
# nohup have them; these tests are about the other case, however they themselves were started.
for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(ignored, signal.SIG_DFL)


def marked_environment(temporary):
    """What mpirun is started with, its files in `temporary`; and the mark in it, by which everything
    that it starts is found."""
    name, value = "LAUNCHER_TEST", uuid.uuid4().hex
    environment = {**os.environ, "TMPDIR": temporary, name: value}
    for variable in [v for v in environment if v.startswith("PMIX_")]:
        del environment[variable]
    return environment, f"{name}={value}"


def is_sanitized(path):
    """Whether it is built with a sanitizer that has an allocator of its own."""
    return re.search(b"__asan_init|__tsan_init", pathlib.Path(path).read_bytes()) is not None


def marked(mark):
    """(pid, parent) of living processes with the mark; zombies have no environment."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            with open(f"/proc/{entry}/environ", "rb") as file:
                if mark.encode() not in file.read():
                    continue
            with open(f"/proc/{entry}/stat") as file:
                found.append((int(entry), int(file.read().rsplit(")", 1)[1].split()[1])))
        except (OSError, IndexError):
            pass
    return found


class MpirunTest(unittest.TestCase):
    """Starts mpirun in the environment that setUp() has made."""

    limit = LIMIT

    def start(self, *arguments, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("stdin", subprocess.DEVNULL)
        options["env"] = {**self.environment, **options.get("env", {})}
        process = subprocess.Popen([MPIRUN, *arguments], start_new_session=True, **options)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def run_job(self, *arguments, status=0, data=None, **options):
        if data is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*arguments, **options)
        out, err = process.communicate(data, timeout=self.limit)
        out = (out or b"").decode()
        err = (err or b"").decode()
        self.assertEqual(process.returncode, status, f"{arguments}\n{out[-2000:]}\n{err[-2000:]}")
        return out, err

    def wait_for_line(self, stream):
        return stream.readline().decode()

    def own_messages(self, err):
        return [line for line in err.splitlines() if line.startswith("mpirun:")]

    def the_message(self, err):
        messages = self.own_messages(err)
        self.assertEqual(len(messages), 1, err)
        return messages[0]


class LauncherTest(MpirunTest):
    def setUp(self):
        self.temporary = tempfile.mkdtemp()  # mpirun's own directory is made in here
        self.environment, self.mark = marked_environment(self.temporary)

    def tearDown(self):
        try:
            self.assert_nothing_left()
        finally:
            for pid in self.marked():
                os.kill(pid, signal.SIGKILL)
            shutil.rmtree(self.temporary, ignore_errors=True)

    def marked(self):
        """Living processes that inherited this test's environment."""
        return [pid for pid, _ in marked(self.mark)]

    def assert_nothing_left(self):
        end = time.monotonic() + LIMIT
        while (self.marked() or os.listdir(self.temporary)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.marked(), [], "processes are left")
        self.assertEqual(os.listdir(self.temporary), [], "files are left")

    def wait_for_state(self, pids, state):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            states = []
            for pid in pids:
                with open(f"/proc/{pid}/stat") as file:
                    states.append(file.read().rsplit(")", 1)[1].split()[0])
            # D: a parent that waits for its vforked child, which was stopped before its exec.
            if all(s in (state, "D") for s in states):
                return
            time.sleep(0.02)
        self.fail(f"states are {states}, not {state}")


class Jobs(LauncherTest):
    def test_every_size(self):
        for size in range(1, 18):
            out, err = self.run_job("-n", str(size), CLIENT, "exchange")
            expected = sorted(f"rank {rank} of {size} ok" for rank in range(size))
            self.assertEqual(sorted(out.splitlines()), expected)
            self.assertEqual(err, "")

    def test_the_shortest_job(self):
        self.assertEqual(self.run_job("-n", "2", "true"), ("", ""))

    def test_direct_exchange_without_fence(self):
        out, _ = self.run_job("-np", "5", CLIENT, "direct")
        self.assertEqual(len(out.splitlines()), 5)

    def test_publish_and_parked_lookup(self):
        out, _ = self.run_job("-n", "3", CLIENT, "publish")
        self.assertEqual(len(out.splitlines()), 3)

    def test_programs_without_pmix(self):
        """They find PMI-1, whatever an outer launcher had offered, and strangers do not get in."""
        outer = {"PMI_FD": "77", "PMI_RANK": "5", "PMI_SIZE": "9"}
        for what, size in (("exchange", 1), ("exchange", 5), ("garbage", 2)):
            out, err = self.run_job("-n", str(size), *PMI1_CLIENT, what, env=outer)
            expected = [f"rank {rank} of {size} ok, (vector,(0,1,{size}))" for rank in range(size)]
            self.assertEqual(sorted(out.splitlines()), expected)
            refusals = "(mpirun: a program that asked for PMI 1 was refused: .*\n){3}" if what == "garbage" else ""
            self.assertRegex(err, f"^{refusals}$")
        _, err = self.run_job("-n", "3", *PMI1_CLIENT, "abort", "7", status=7)
        self.assertRegex(self.the_message(err), "rank 1 .* aborted the job with code 7")
        _, err = self.run_job("-n", "3", *PMI1_CLIENT, "leave", status=1)
        self.assertRegex(self.the_message(err), "rank 1 .* exited without calling MPI_Finalize")

    def keys(self, *arguments):
        out, _ = self.run_job(*arguments)
        lines = [dict(word.split("=", 1) for word in line.split()) for line in out.splitlines()]
        return sorted(lines, key=lambda line: int(line["rank"]))

    def test_keys_that_clients_read(self):
        keys = self.keys("-n", "3", "--bind-to", "core", CLIENT, "keys")
        for rank, key in enumerate(keys):
            universe = str(max(3, len(os.sched_getaffinity(0))))
            expected = {"size": "3", "universe": universe, "max": "3", "local_size": "3",
                        "local_rank": str(rank), "node_rank": str(rank), "app": "0", "apps": "1",
                        "nodes": "1", "peers": "0,1,2", "host": os.uname().nodename, "xml": "1",
                        "map": "(vector,(0,1,3))"}
            self.assertEqual({name: key[name] for name in expected}, expected)
            self.assertRegex(key["cpuset"], r"^\d")
            self.assertNotEqual(key["locality"], "-")

    def test_several_programs(self):
        keys = self.keys("-n", "2", CLIENT, "keys", ":", "-n", "1", CLIENT, "keys")
        self.assertEqual([key["app"] for key in keys], ["0", "0", "1"])
        self.assertEqual([key["apps"] for key in keys], ["2", "2", "2"])
        out, _ = self.run_job("-n", "2", "sh", "-c", "echo a $A", ":", "-x", "A=x", "-c", "3",
                              "sh", "-c", "echo b $A")
        self.assertEqual(sorted(out.splitlines()), ["a", "a", "b x", "b x", "b x"])

    def test_one_job_beside_another(self):
        jobs = [self.start("-n", "3", CLIENT, "exchange") for _ in range(4)]
        for job in jobs:
            out, err = job.communicate(timeout=LIMIT)
            self.assertEqual((job.returncode, len(out.splitlines())), (0, 3), err)

    def test_one_job_inside_another(self):
        out, _ = self.run_job("-n", "2", MPIRUN, "-n", "2", CLIENT, "exchange")
        self.assertEqual(sorted(out.splitlines()),
                         ["rank 0 of 2 ok"] * 2 + ["rank 1 of 2 ok"] * 2)

    def test_environment_and_directory(self):
        script = 'echo "$A|$B|$C|$D|$REMIT_SOME_THING|$(pwd)|$PWD"'
        out, _ = self.run_job("-x", "A", "-x", "B=b=b", "-env", "C", "-c c", "-genv", "D", "d",
                              "--param", "some_thing=7", "-wdir", "/usr", "sh", "-c", script,
                              env={"A": "a"})
        self.assertEqual(out, "a|b=b|-c c|d|7|/usr|/usr\n")
        _, err = self.run_job("-x", "NOT_SET_AT_ALL", "true", status=2)
        self.assertIn("NOT_SET_AT_ALL", self.the_message(err))
        _, err = self.run_job("-wdir", "/nonexistent", "true", status=2)
        self.assertIn("/nonexistent", self.the_message(err))
        gone = tempfile.mkdtemp()
        inside = 'cd "$0" && rmdir "$0" && exec "$@"'
        ended = subprocess.run(["sh", "-c", inside, gone, MPIRUN, "true"], stderr=subprocess.PIPE,
                               env=self.environment, timeout=60, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("the current folder", self.the_message(ended.stderr))

    def test_binding(self):
        show = "grep Cpus_allowed_list /proc/self/status"
        allowed, _ = self.run_job("--bind-to", "none", "sh", "-c", show)
        single, _ = self.run_job("sh", "-c", show)
        self.assertEqual(single, allowed)
        many, _ = self.run_job("-n", "200", "true")
        bound, err = self.run_job("--report-bindings", "--bind-to", "hwthread", "sh", "-c", show)
        self.assertRegex(bound, r"^Cpus_allowed_list:\s+\d+\n$")
        self.assertIn("bound to hwthread", err)

    def test_mapping_and_numbering(self):
        # Wherever this runs there is a core: the words are accepted, and each rank runs on what
        # the report says.
        show = "sed -n 's/Cpus_allowed_list:\\s*//p' /proc/self/status"
        for options in (("--map-by", "core"), ("--map-by", "socket", "--rank-by", "fill"),
                        ("--map-by", "slot:PE=1"), ("--map-by", "numa", "--bind-to", "core"),
                        ("--map-by", "hwthread", "--bind-to", "hwthread"), ("-bind-to", "core:1"),
                        ("--map-by", "ppr:1:node", "--bind-to", "socket")):
            out, err = self.run_job("-l", "--report-bindings", *options, "sh", "-c", show)
            lists = dict(re.findall(r"\[(\d+)\] (\S+)", out))
            said = dict(re.findall(r"rank (\d+) on host .* \(processors (\S+)\)", err))
            self.assertEqual((lists, len(said)), (said, 1), options)
        _, err = self.run_job("-n", "100", "--map-by", "slot:PE=1000", "true", status=2)
        self.assertIn("1000 core for each of 100 ranks", self.the_message(err))

    def test_default_binding_divides_the_cores(self):
        """One rule for every number of ranks: equal shares in order, as long as there is a core for
        each."""
        allowed = os.sched_getaffinity(0)
        show = "import os; print(*sorted(os.sched_getaffinity(0)))"
        _, err = self.run_job("-n", "1", "--report-bindings", "--bind-to", "core", "true")
        cores = int(re.search(r"core \d+ of (\d+) ", err)[1])
        for ranks in sorted({1, 2, 3, min(cores, 16), cores + 1}):
            if ranks > 64:
                continue
            out, err = self.run_job("-n", str(ranks), "-l", "--report-bindings", sys.executable, "-c", show)
            said = re.findall(r"mpirun: rank (\d+) on host \S+ is (?:not bound|bound to core (\d+)(?:-(\d+))? of)",
                              err)
            self.assertEqual([int(rank) for rank, _, _ in said], list(range(ranks)), err)
            lines = sorted(re.findall(r"\[(\d+)\] (.*)", out), key=lambda line: int(line[0]))
            runs_on = [{int(cpu) for cpu in cpus.split()} for _, cpus in lines]
            if ranks == 1 or ranks > cores:
                self.assertEqual((runs_on, "is bound" in err), ([allowed] * ranks, False), err)
                continue
            ends = [(int(first), int(last or first)) for _, first, last in said]
            expected = [(rank * cores // ranks, (rank + 1) * cores // ranks - 1) for rank in range(ranks)]
            self.assertEqual(ends, expected)
            self.assertEqual(set().union(*runs_on), allowed)
            self.assertEqual(sum(map(len, runs_on)), len(allowed), "shares overlap")

    def test_numbering(self):
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < 2:
            self.skipTest("there is one processor")
        a, b = allowed[:2]
        show = "import os; print(*os.sched_getaffinity(0))"
        for options, expected in (((), [a, b, a, b]), (("--rank-by", "fill"), [a, a, b, b]),
                                  (("--rank-by", "slot"), [a, a, b, b]),
                                  (("--rank-by", "span"), [a, b, a, b])):
            done = subprocess.run(["taskset", "-c", f"{a},{b}", MPIRUN, "-n", "4", "-l", "--map-by", "hwthread",
                                   "--bind-to", "hwthread", *options, sys.executable, "-c", show],
                                  env=self.environment, timeout=LIMIT, stdout=subprocess.PIPE, text=True)
            self.assertEqual(sorted(done.stdout.splitlines()),
                             [f"[{rank}] {cpu}" for rank, cpu in enumerate(expected)], options)

    def test_display_map(self):
        host = os.uname().nodename
        programs = ("--bind-to", "none", "-n", "2", "echo", "a b", ":", "-n", "1", "-wdir", "/usr", "true")
        expected = [f"mpirun: rank {rank} of 3 on host {host}: echo a b in {os.getcwd()}" for rank in (0, 1)]
        expected.append(f"mpirun: rank 2 of 3 on host {host}: true in /usr")
        for words in (("--display-map",), ("--display", "map"), ("-print-rank-map",)):
            out, err = self.run_job(*words, *programs)
            self.assertEqual((out, err.splitlines()), ("a b\n" * 2, expected), words)
        _, err = self.run_job("--display-map", "--bind-to", "hwthread", "true")
        self.assertRegex(err, r"^mpirun: rank 0 of 1 on host \S+, hwthread \d+ of \d+ "
                              r"\(processors \d+\): true in /.*\n$")

    def test_parameters_of_mpirun(self):
        out, _ = self.run_job("-n", "2", "echo", "x", env={"REMIT_TAG_OUTPUT": "yes"})
        self.assertEqual(sorted(out.splitlines()), ["[0] x", "[1] x"])
        out, _ = self.run_job("--param", "tag-output=yes", "echo", "x")
        self.assertEqual(out, "[0] x\n")
        _, err = self.run_job("-n", "2", "--report-bindings", "true", env={"REMIT_BIND_TO": "none"})
        self.assertEqual(len(re.findall("is not bound", err)), 2)
        _, err = self.run_job("--report-bindings", "--bind-to", "core", "true",
                              env={"REMIT_BIND_TO": "none"})
        self.assertIn("is bound to", err)

    def test_the_manual_has_each_option(self):
        """That is, all but those of other mpiruns that do nothing here; and each parameter of mpirun."""
        manual = (SOURCE / "docs" / "mpirun.1").read_text().replace("\\-", "-")
        described = set(re.findall(r"(?<![\w-])--?([a-zA-Z][\w-]*)", manual))
        own, ignored = set(), set()
        lines = self.run_job("--help")[0].splitlines()
        for line, after in zip(lines, [*lines[1:], ""]):
            option = re.match(r"  (-\S+)", line)
            names = re.findall(r"(?<![\w-])--([\w-]+)", option.group(1)) if option else ()
            (ignored if "Ignored, with a note" in line + after else own).update(names)
        self.assertLess({"np", "trace", "profile-dir", "gmca"}, own)
        self.assertIn("novm", ignored)
        self.assertEqual(own - ignored - described, set())
        header = (SOURCE / "runtime" / "launch_params.hpp").read_text()
        parameters = set(re.findall(r'ParamDecl \w+{\s*"(\w+)"', header))
        self.assertIn("trace", parameters)
        read = manual[manual.index(".B bind_to, "):manual.index("are read by\n")]
        # These two are for ranks.
        self.assertEqual(set(re.findall(r"\w+", read)) - {"B", "and"},
                         parameters - {"initial_errhandler", "memory_alloc_kinds"})

    def test_programs_from_a_file(self):
        name = os.path.join(self.temporary, "programs")
        with open(name, "w") as file:
            file.write("# two programs\n-n 2 echo 'a  b'\n\n-n 1 -x V=v sh -c 'echo $V $PMIX_RANK'\n")
        for option in ("--app", "-configfile"):
            out, _ = self.run_job("-l", option, name)
            self.assertEqual(sorted(out.splitlines()), ["[0] a  b", "[1] a  b", "[2] v 2"])
        os.remove(name)

    def test_options_of_other_mpiruns(self):
        out, err = self.run_job("--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self",
                                "-host", "localhost:2,127.0.0.1", "-genvlist", "PATH,TMPDIR,A",
                                "sh", "-c", "echo $OMPI_MCA_btl $A $B", env={"A": "a", "B": "b"})
        self.assertEqual((out, err), ("self a\n" * 3, ""))
        out, err = self.run_job("-ppn", "3", "-iface", "lo", "--tune", "/x", "echo", "x")
        self.assertEqual(out, "x\n" * 3)
        self.assertEqual(len(self.own_messages(err)), 2)
        self.assertIn("note: -iface is not needed", err)
        out, err = self.run_job("-q", "--tune", "/x", "-f", "/dev/null", "-bind-to", "core:1", "echo", "x")
        self.assertEqual((out, err), ("x\n", ""))

    def test_one_host_needs_no_way_to_others(self):
        for host in ("localhost:2", os.uname().nodename + ":2", "127.0.0.1:2"):
            out, err = self.run_job("--launcher-exec", "/nonexistent/ssh", "--host", host, CLIENT, "exchange")
            self.assertEqual((len(out.splitlines()), err), (2, ""), host)
        _, err = self.run_job("--launcher-exec", "/nonexistent/ssh", "--host", "no.such.host", "true", status=1)
        self.assertIn("/nonexistent/ssh", self.the_message(err))

    def test_memory_monitor_is_preloaded(self):
        script = 'echo "$LD_PRELOAD"'
        library = os.path.join(os.path.dirname(MPIRUN), ".libs", "libremit_memory.so")
        if is_sanitized(library):
            self.skipTest("programs without AddressSanitizer cannot load its library")
        for options in (["-x", "REMIT_MEMORY_MONITOR=preload"],
                        ["--param", "memory_monitor=preload"]):
            out, err = self.run_job("-n", "2", *options, "sh", "-c", script)
            self.assertEqual((out.splitlines(), err), ([os.path.realpath(library)] * 2, ""))
        out, _ = self.run_job("-x", "REMIT_MEMORY_MONITOR=preload", "-x", "LD_PRELOAD=" + library,
                              "sh", "-c", script)
        self.assertEqual(out.strip(), library)
        out, _ = self.run_job("-x", "REMIT_MEMORY_MONITOR=none", "sh", "-c", script)
        self.assertEqual(out.strip(), "")

    def test_environments_that_trap_others(self):
        """A very long TMPDIR, no home, no variables at all, one core."""
        folder = os.path.join(self.temporary, *["x" * 100] * 3)
        os.makedirs(folder)
        for change in ({"TMPDIR": folder}, {"HOME": "/nonexistent"}, {"HOME": ""}):
            out, _ = self.run_job("-n", "2", CLIENT, "exchange", env=change)
            self.assertEqual(len(out.splitlines()), 2, change)
        self.assertEqual(os.listdir(folder), [])
        shutil.rmtree(os.path.join(self.temporary, "x" * 100))
        _, err = self.run_job("true", status=1, env={"TMPDIR": "/nonexistent"})
        self.assertIn("set TMPDIR", self.the_message(err))
        core = max(os.sched_getaffinity(0))
        show = "grep Cpus_allowed_list /proc/self/status"
        for bind in ("share", "core", "none"):
            out = subprocess.run(["taskset", "-c", str(core), MPIRUN, "-n", "3", "--bind-to", bind,
                                  "sh", "-c", show], env=self.environment, timeout=LIMIT,
                                 stdout=subprocess.PIPE, text=True).stdout
            self.assertEqual(out, f"Cpus_allowed_list:\t{core}\n" * 3, bind)

    def test_bounded_start_of_many(self):
        out, _ = self.run_job("-n", "64", CLIENT, "exchange")
        self.assertEqual(len(out.splitlines()), 64)


class Failures(LauncherTest):
    def test_unknown_option(self):
        _, err = self.run_job("--report-binding", "true", status=2)
        self.assertIn("--report-bindings", self.the_message(err))

    def test_programs_that_cannot_run(self):
        _, err = self.run_job("-n", "2", "no-such-program", status=127)
        self.assertIn("no-such-program", self.the_message(err))
        self.assertIn("PATH", err)
        _, err = self.run_job("./no-such-program", status=127)
        self.assertIn("no-such-program", self.the_message(err))
        self.run_job("/etc/passwd", status=126)
        self.run_job("/", status=126)
        script = os.path.join(self.temporary, "script")
        for first_line, status in (("#!/no/such/interpreter", 127), ("exit 5", 5)):
            with open(script, "w") as file:
                file.write(first_line + "\n")
            os.chmod(script, 0o755)
            _, err = self.run_job("-n", "2", script, status=status)
            self.the_message(err)
        os.remove(script)

    def test_crash_abort_exit(self):
        cases = [(("signal", "11", "2"), 139, "rank 2 .* was killed by signal 11"),
                 (("signal", "9", "1"), 137, "rank 1 .* was killed by signal 9"),
                 (("abort", "7", "3"), 7, "rank 3 .* aborted the job with code 7: as asked"),
                 (("abort", "0", "0"), 1, "aborted the job with code 0"),
                 (("exit", "0", "1"), 1, "rank 1 .* exited without calling MPI_Finalize"),
                 (("exit", "5", "2"), 5, "rank 2 .* exited with status 5"),
                 (("exit-after", "6", "0"), 6, "rank 0 .* exited with status 6")]
        for arguments, status, text in cases:
            _, err = self.run_job("-n", "4", CLIENT, *arguments, status=status)
            message = self.the_message(err)
            self.assertRegex(message, text)
            self.assertIn("on host " + os.uname().nodename, message)
            if arguments[0] != "exit-after":
                self.assertRegex(message, r"the other 3 ranks were ended\.$")

    def test_a_failure_that_others_speak_of_first(self):
        """Who missed a rank is not the cause, if the launcher soon hears of one."""
        words = "another member of the communicator failed, or the members' counts do not agree"
        gone = "rank 0: its process has ended"
        several = f"MPI_Waitall failed: MPI_ERR_PROC_ABORTED: {gone}"
        for code, text in ((PROC_ABORTED, "a peer"), (16, f"MPI_Bcast failed: {words}; {gone}"),
                           (IN_STATUS, several)):
            _, err = self.run_job("-n", "4", CLIENT, "signal", "9", "2", str(code), text, status=137)
            self.assertRegex(self.the_message(err), "rank 2 .* was killed by signal 9")
            _, err = self.run_job("-n", "4", CLIENT, "signal", "9", "9", str(code), text, status=code)
            self.assertIn(f"aborted the job with code {code}: {text}", self.the_message(err))
        _, err = self.run_job("-n", "4", CLIENT, "signal", "9", "2", "16", "something else", status=16)
        self.assertIn("aborted the job with code 16: something else", self.the_message(err))
        too_long = "MPI_Waitall failed: MPI_ERR_TRUNCATE: the message is longer"
        _, err = self.run_job("-n", "4", CLIENT, "signal", "9", "2", str(IN_STATUS), too_long,
                              status=IN_STATUS)
        self.assertIn(f"aborted the job with code {IN_STATUS}: {too_long}", self.the_message(err))

    def test_exit_codes_of_all(self):
        host = os.uname().nodename
        _, err = self.run_job("-n", "3", "-print-all-exitcodes", "true")
        self.assertEqual(err, f"mpirun: exit codes: [{host}] 0,0,0\n")
        up = [os.path.join(self.temporary, f"up{rank}") for rank in (0, 2)]
        script = (f'case $PMIX_RANK in 0) trap "exit 7" TERM; >{up[0]};; 2) >{up[1]};; '
                  f'1) until [ -e {up[0]} ] && [ -e {up[1]} ]; do sleep 0.05; done; exit 5;; esac; '
                  'while :; do sleep 0.1; done')
        _, err = self.run_job("-n", "3", "--print-all-exitcodes", "sh", "-c", script, status=5)
        codes, cause = self.own_messages(err)
        self.assertEqual(codes, f"mpirun: exit codes: [{host}] 7,5,{128 + signal.SIGTERM}")
        self.assertRegex(cause, "rank 1 .* exited with status 5")
        for path in up:
            os.remove(path)

    def test_without_mpi_a_rank_may_end_early(self):
        out, err = self.run_job("-n", "3", "sh", "-c",
                                'test $PMIX_RANK = 0 || { sleep 0.5; echo late; }')
        self.assertEqual((out, err), ("late\n" * 2, ""))

    def test_wrapped_program(self):
        _, err = self.run_job("-n", "2", "sh", "-c", f"{CLIENT} signal 6 1", status=134)
        self.the_message(err)

    def test_ranks_that_ignore_sigterm(self):
        script = 'trap "" TERM; echo up; if [ $PMIX_RANK = 0 ]; then exit 4; fi; while :; do sleep 1; done'
        _, err = self.run_job("-n", "3", "--grace", "0.3", "sh", "-c", script, status=4)
        self.the_message(err)

    def test_output_of_a_dying_job(self):
        script = 'trap "echo last words; exit 0" TERM; if [ $PMIX_RANK = 0 ]; then sleep 0.5; exit 4; fi; while :; do sleep 0.1; done'
        out, _ = self.run_job("-n", "3", "sh", "-c", script, status=4)
        self.assertEqual(out, "last words\n" * 2)

    def test_timeout(self):
        _, err = self.run_job("-n", "2", "--timeout", "0.5", "sleep", "100", status=124)
        self.assertIn("--timeout", self.the_message(err))
        # Where each rank was.
        self.assertRegex(err, r"\n +0 +\S+ +\d+ .* asleep.* sleep .*\n +1 +\S+ +\d+ ")
        _, err = self.run_job("sleep", "100", status=124, env={"MPIEXEC_TIMEOUT": "1"})
        self.assertIn("1 seconds", self.the_message(err))
        _, err = self.run_job("true", status=2, env={"MPIEXEC_TIMEOUT": "soon"})
        self.assertIn("MPIEXEC_TIMEOUT=soon", self.the_message(err))

    def test_timeout_says_how_far_ranks_are_in_mpi(self):
        script = f"if [ $PMIX_RANK = 1 ]; then {CLIENT} exchange; fi; sleep 100 & wait"
        _, err = self.run_job("-n", "2", "--timeout", "1", "sh", "-c", script, status=124)
        self.assertRegex(err, r"\n +0 +.* before MPI_Init, or without MPI\n")
        self.assertRegex(err, r"\n +1 +.* between MPI_Init and MPI_Finalize\n")

    def test_stack_traces(self):
        _, err = self.run_job("--timeout", "0.5", "--get-stack-traces", "sleep", "100", status=124)
        if shutil.which("gdb"):
            self.assertRegex(err, r"\[0\] #0 ")
        else:
            self.assertIn("install gdb", err)

    def test_wrong_values(self):
        """One message that names the option and the value, and nothing was started."""
        cases = [("--map-by", "moon"), ("--rank-by", "moon"), ("--bind-to", "moon"),
                 ("--map-by", "core:PE=x"), ("--map-by", "ppr:0:core"), ("--stdin", "7"),
                 ("--stdin", "some"), ("--output", "moon"), ("--display", "moon"),
                 ("--host", "there:x"), ("--hostfile", "/no/such/file"), ("--rankfile", "/no/such/file"),
                 ("--app", "/no/such/file"), ("--timeout", "soon"), ("-n", "many"),
                 ("--cpus-per-rank", "0"), ("--param", "bind_to=moon"),
                 ("--param", "tag_output=moon")]
        for option, value in cases:
            out, err = self.run_job(option, value, "echo", "started", status=2)
            message = self.the_message(err)
            self.assertIn(value, message)
            self.assertEqual(out, "", option)
        for name, value in (("REMIT_BIND_TO", "moon"), ("REMIT_JOB_GRACE", "-5")):
            _, err = self.run_job("true", status=2, env={name: value})
            self.assertIn(value, self.the_message(err))

    def test_few_file_descriptors(self):
        ends = set()
        for limit in range(10, 60, 2):
            done = subprocess.run(["sh", "-c", f"ulimit -n {limit}; exec \"$0\" \"$@\"", MPIRUN, "-n",
                                   "4", CLIENT, "exchange"], env=self.environment, timeout=LIMIT,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            ends.add(done.returncode)
            if done.returncode != 0:
                self.assertRegex(self.the_message(done.stderr), "open files|ulimit", limit)
        self.assertEqual(ends, {0, 1})


class Signals(LauncherTest):
    def start_sleepers(self, *options):
        script = "sleep 100 & setsid sleep 100 & (trap '' HUP; sleep 100 &) ; echo up; wait"
        process = self.start(*options, "-n", "3", "sh", "-c", script)
        for _ in range(3):
            self.assertEqual(self.wait_for_line(process.stdout), "up\n")
        # mpirun, its guardian, and four of each rank. Who is just about to become `sleep` has no environment:
        # so they are counted when all have.
        end = time.monotonic() + LIMIT
        names = []
        while (names.count("sleep"), len(names)) != (9, 14) and time.monotonic() < end:
            time.sleep(0.02)
            names = [self.name(pid) for pid in self.marked()]
        self.assertEqual((names.count("sleep"), len(names)), (9, 14), names)
        return process

    @staticmethod
    def name(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii").rstrip("\n")
        except OSError:
            return ""

    def test_interrupt_and_termination(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start_sleepers()
            process.send_signal(number)
            _, err = process.communicate(timeout=LIMIT)
            status = -number if number == signal.SIGINT else 128 + number
            self.assertEqual(process.returncode, status)
            self.assertRegex(self.the_message(err.decode()), r"its 3 ranks were ended\.$")
            self.assert_nothing_left()

    def test_second_interrupt_does_not_wait(self):
        process = self.start("--grace", "1000", "-n", "2", "sh", "-c",
                             'trap "" TERM; echo up; while :; do sleep 1; done')
        for _ in range(2):
            self.wait_for_line(process.stdout)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_mpirun_is_killed(self):
        process = self.start_sleepers()
        process.kill()
        process.wait()
        self.assert_nothing_left()

    def test_process_group_of_mpirun_is_killed(self):
        process = self.start_sleepers()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.assert_nothing_left()

    def test_everything_called_mpirun_is_killed(self):
        """As "pkill -9 -f mpirun" does, by which people end what hangs."""
        process = self.start_sleepers()
        for pid in self.marked():
            # One may have died of the death of another.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read()
                with open(f"/proc/{pid}/comm", "rb") as file:
                    words += file.read()
                if b"mpirun" in words:
                    os.kill(pid, signal.SIGKILL)
        process.wait(LIMIT)
        self.assert_nothing_left()

    def kill_all_at_once(self):
        """As batch systems and containers end what runs in them, and a kernel without memory."""
        process = self.start_sleepers()
        pids = self.marked()
        guardian = [pid for pid in pids if self.parent(pid) == process.pid]
        process.send_signal(signal.SIGSTOP)
        for pid in [*guardian, process.pid, *pids]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait(LIMIT)

    def test_everything_is_killed_at_once(self):
        """The next job removes the directory that nobody was left to remove, and no other one."""
        self.kill_all_at_once()
        left = pathlib.Path(self.temporary, os.listdir(self.temporary)[0])
        foreign = left.with_name("remit.01234567." + left.suffix[1:])  # another kernel's
        foreign.mkdir()
        living = self.start_sleepers()
        lives = pathlib.Path(self.temporary, *set(os.listdir(self.temporary)) - {left.name, foreign.name})
        self.run_job("-n", "1", "true")
        self.assertTrue(left.exists(), "it may be a job's that has just begun")
        for each in (left, foreign, lives):
            os.utime(each, (0, 0))
        self.run_job("-n", "1", "true")
        end = time.monotonic() + LIMIT
        while left.exists() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(sorted(os.listdir(self.temporary)), sorted([foreign.name, lives.name]))
        foreign.rmdir()
        living.send_signal(signal.SIGTERM)
        living.communicate(timeout=LIMIT)
        self.assert_nothing_left()

    def test_guardian_is_killed(self):
        process = self.start_sleepers()
        guardian = [pid for pid in self.marked() if self.parent(pid) == process.pid]
        self.assertEqual(len(guardian), 1)
        os.kill(guardian[0], signal.SIGKILL)
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 1)
        self.assertIn("guardian", self.the_message(err.decode()))

    def parent(self, pid):
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])

    def test_user_signals_are_forwarded(self):
        script = 'trap "echo got 1" USR1; trap "echo got 2" USR2; echo up; while :; do sleep 0.05; done'
        process = self.start("-n", "2", "sh", "-c", script)
        for number, line in ((None, "up\n"), (signal.SIGUSR1, "got 1\n"), (signal.SIGUSR2, "got 2\n")):
            if number:
                process.send_signal(number)
            self.assertEqual([self.wait_for_line(process.stdout) for _ in range(2)], [line] * 2)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=LIMIT)
        self.assertEqual((process.returncode, out), (128 + signal.SIGTERM, b""))

    def test_quit_prints_where_ranks_are(self):
        process = self.start("-n", "2", "sh", "-c", "echo up; sleep 1; echo end")
        for _ in range(2):
            self.wait_for_line(process.stdout)
        process.send_signal(signal.SIGQUIT)
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual((process.returncode, out), (0, b"end\n" * 2))
        self.assertRegex(err.decode(), r"\n +0 +\S+ +\d+ .*\n +1 +\S+ +\d+ ")

    def test_stop_and_continue(self):
        process = self.start("-n", "2", "sh", "-c", "echo $$; sleep 0.5; exec sleep 0.5")
        pids = [int(self.wait_for_line(process.stdout)) for _ in range(2)]
        process.send_signal(signal.SIGTSTP)
        self.wait_for_state([process.pid, *pids], "T")
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0)

    def test_what_ranks_leave_behind(self):
        out, err = self.run_job("--grace", "0.3", "-n", "2", "sh", "-c",
                                "(sleep 0.1; echo late) & setsid sleep 100 & exit 0")
        self.assertEqual((out, err), ("late\n" * 2, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
