#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The options of the benchmark suite and of raw_collectives, and the processes that they start: no figure
decides. Runs in the top build folder; MPIRUN names another binary."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only, as in make distcheck
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "launcher"))

from launcher import is_sanitized

MPIRUN = os.environ.get("MPIRUN", "./mpirun")
SUITE = "benchmarks/suite"
RAW = "benchmarks/raw_collectives"
OPERATIONS = ("latency", "bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce")
LIMIT = 120  # seconds: only a hang takes as long
MARK = "REMIT_TEST_BENCHMARKS"


def run(*words):
    return subprocess.run(list(map(str, words)), text=True, capture_output=True, check=False, timeout=LIMIT)


def program(name, ranks, *arguments):
    return run(MPIRUN, "-n", ranks, f"{SUITE}/{name}", *arguments)


def eventually(question, seconds=20):
    """The answer, which may take a while to be true."""
    end = time.monotonic() + seconds
    while not (answer := question()) and time.monotonic() < end:
        time.sleep(0.05)
    return answer


def marked(mark):
    """{process: its arguments} of what has the mark in its environment, however far removed."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"{MARK}={mark}\0".encode() in (entry / "environ").read_bytes():
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
                if words:  # a zombie has none
                    found[int(entry.name)] = words
        except OSError:
            pass
    return found


class Options(unittest.TestCase):
    def refused(self, said, name, *arguments, ranks=2):
        done = program(name, ranks, *arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(len(re.findall(re.escape(said), done.stderr)), 1, f"{said}: {done.stderr}")
        self.assertNotIn("# Size", done.stdout)

    def test_wrong_values_are_named(self):
        for value in ("4096", "16,4096", "-1", "x", "16,", "1,2,3", ""):
            self.refused(f"latency: option --offset: bad value '{value}': give bytes behind a page, from 0 to 4095",
                         "latency", f"--offset={value}")
        for value in ("0", "64X", "M", "-5", "1M,2M"):
            self.refused(f"option --rotate: bad value '{value}': give a size such as 64M", "bcast",
                         f"--rotate={value}")
        self.refused("option --neighbour: bad value 'sleep': give compute or stream", "bw", "-N", "sleep")
        self.refused("--with-barrier and --back-to-back exclude each other", "allreduce", "-B", "-L")
        self.refused("option '-o' needs a value", "pack", "-o")
        self.refused("option --window: bad value 'made': give allocate, create, dynamic or shared", "lock", "-w", "made")
        self.refused("option --sync: bad value '': give flush, flush_local, lock", "put_bw", "--sync=")
        self.refused("--nonblocking has no place in --sync fence and pscw", "get_latency", "-S", "pscw", "-n")
        self.refused("option --offset: give multiples of 8", "acc_latency", "-o", "8,12")

    def test_options_of_other_programs_are_unknown(self):
        for name, option in (("barrier", "--touch"), ("latency", "--back-to-back"), ("hello", "--touch"),
                             ("fresh", "--offset=1"), ("latency", "--window=create"), ("fence", "--sync=lock"),
                             ("cas_latency", "--nonblocking")):
            self.refused(f"{name}: unknown option '{option}'", name, option)
        self.refused("barrier: unknown option '-o'", "barrier", "-o", "3")

    def test_what_does_not_fit_is_told_with_the_remedy(self):
        said = "two buffers of 65536 bytes do not fit in 65536: give 129K at least, or smaller messages"
        self.refused(f"latency: option --rotate: {said}", "latency", "-r", "64K", "-s", "8,64K")
        self.assertEqual(program("latency", 2, "-r", "129K", "-s", "8,64K", "-i", "5", "-c").returncode, 0)

    def test_help_lists_what_there_is(self):
        for name, has, lacks in (
            ("latency", ("--offset", "--rotate", "--touch", "--neighbour"), ("--back-to-back", "--window-size")),
            ("alltoallw", ("--offset", "--back-to-back", "--with-barrier", "--nonblocking"), ("--buffers",)),
            ("barrier", ("--back-to-back", "--neighbour"), ("--offset", "--sizes")),
            ("put_bibw", ("--window-size", "--window", "--sync", "--nonblocking", "--offset"), ("--back-to-back",)),
            ("cas_latency", ("--window", "--sync", "--alloc-mem"), ("--window-size", "--sizes", "--offset")),
            ("win_create", ("--window", "--full"), ("--sync", "--touch")),
            ("unpack", ("--touch", "--alloc-mem"), ("--sizes", "--validation", "--full")),
        ):
            done = program(name, 2, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.count("usage:"), 1)
            for option in has:
                self.assertIn(option, done.stdout)
            for option in lacks:
                self.assertNotIn(option, done.stdout)

    def test_tables_say_where_the_buffers_lie(self):
        def header(*arguments):
            done = program("allgather", 2, "-s", "1M", "-i", "2", "-x", "1", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        places = r"sent from page \+ (\d+), received at page \+ (\d+)"
        told = re.search(rf"# Buffers as malloc gives them: {places}; the same ones each time\n", header())
        self.assertIsNotNone(told)
        if not is_sanitized(MPIRUN):  # where malloc is another
            self.assertEqual(told.groups(), ("16", "16"))
        self.assertIn("# Buffers as --offset says: sent from page + 2048, received at page + 16; another one each "
                      "time, out of 65536 KB; data are written before and read behind each transfer\n",
                      header("-o", "2048,16", "-r", "64M", "-t"))
        self.assertIn("sent from page + 8, received at page + 24;", program("pack", 1, "-i", "1", "-o", "8,24").stdout)
        self.assertIn("MPI_Allgather, with a barrier behind each, 2 ranks", header("-B"))
        self.assertIn("MPI_Allgather, back to back, 2 ranks", header("-L"))


class Neighbours(unittest.TestCase):
    """Another process on each core: it works, and it goes, whatever ends the job."""

    def start(self, *command):
        mark = f"{os.getpid()}.{time.monotonic_ns()}"
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                 env={**os.environ, MARK: mark})
        self.addCleanup(self.end, child, mark)
        return child, mark

    def end(self, child, mark):
        child.kill()
        child.wait()
        child.stdout.close()
        for process in marked(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def neighbours(self, mark):
        return {process: words for process, words in marked(mark).items() if "--be-a-neighbour" in words}

    def start_with(self, kind, *command):
        """A job that runs long enough, when all its neighbours work."""
        child, mark = self.start(*command, "-N", kind, "-i", "1000000000")
        cores = os.sched_getaffinity(0)
        found = eventually(lambda: len(self.neighbours(mark)) >= len(cores) and self.neighbours(mark))
        self.assertTrue(found, "they were not started")
        self.assertEqual({words[2] for words in found.values()}, {kind})
        def places():
            return sorted(tuple(os.sched_getaffinity(process)) for process in found)
        one_each = sorted((core,) for core in cores)
        self.assertTrue(eventually(lambda: places() == one_each), f"not one on each core: {places()}")
        return child, mark

    def seconds_of(self, process):
        fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_they_work(self):
        for kind in ("compute", "stream"):
            _, mark = self.start_with(kind, MPIRUN, "-n", "2", f"{SUITE}/latency", "-s", "8")
            for process in self.neighbours(mark):
                self.assertTrue(eventually(lambda process=process: self.seconds_of(process) > 0.1), kind)

    def test_a_killed_rank_takes_them_along(self):
        child, mark = self.start_with("compute", MPIRUN, "-n", "2", f"{SUITE}/latency", "-s", "8")
        parents = {int(words[4]) for words in self.neighbours(mark).values()}
        self.assertEqual(len(parents), 1)
        os.kill(parents.pop(), signal.SIGKILL)
        self.assertTrue(eventually(lambda: not self.neighbours(mark)), marked(mark))
        self.assertNotEqual(child.wait(LIMIT), 0)
        self.assertTrue(eventually(lambda: not marked(mark)), marked(mark))

    def test_a_killed_mpirun_takes_them_along(self):
        child, mark = self.start_with("stream", MPIRUN, "-n", "2", f"{SUITE}/allreduce", "-s", "8")
        child.kill()
        self.assertTrue(eventually(lambda: not marked(mark)), marked(mark))

    def test_killed_raw_loops_take_them_along(self):
        child, mark = self.start_with("compute", RAW, "allreduce", "2", "-s", "8")
        child.kill()
        self.assertTrue(eventually(lambda: not marked(mark)), marked(mark))

    def test_they_end_with_the_measurement(self):
        child, mark = self.start(MPIRUN, "-n", "2", f"{SUITE}/bcast", "-s", "8", "-i", "20", "-N", "compute")
        out = child.communicate(timeout=LIMIT)[0].decode()
        self.assertEqual(child.returncode, 0, out)
        self.assertIn("# On each core another process computes\n", out)
        self.assertEqual(marked(mark), {})


class RawLoops(unittest.TestCase):
    def run_raw(self, *arguments):
        done = run(RAW, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]

    def test_data_arrive(self):
        sizes = "4,8192,8196,100004"
        for operation in OPERATIONS:
            for ranks in ("2",) if operation == "latency" else ("2", "5"):
                for more in ((), ("-t", "-o", "1,0", "-r", "4M")):
                    mode = ["-L"] if more and operation != "latency" else []
                    rows = self.run_raw(operation, ranks, "-c", "-s", sizes, "-i", "3", "-x", "1", *mode, *more)
                    self.assertEqual([row[0] for row in rows], sizes.split(","))
                    self.assertEqual({row[2] for row in rows}, {"Pass"})
                    self.assertTrue(all(float(row[1]) > 0 for row in rows))

    def test_wrong_words_are_named(self):
        for words, said in ((["bcst", "2"], "OPERATION: latency bcast"), (["bcast", "1"], "RANKS: bad value '1'"),
                            (["latency", "3"], "RANKS: bad value '3': give 2, for latency"), (["bcast"], "usage:"),
                            (["bcast", "2", "-o", "5000"], "option --offset: bad value '5000'"),
                            (["alltoall", "4", "-s", "1M", "-r", "1M"], "two buffers of 4194304 bytes do not fit"),
                            (["bcast", "2", "--alloc-mem"], "unknown option '--alloc-mem'")):
            done = run(RAW, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)

    def test_help(self):
        for words in (["--help"], ["allreduce", "4", "-h"]):
            done = run(RAW, *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("--rotate", done.stdout)
            self.assertNotIn("mpirun", done.stdout)

    def test_limits_in_the_trap(self):
        done = run("benchmarks/raw_limits")
        self.assertEqual(done.returncode, 0)
        names = {line.split()[0] for line in done.stdout.splitlines() if not line.startswith("#")}
        self.assertLessEqual({"memcpy_64K", "memcpy_64K_16_ahead", "memcpy_64K_1_ahead"}, names)
        if "vm_readv_64K" in names:
            self.assertLessEqual({"vm_readv_64K_16_ahead", "vm_readv_64K_1_ahead"}, names)


class Files(unittest.TestCase):
    WHATS = {"first_write", "write", "read"}

    def test_raw_loops(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("benchmarks/raw_files", "-n", "3", "-m", "1", "-r", "1", f"{folder}/file")
            self.assertEqual((done.returncode, done.stderr, os.listdir(folder)), (0, "", []))
        rows = [line.split() for line in done.stdout.splitlines()]
        self.assertTrue(all(float(row[3]) > 0 for row in rows))
        for pattern in ("run", "tiles", "blocks_64", "headers"):
            self.assertEqual({row[2] for row in rows if row[0] == pattern}, self.WHATS)
        self.assertIn(["shared_pointer", "raw", "write"], [row[:3] for row in rows])

    def test_wrong_words_are_named(self):
        for program in ([MPIRUN, "-n", "2", f"{SUITE}/file_patterns"], ["benchmarks/raw_files"]):
            done = run(*program, "-p", "tile", "unused")
            self.assertEqual(done.returncode, 2)
            self.assertIn("no pattern has the name 'tile'", done.stderr)
            self.assertIn("blocks_64_one_type", done.stderr)
            self.assertIn("usage:", run(*program).stderr)

    @unittest.skipIf(is_sanitized(MPIRUN), "what the script compiles has no sanitizer")
    def test_the_script(self):
        script = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "files"
        with tempfile.TemporaryDirectory() as folder:
            done = run(
                script, "--remit", ".", "--mpis", "remit", "--folders", folder, "--ranks", "2", "--mib", "1",
                "--rounds", "2", "--repeats", "1", "--patterns", "blocks_64,open",
                "--json", f"{folder}/files.json",
            )
            self.assertEqual((done.returncode, os.listdir(folder)), (0, ["files.json"]), done.stderr)
            cells = json.loads(pathlib.Path(folder, "files.json").read_text(encoding="utf-8"))["cells"]
        self.assertIn("| blocks_64 |", done.stdout)
        found = {(cell["pattern"], cell["calls"], cell["what"]): cell["figures"] for cell in cells}
        for calls in ("collective", "independent"):
            for what in self.WHATS:
                self.assertEqual(len(found["blocks_64", calls, what]["remit"]), 2)
        self.assertEqual(len(found["open", "collective", "open_close"]["remit"]), 2)
        self.assertNotIn(("open", "independent", "open_close"), found)

    @unittest.skipIf(is_sanitized(MPIRUN), "what the script compiles has no sanitizer")
    def test_checkpoints(self):
        script = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "checkpoints"
        with tempfile.TemporaryDirectory() as folder:
            done = run(
                script, "--remit", ".", "--mpis", "remit", "--folders", folder, "--mib", "1", "--checkpoints", "1",
                "--ms", "5", "--rounds", "2", "--row", "64", "--plot", f"{folder}/plot.svg",
                "--json", f"{folder}/figures.json",
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["figures.json", "plot.svg"])
            rows = json.loads(pathlib.Path(folder, "figures.json").read_text(encoding="utf-8"))
            self.assertIn("</svg>", pathlib.Path(folder, "plot.svg").read_text(encoding="utf-8"))
        self.assertEqual({row["way"]: len(row["figures"]) for row in rows},
                         {"without": 2, "blocking": 2, "nonblocking": 2})


if __name__ == "__main__":
    unittest.main()
