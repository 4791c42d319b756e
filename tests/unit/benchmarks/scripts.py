#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The scripts that set MPIs side by side (benchmarks/compare, programs/run, startup, instructions), with libraries
that are shell scripts, virtual ranks of benchmarks/scale, benchmarks/tune, and a few rounds of the endurance test. No time
decides.
Runs in the top build folder."""
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

sys.dont_write_bytecode = True  # the source folder may be read-only
TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS.parent / "benchmarks"))

import cells
import libraries
from cases import Case, Condition

LIMIT = 300  # seconds: only a hang takes as long
compare = libraries.load_compare()
compare.sample = lambda *_: None  # the machine's limits take seconds


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
    path.chmod(0o755)
    return path


def pretended(folder, name, program):
    """A library whose programs all are that line of a shell script."""
    written = f'printf "#!/bin/sh\\n%s\\n" \'{program}\' > $2; chmod +x $2'
    mpicc = f'while [ "$1" != -o ]; do shift; done; {written}'
    mpirun = '[ "$1" = --version ] && exec echo 1.2.3; shift 2; exec "$@"'
    executable(folder / name / "bin" / "mpicc", mpicc)
    executable(folder / name / "bin" / "mpirun", mpirun)
    return libraries.find_other(f"{name}={folder / name}")


def options_of(**changed):
    values = {"programs": ["barrier"], "sizes": "8", "ranks": 2, "rounds": 3, "timeout": 30,
              "iterations": None, "offsets": [None], "rotate": [None], "touch": False, "neighbour": None,
              "modes": ["between"], "windows": ["allocate"], "syncs": ["flush"], "bound": None, "raw_bound": None, "equal": None}
    return types.SimpleNamespace(**{**values, **changed})


def parsed(*words):
    """The options of benchmarks/compare."""
    with unittest.mock.patch.object(sys, "argv", ["compare", *words]):
        return compare.parse_options()


def figures_of(results, first="a", equal=None):
    return cells.Figures(results, first, equal)


BARRIER = Case("barrier", Condition(mode="between"))


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="scripts.")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Comparing(InFolder):
    def test_best_median_and_worst(self):
        figures = figures_of({BARRIER: {0: {"a": [9.0, 2.0, 3.0], "b": [4.0]}},
                              Case("bw"): {8: {"a": [9.0, 2.0, 3.0], "b": [3.0]}, 16: {"a": [7.0]}}})
        lower = compare.table(BARRIER, figures, self.two())
        self.assertEqual(lower[1], ["", "**2.00** (3.00, 9.00)", "4.00 (4.00, 4.00)", "0.50"])
        higher = compare.table(Case("bw"), figures, self.two())
        self.assertEqual(higher[1:], [["8 B", "**9.00** (3.00, 2.00)", "3.00 (3.00, 3.00)", "3.00"],
                                      ["16 B", "**7.00** (7.00, 7.00)", "-", "-"]])

    def two(self):
        return [libraries.Mpi(name, [], []) for name in ("a", "b")]

    def test_floor(self):
        samples = {"context_switch": [(1.5, "us"), (1.25, "us")]}
        self.assertEqual(compare.floor_of(8, 2, samples), 5)
        self.assertIsNone(compare.floor_of(2, 2, samples), "each rank has a core")
        self.assertIsNone(compare.floor_of(8, 2, {}))
        results = {BARRIER: {0: {"a": [2.0]}}, Case("bw"): {8: {"a": [2.0]}}}
        crowded = options_of(ranks=8, programs=["barrier", "bw"])
        text = compare.report(self.two()[:1], crowded, 2, results, samples, {})
        self.assertEqual([line.split("|")[-2].strip() for line in text.splitlines()
                          if line.startswith("|") and "2.00" in line], ["5.00", "2.00 (2.00, 2.00)"])

    def test_a_library_that_takes_too_long(self):
        runs, pid = self.folder / "runs", self.folder / "pid"
        slow = pretended(self.folder, "slow", f"echo >> {runs}; echo $$ > {pid}; exec sleep 100")
        quick = pretended(self.folder, "quick", "echo 1.5")
        for mpi in (slow, quick):
            compare.build(mpi, ["barrier"], self.folder)
        options = options_of(timeout=3)
        results, _, failures = compare.measure([slow, quick], options, 2, self.folder, None)
        self.assertEqual(results, {BARRIER: {0: {"quick": [1.5] * 3}}})
        self.assertEqual(failures, {("slow", BARRIER): "no result within 3 s"})
        self.assertEqual(runs.read_text(encoding="ascii"), "\n", "it is not run again")
        self.assertFalse(pathlib.Path("/proc", pid.read_text(encoding="ascii").strip()).exists())

    def test_programs_of_collectives(self):
        """The rows of the one source are the names that can be asked for, and i before them is -n."""
        text = (compare.SUITE / "collectives.c").read_text(encoding="ascii")
        rows = re.findall(r'(?:\.name = |MOVES\(|SUMS\()"(\w+)"', text)
        self.assertEqual(sorted(rows), sorted(compare.BLOCKING))
        log = self.folder / "log"
        mpi = pretended(self.folder, "a", f"echo $0 $* >> {log}; echo 4 1.5")
        compare.build(mpi, ["scan", "iscan", "ibarrier"], self.folder)
        options = options_of(programs=["scan", "iscan", "ibarrier"], rounds=1, sizes="4")
        results, _, failures = compare.measure([mpi], options, 2, self.folder, None)
        self.assertEqual(failures, {})
        between = BARRIER.condition
        self.assertEqual(results, {Case("scan", between): {4: {"a": [1.5]}},
                                   Case("iscan", between): {4: {"a": [1.5]}},
                                   Case("ibarrier", between): {0: {"a": [4.0]}}})
        self.assertEqual(self.ran(log), ["scan -s 4", "scan -n -s 4", "barrier -n"])
        self.assertEqual(compare.heading(Case("iscan", between)),
                         "MPI_Iscan (us, lower is better): malloc'd buffers; between barriers")

    def ran(self, log):
        """The programs that a pretended library has run, with their arguments."""
        return [" ".join(line.rsplit("/", 1)[1].split()) for line in log.read_text().splitlines()]

    def test_modes_of_collectives(self):
        for words, modes in (([], ["between"]), (["--with-barrier"], ["with-barrier"]),
                             (["--back-to-back"], ["back-to-back"]),
                             (["--modes", "back-to-back,between"], ["back-to-back", "between"]),
                             (["--with-barrier", "--back-to-back"], ["with-barrier", "back-to-back"])):
            self.assertEqual(parsed(*words).modes, modes)
        options = options_of(modes=["between", "with-barrier", "back-to-back"],
                             programs=["ibcast", "latency", "barrier"])
        cases = compare.cases_of(options)
        self.assertEqual([compare.arguments_of(case, options, 2) for case in cases],
                         [["-s", "8"], ["-s", "8", "-B"], ["-s", "8", "-L"], ["-s", "8"], [], ["-B"], ["-L"]])
        self.assertEqual([compare.heading(case).partition(": ")[2] for case in cases],
                         ["malloc'd buffers; between barriers", "malloc'd buffers; with the barrier behind each call",
                          "malloc'd buffers; back to back", "malloc'd buffers", "between barriers",
                          "with the barrier behind each call", "back to back"])

    def test_conditions_are_passed_on_and_named(self):
        log = self.folder / "log"
        mpi = pretended(self.folder, "a", f"echo $0 $* >> {log}; echo 8 1.5")
        compare.build(mpi, ["bcast", "pack", "barrier"], self.folder)
        given = parsed("--programs", "bcast,pack,barrier", "--offsets", "malloc:0,16", "--rotate", "0,64m", "--touch",
                       "--neighbour", "stream", "--rounds", "1", "--sizes", "8")
        results, _, failures = compare.measure([mpi], given, 2, self.folder, None)
        self.assertEqual(failures, {})
        repeats = "-t -N stream -i 100 -x 10"
        self.assertEqual(self.ran(log), [f"bcast -s 8 {repeats}", f"bcast -s 8 -o 0,16 {repeats}",
                                         f"bcast -s 8 -r 64M {repeats}", f"bcast -s 8 -o 0,16 -r 64M {repeats}",
                                         f"pack {repeats}", f"pack -o 0,16 {repeats}", f"pack -r 64M {repeats}",
                                         f"pack -o 0,16 -r 64M {repeats}", "barrier -N stream -i 100 -x 10"])
        text = compare.report([mpi], given, 2, results, {}, {})
        for caption in ("another one each time, out of 64M; data written before and read behind; beside a process a "
                        "core that streams through memory; between barriers",
                        "so many bytes behind a page (sent, received)"):
            self.assertIn(caption, text)
        self.assertIn("Buffers are as malloc gives them where nothing else is said", text)
        compare.write_plot(self.folder / "plot.svg", [mpi], given, results)
        self.assertIn("buffers at page + 0, page + 16; another one each time, out of 64M",
                      (self.folder / "plot.svg").read_text())

    def test_programs_of_one_sided_communication(self):
        """The rows of each source are the names that can be asked for; each kind of window is a case."""
        for source, names in (("transfers.c", compare.TRANSFERS), ("synchronization.c", compare.SYNCHRONIZATION),
                              ("arrival.c", compare.NOTIFIED)):
            text = (compare.SUITE / source).read_text(encoding="ascii")
            self.assertEqual(re.findall(r'^    {"(\w+)", ', text, re.M), list(names))
        log = self.folder / "log"
        asked = "put_bw,cas_latency,lock,put_flag,arrivals_notify,overlap_notify,computing_target"
        mpi = pretended(self.folder, "a", f"echo $0 $* >> {log}; echo 8 1.5")
        compare.build(mpi, asked.split(","), self.folder)
        given = parsed("--programs", asked, "--windows", "create,shared", "--syncs", "fence", "--rounds", "1",
                       "--sizes", "8", "--iterations", "3", "--offset", "8,16")
        results, _, failures = compare.measure([mpi], given, 2, self.folder, None)
        self.assertEqual(failures, {})
        self.assertEqual(self.ran(log), [
            f"{program}{words} -w {window}{end}" for program, words, end in (
                ("put_bw", " -s 8 -o 8,16", " -S fence -i 3"), ("cas_latency", "", " -S fence -i 3"),
                ("lock", "", " -i 3"), ("put_flag", " -s 8 -o 8,16", " -i 3"), ("arrivals_notify", "", " -i 3"),
                ("overlap_notify", " -s 8 -o 8,16", " -i 3"), ("computing_target", "", ""))
            for window in ("create", "shared")])
        self.assertEqual(compare.heading(list(results)[0]),
                         "Bandwidth of MPI_Put, one direction (MB/s, higher is better): window of MPI_Win_create; "
                         "fence behind each; buffers at page + 8, page + 16")
        self.assertEqual([list(by_size) for by_size in results.values()], [[8]] * 2 + [[0]] * 4 + [[8]] * 6 + [["8"]] * 2)
        again = cells.results_of(cells.record_of(results))
        self.assertEqual(again, results)

    def test_open_mpi_is_told_how_to_make_windows(self):
        mpi = libraries.Mpi("openmpi", [], ["mpirun"])
        for window, words in (("allocate", ["--mca", "osc", "sm"]), ("shared", ["--mca", "osc", "sm"]), ("create", []),
                              ("dynamic", []), (None, [])):
            self.assertEqual(mpi.command(2, "p", window), ["mpirun", *words, "-n", "2", "p"])
        self.assertEqual(libraries.Mpi("mpich", [], ["mpirun"]).command(2, "p", "allocate"), ["mpirun", "-n", "2", "p"])

    def test_wrong_conditions_are_named(self):
        for words, said in ((["--offset", "4096"], "argument --offset/--offsets: bad pair '4096': give bytes behind"),
                            (["--offsets", "0,0:x"], "bad pair 'x'"), (["--offset", "1,2,3"], "bad pair '1,2,3'"),
                            (["--rotate", "64Q"], "argument --rotate: bad size '64Q': give sizes such as 64M"),
                            (["--modes", "loop"], "argument --modes: no such mode: 'loop': give some of between,"),
                            (["--windows", "made"], "argument --windows: no such kind of window: 'made': give some of"),
                            (["--syncs", "flush,x"], "argument --syncs: no such synchronization: 'x': give some of"),
                            (["--programs", "put_bw", "--ranks", "3"], "computing_target, put_latency"),
                            (["--neighbour", "sleep"], "argument --neighbour: invalid choice: 'sleep'"),
                            (["--bound", "0"], "argument --bound: bad factor '0'"),
                            (["--earlier", "x.json"], "--earlier FILE goes with --bound X")):
            errors = io.StringIO()
            with self.assertRaises(SystemExit) as stop, contextlib.redirect_stderr(errors):
                parsed(*words)
            self.assertEqual(stop.exception.code, 2)
            self.assertIn(said, errors.getvalue())
        self.assertEqual(parsed("--offset", "16").offsets, ["16,16"])
        self.assertEqual(parsed("--offsets", "0,00:malloc").offsets, ["0,0", None])
        self.assertTrue(parsed("--raw-bound", "1.1").raw)

    def test_the_raw_loops_are_measured_beside(self):
        """Real ones: they take the suite's options, and stand beside what they do the same as."""
        raw = compare.build_raw(self.folder)
        given = parsed("--programs", "latency,igatherv,scan", "--offsets", "0,16", "--rotate", "1M", "--touch",
                       "--back-to-back", "--rounds", "1", "--sizes", "8,4K", "--iterations", "3")
        results, _, failures = compare.measure([raw], given, 2, self.folder, None)
        self.assertEqual(failures, {})
        self.assertEqual([case.program for case in results], ["latency", "igatherv"])
        for by_size in results.values():
            self.assertEqual(set(by_size), {8, 4096})
        case = next(iter(results))
        mine = {size: {"a": [2 * by[cells.RAW][0]], **by} for size, by in results[case].items()}
        rows = compare.table(case, figures_of({case: mine}), [*self.two()[:1], raw])
        self.assertEqual(rows[0], ["", "a", "raw", "a / raw"])
        self.assertEqual([row[-1] for row in rows[1:]], ["2.00", "2.00"])

    def test_markdown(self):
        file = self.folder / "page.md"
        compare.write_markdown(file, "first\n")
        self.assertEqual(file.read_text(), "<!-- compare: begin -->\nfirst\n<!-- compare: end -->\n")
        file.write_text("page\n")
        for text in ("one\n", "two\n"):
            compare.write_markdown(file, text, "startup")
            self.assertEqual(file.read_text(),
                             f"page\n\n<!-- startup: begin -->\n{text}<!-- startup: end -->\n")

    def test_plot_of_many(self):
        mpis = [libraries.Mpi(f"mpi{number}", [], []) for number in range(12)]
        results = {Case("bw"): {8: {mpi.name: [1.0, 2.0] for mpi in mpis}}}
        compare.write_plot(self.folder / "plot.svg", mpis, options_of(programs=["bw"]), results)
        self.assertIn("mpi11", (self.folder / "plot.svg").read_text())


class Bounds(InFolder):
    """Which cells are above a bound."""

    LATENCY = Case("latency", Condition(offset="0,0"))
    SHIFTED = Case("latency", Condition(offset="0,16"))

    def results(self):
        return {self.LATENCY: {8: {"a": [1.2, 1.0], "b": [2.0], "c": [1.5, 0.8], "copy": [1.01], "raw": [0.5]},
                               65536: {"a": [20.0], "b": [40.0], "c": [30.0], "copy": [22.0], "raw": [19.0]}},
                self.SHIFTED: {8: {"a": [1.0], "b": [1.0]}, 65536: {"a": [30.0], "b": [10.0], "raw": [20.0]}},
                Case("bw"): {8: {"a": [50.0, 100.0], "b": [200.0, 10.0]}}}

    def test_the_lowest_of_the_runs_beside_the_best_other(self):
        found = figures_of(self.results(), equal="copy").cells()
        self.assertEqual([(cell.case.program, cell.size, cell.mine, cell.other, cell.name, cell.raw) for cell in found],
                         [("latency", 8, 1.0, 0.8, "c", 0.5), ("latency", 65536, 20.0, 30.0, "c", 19.0),
                          ("latency", 8, 1.0, 1.0, "b", None), ("latency", 65536, 30.0, 10.0, "b", 20.0),
                          ("bw", 8, 100.0, 200.0, "b", None)])
        for cell, times in zip(found, (1.25, 20 / 30, 1.0, 3.0, 2.0)):  # a rate that is half takes twice the time
            self.assertAlmostEqual(cell.times, times)

    def test_alone_it_is_compared_with_its_own_first_pair(self):
        results = {case: {size: {"a": by["a"], "copy": by.get("copy", by["a"])} for size, by in by_size.items()}
                   for case, by_size in self.results().items()}
        found = figures_of(results, equal="copy").cells()
        self.assertEqual([(cell.case, cell.size, cell.times) for cell in found],
                         [(self.SHIFTED, 8, 1.0), (self.SHIFTED, 65536, 1.5)])

    def test_noise_is_what_equal_builds_differ_by(self):
        results = {self.LATENCY: {size: {"a": [100.0], "copy": [100.0 + size / 10]} for size in range(1, 101)}}
        self.assertAlmostEqual(figures_of(results, equal="copy").noise(), 1.099)
        self.assertIsNone(figures_of(results).noise())

    def test_what_is_listed(self):
        """All cells that were above it at any hour; those count that were above at all of them."""
        before = self.results()
        before[self.LATENCY][8]["a"] = [0.7]
        before[self.LATENCY][65536]["a"] = [90.0]
        text = cells.bound_text(figures_of(self.results(), equal="copy"), [figures_of(before, equal="copy")], 1.05)
        self.assertIn("### Cells above 1.05 of the reference: 2 of 5\n", text)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(rows[0][1:],
                         ["size", "a", "unit", "reference", "ratio", "ratio 1 before", "raw", "of raw", ""])
        self.assertEqual([(row[0].partition(":")[0], row[1], *row[5:]) for row in rows[2:]],
                         [("Latency, half a ping-pong", "64 KB", "3.00", "3.00", "20.00", "1.50", "above"),
                          ("Bandwidth, one direction", "8 B", "2.00", "2.00", "-", "-", "above"),
                          ("Latency, half a ping-pong", "8 B", "1.25", "0.87", "0.5", "2.00", "not each time"),
                          ("Latency, half a ping-pong", "64 KB", "0.67", "3.00", "19.00", "1.05", "not each time")])
        self.assertIn("99% of the cells are within a factor of 1.100", text)
        noisy = self.results()
        noisy[self.LATENCY][8]["copy"] = [3.5]
        text = cells.bound_text(figures_of(noisy, equal="copy"), [], 1.05)
        self.assertIn("### Cells above 1.05 of the reference: 0 of 5", text)
        self.assertEqual(text.count("within the noise"), 3)

    def test_raw_loops_bound_what_is_large(self):
        text = cells.bound_text(figures_of(self.results()), [], 1.1, by_raw=True)
        self.assertIn("### Cells above 1.1 of the raw loop: 1 of 2", text)
        self.assertRegex(text, r"page \+ 0, page \+ 16 *\| 64 KB \| 30\.00 \| +us \| 20\.00 \| +1\.50 \| above \|")

    def test_offsets_are_columns(self):
        figures = figures_of(self.results(), equal="copy")
        rows = compare.offset_table([self.LATENCY, self.SHIFTED], figures)
        self.assertEqual(rows, [["", "0, 0", "0, 16"], ["8 B", "1.00; 1.25; 2.00", "1.00; 1.00"],
                                ["64 KB", "20.00; 0.67; 1.05", "30.00; 3.00; 1.50"]])
        text = compare.report([libraries.Mpi("a", [], [])], options_of(offsets=["0,0", "0,16"], bound=1.05), 2,
                              self.results(), {}, {})
        self.assertEqual(text.count("### Latency"), 1)
        self.assertIn("### Cells above 1.05", text)

    def test_records_of_another_hour(self):
        record, mpis = self.folder / "record.json", [libraries.Mpi("a", [], [])]
        compare.write_json(record, mpis, options_of(), 2, self.results(), {})
        again = cells.read_earlier([record], 2, "a", "copy")[0]
        self.assertEqual(again.results, self.results())
        for text, ranks, said in (("{}", 2, "is no record of compare --json"), ("[", 2, "is no record"),
                                  (record.read_text(), 4, "is about 2 ranks, not 4")):
            other = self.folder / "other.json"
            other.write_text(text)
            with self.assertRaisesRegex(ValueError, said):
                cells.read_earlier([other], ranks, "a", None)

    def test_an_equal_build_is_made_or_taken(self):
        found = [libraries.Mpi("remit", [], ["m"], {"A": "1"}), libraries.Mpi("other", [], [])]
        for name, names in (("copy", ["remit", "copy", "other"]), ("other", ["remit", "other"])):
            with unittest.mock.patch.object(compare, "find_mpis", lambda *_: list(found)):
                mpis = compare.find_all(options_of(equal=name), 2)
            self.assertEqual([mpi.name for mpi in mpis], names)
        with unittest.mock.patch.object(compare, "find_mpis", lambda *_: list(found)):
            with self.assertRaisesRegex(SystemExit, "--equal remit: that is the first one itself"):
                compare.find_all(options_of(equal="remit"), 2)


class Finding(InFolder):
    def test_variant_of_remit(self):
        remit = libraries.Mpi("remit", ["cc"], ["mpirun"], {"A": "1"})
        variant = libraries.find_variant("spin:REMIT_WAIT=spin,B=2", remit)
        self.assertEqual(variant.environment, {"A": "1", "REMIT_WAIT": "spin", "B": "2"})
        self.assertEqual((variant.name, variant.mpirun), ("spin", ["mpirun"]))
        self.assertEqual(compare.notes([remit, variant]), ["spin is Remit with REMIT_WAIT=spin, B=2."])
        for wrong in ("spin", "spin:", ":REMIT_WAIT=spin", "spin:REMIT_WAIT"):
            with self.assertRaises(SystemExit):
                libraries.find_variant(wrong, remit)
        with self.assertRaises(SystemExit):
            libraries.find_variant("spin:REMIT_WAIT=spin", None)

    def test_newest_of_a_registry(self):
        site = self.folder / "lib" / "python3.0" / "site-packages"
        python = self.folder / "bin" / "python"
        arguments = self.folder / "arguments"
        install = f"echo $* > {arguments}; rm -rf {site}/*; mkdir -p {site}/some_lib-$(cat version).dist-info"
        executable(python, f"cd {self.folder}; [ -e version ] || exit 1; {install}")
        with self.assertRaises(SystemExit):
            libraries.newest_in(self.folder, ["some-lib"])
        for version in ("2021.18.1", "2021.19.0"):
            (self.folder / "version").write_text(version, encoding="ascii")
            libraries.newest_in(self.folder, ["some-lib"])
            self.assertEqual(libraries.version_in(self.folder, "some-lib"), version)
        self.assertIn("--upgrade", arguments.read_text(encoding="ascii"))
        (self.folder / "version").unlink()
        libraries.newest_in(self.folder, ["some-lib"])  # what is there stays
        self.assertEqual(libraries.version_in(self.folder, "some-lib"), "2021.19.0")

    def test_launcher_is_lent(self):
        good = pretended(self.folder, "remit", "true")
        bad = pretended(self.folder, "impi", "true")
        executable(pathlib.Path(bad.mpirun[0]), "exit 1")
        compare.lend_launcher([good, bad], self.folder)
        self.assertEqual(bad.mpirun, good.mpirun)
        self.assertIn("Remit's mpirun", bad.note)
        self.assertEqual(good.note, "")


def fastest_broadcast(informed, left, near, far):
    """The earliest time by which all know, by trying everything. `informed`: (host, when he can send) of
    those who know; `left`: how many of each host do not; near and far: (arrival, between)."""
    if not any(left):
        return 0
    best = float("inf")
    for number, (host, ready) in enumerate(informed):
        for target, missing in enumerate(left):
            if missing:
                arrival, between = near if target == host else far
                after = [*informed[:number], (host, ready + between), *informed[number + 1 :],
                         (target, ready + arrival)]
                rest = [count - (at == target) for at, count in enumerate(left)]
                best = min(best, max(ready + arrival, fastest_broadcast(after, rest, near, far)))
    return best


class WholePrograms(InFolder):
    """benchmarks/programs/run, with the library just built where figures are made."""

    def setUp(self):
        super().setUp()
        self.programs = libraries.load_script("programs/run")

    def library(self, name, line):
        """A library whose programs all print one line of time_in_mpi.c, or what else `line` does."""
        mpi = pretended(self.folder, name, line)
        shutil.copy(self.folder / name / "bin" / "mpicc", self.folder / name / "bin" / "mpicxx")
        self.programs.build(mpi, ["cg", "particles"], self.folder)
        return mpi

    def run_main(self, *words):
        """The exit status, what is printed, and what is said."""
        out, err = io.StringIO(), io.StringIO()
        with unittest.mock.patch.object(sys, "argv", ["run", *map(str, words)]), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = self.programs.main()
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), err.getvalue()

    def measured(self, mpis, place="2", **changed):
        report = self.programs.empty_report()
        report["mpis"] = {mpi.name: "1" for mpi in mpis}
        options = options_of(problems=["cg", "particles"], **changed)
        self.programs.measure(mpis, self.programs.place_of(place), options, 2, self.folder, report)
        return report

    def test_time_in_each_function(self):
        """Each call of all ranks is counted, and its time is part of the whole."""
        steps = 7
        for words, calls in (
                (["stencil3d", "--size", "12"], {"MPI_Startall": 2 * steps, "MPI_Waitall": 2 * steps}),
                (["stencil3d", "--size", "12", "--exchange", "collective"],
                 {"MPI_Neighbor_alltoallw": 2 * steps}),
                (["particles", "--box", "6"],
                 dict.fromkeys(["MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Neighbor_alltoall",
                                "MPI_Neighbor_alltoallv"], 2 * (steps + 1)))):
            command = ["./mpirun", "-n", "2", f"benchmarks/programs/{words[0]}", "--steps", str(steps), *words[1:]]
            done = subprocess.run(command, text=True, capture_output=True, check=False, timeout=LIMIT)
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = self.programs.figures_in(done.stdout)
            self.assertEqual({name: number for name, (_, number) in figures["functions"].items()}, calls)
            times = sum(seconds for seconds, _ in figures["functions"].values())
            self.assertAlmostEqual(times, figures["in_mpi"], delta=1e-5)
            self.assertLessEqual(figures["in_mpi"], figures["most_in_mpi"])
            self.assertLessEqual(figures["most_in_mpi"], figures["seconds"])

    def test_no_function_is_left_out(self):
        """What the programs call while they are timed, time_in_mpi.c knows."""
        unseen = r"Comm_|Cart_|Dims_|Dist_|Type_|Init|Finalize|Wtime|Pcontrol|Gather|Scatter|Bcast|Reduce\b|\w+_init|" \
                 r"Request_free|Get_count|Send\b|File_|Error_string|Get_elements"
        # MPI_Send: of heat2d's picture and sample_sort's check; files: of heat2d's plate
        timer = (self.programs.HERE / "time_in_mpi.c").read_text(encoding="ascii")
        known = set(re.findall(r"^int (MPI_\w+)\(", timer, re.M))
        for origin, names, _ in self.programs.SOURCES.values():
            for source in (origin / name for name in names):
                called = set(re.findall(r"\bMPI_([A-Z]\w*[a-z]\w*)\(", source.read_text(encoding="utf-8")))
                timed = {f"MPI_{name}" for name in called if not re.match(unseen, name)}
                self.assertLessEqual(timed, known, source)

    def test_places(self):
        places = self.programs.places_of("2,8,4x1,3x2")
        self.assertEqual([(place.hosts, place.ranks, place.option) for place in places],
                         [(0, 2, "2"), (0, 8, "8"), (4, 4, "4x1"), (3, 6, "3x2")])
        self.assertEqual([place.name for place in places],
                         ["2 ranks", "8 ranks", "4 hosts, 1 rank each", "3 hosts, 2 ranks each"])
        for wrong in ("0", "4x", "x4", "4x0", "four", "-2"):
            status, _, err = self.run_main("--places", wrong)
            self.assertEqual(status, 2)
            self.assertIn(f"'{wrong}' is neither a number of ranks", err)
        status, _, err = self.run_main("--problems", "cg,heat3d")
        self.assertEqual(status, 2)
        self.assertIn("--problems: no such problem: heat3d; there are heat2d, ", err)

    def test_started_on_hosts(self):
        remit = libraries.Mpi("remit", [], ["r"])
        four = self.programs.place_of("4x2")
        variant = libraries.Mpi("spin", [], ["r"])
        others = [libraries.Mpi("openmpi5", [], ["o"]), libraries.Mpi("mpich", [], ["m"])]
        places = "--host h1:2,h2:2,h3:2,h4:2 -n 8"
        for mpi in (remit, variant):
            self.assertEqual(" ".join(self.programs.started_at(mpi, four, 2, remit)), f"r {places}")
        openmpi, mpich = (" ".join(self.programs.started_at(mpi, four, 2, remit)) for mpi in others)
        self.assertRegex(openmpi, rf"^o --mca pml ob1 .* --mca mpi_yield_when_idle 1 {places}$")
        self.assertEqual(mpich, "m -hosts h1,h2,h3,h4 -ppn 2 -n 8")
        self.assertNotIn("yield", " ".join(self.programs.started_at(others[0], four, 8, remit)))
        self.assertEqual(others[1].environment["FI_PROVIDER"], "tcp")

    def test_who_fails_once(self):
        """A library that takes too long or computes something wrong has no figure, and is not run again."""
        figures = "time_in_mpi: 2 ranks, 0.400000 s, in MPI 0.100000 s, at most 0.200000 s"
        log = self.folder / "log"
        good = self.library("good", f"echo good >> {log}; echo {figures}; echo time_in_mpi: MPI_Recv 0.1 s, 8 calls")
        slow = self.library("slow", f"echo slow >> {log}; exec sleep 100")
        wrong = self.library("wrong", f"echo wrong >> {log}; echo {figures}; echo the sum: FAIL; exit 1")
        mute = self.library("mute", f"echo mute >> {log}")
        report = self.measured([good, slow, wrong, mute], timeout=3)
        self.assertEqual(sorted(log.read_text().split()), ["good"] * 6 + ["mute"] * 2 + ["slow"] * 2 + ["wrong"] * 2)
        for problem in ("cg", "particles"):
            by_mpi = report["results"]["2 ranks"][problem]
            self.assertEqual(list(by_mpi), ["good"])
            self.assertEqual(by_mpi["good"], [{"seconds": 0.4, "in_mpi": 0.1, "most_in_mpi": 0.2,
                                               "functions": {"MPI_Recv": [0.1, 8]}}] * 3)
            for who, why in (("slow", "no result within 3 s"), ("wrong", "the sum: FAIL"),
                             ("mute", "no line of time_in_mpi in the output")):
                self.assertIn(["2 ranks", problem, who, why], report["failures"])
        rows = self.programs.report_text(report, functions=True)
        self.assertRegex(rows, r"\| cg +\| \*\*0\.400\*\* \(0\.400, 0\.400\) 25 % \| +- \| +- \| +- \| +- \|")
        self.assertRegex(rows, r"\| cg: MPI_Recv +\| 0\.1000 \| +- \| +- \| +- \| +8 \|")
        self.assertIn("- slow, 2 ranks, cg: no result within 3 s", rows)

    def test_reports_are_joined(self):
        def time(text):
            return f"echo time_in_mpi: 2 ranks, {text} s, in MPI 0.100000 s, at most 0.200000 s"

        files = []
        for number, (a, b) in enumerate((("0.5", "1.0"), ("0.8", "0.4"))):
            shutil.rmtree(self.folder / "a", ignore_errors=True)
            shutil.rmtree(self.folder / "b", ignore_errors=True)
            report = self.measured([self.library("a", time(a)), self.library("b", time(b))], rounds=1)
            files.append(self.folder / f"{number}.json")
            files[-1].write_text(json.dumps(report), encoding="utf-8")
        page = self.folder / "page.md"
        status, out, _ = self.run_main("--join", ",".join(map(str, files)), "--markdown", page)
        self.assertEqual(status, 0)
        self.assertIn("### 2 ranks, 2 rounds", out)
        row = r"\| cg +\| +0\.500 \(0\.650, 0\.800\) 20 % \| \*\*0\.400\*\* \(0\.700, 1\.000\) 25 % \| +1\.25 \|"
        self.assertRegex(out, row)
        self.assertRegex(out, r"\| geometric mean +\| +\| +\| +1\.25 \|")
        self.assertIn("<!-- programs: begin -->\nWhole programs on", page.read_text())
        status, _, _ = self.run_main("--join", page)
        self.assertIn("is no file that --json has written", status)


class Scaling(InFolder):
    def simulate(self, *arguments):
        done = subprocess.run(["benchmarks/logp/simulate", *map(str, arguments)], text=True,
                              capture_output=True, check=False, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(word.split("=") for word in done.stdout.split())

    def test_bound_of_two_levels(self):
        """No more than the best broadcast there is, and as long where that is known."""
        network = (1000, 100, 200)
        for near in ((60, 100, 200), (10, 20, 30), (60, 100, 700), (1000, 100, 200), (3000, 500, 900)):
            times = [(2 * o + latency, max(g, o)) for latency, o, g in (near, network)]
            for hosts, each in ((1, 6), (2, 3), (3, 2), (5, 1)):
                inner = ":".join(map(str, (each, *near, 0.08)))
                got = self.simulate("--collective", "barrier", "--ranks", hosts * each, *(
                    ["--inner", inner] if each > 1 else []))
                bound = float(got["bound_ns"])
                best = fastest_broadcast([(0, 0)], [each - 1] + [each] * (hosts - 1), *times)
                self.assertLessEqual(bound, best + 0.1, (near, hosts, each))
                self.assertLessEqual(bound, float(got["time_ns"]) + 0.1)
                if near == network or each == 1:
                    self.assertAlmostEqual(bound, best, delta=0.1)
                if hosts > 1:
                    self.assertGreaterEqual(bound, times[1][0] if near < network else 0)

    def test_rows_of_compositions(self):
        scale = libraries.load_script("scale")
        page = self.folder / "page.md"
        page.write_text("a\n<!-- benchmarks/scale -->\nold\n<!-- end -->\nb\n")
        arguments = ["scale", "--hosts", "--inner", "4:60:100:200:0.04,8:200:100:200:0.06", "--ranks", "30,60",
                     "--bytes", "8,4096", "--markdown", str(page), "--plot", str(self.folder / "plot.svg")]
        output = io.StringIO()
        with unittest.mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(output):
            scale.main()
        text = page.read_text()
        self.assertTrue(text.startswith("a\n<!-- benchmarks/scale -->\nold\n<!-- end -->\nb\n"))
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()
                if re.match(r"\| (?!collective|---)", line)]
        for collective in ("barrier", "bcast", "reduce", "allreduce", "allgather"):
            mine = [row for row in rows if row[0] == collective and row[3] in ("", "8")]
            self.assertEqual([(row[1].split(":")[0], row[2]) for row in mine],
                             [(cells, ranks) for cells in ("without cells", "cells are nodes", "cells are hosts")
                              for ranks in ("8", "32", "64") if (cells, ranks) != ("cells are hosts", "8")])
            for row in rows:
                self.assertGreaterEqual(float(row[6]), 1, row)
            flat, hosts = (float(mine[i][9]) for i in (2, 7))  # messages out of a host
            self.assertLessEqual(hosts, flat)
        self.assertIn("cells are hosts", (self.folder / "plot.svg").read_text())

    def test_a_wrong_level_is_said(self):
        for words, problem in (("8:1:2", "is not processes:L:o:g:G"), ("8:1:1:1:-1", "is not"),
                               ("8:1:1:1:1x", "is not"), ("0:1:1:1:1", "is not")):
            done = subprocess.run(["benchmarks/logp/simulate", "--inner", words], text=True,
                                  capture_output=True, check=False, timeout=LIMIT)
            self.assertEqual(done.returncode, 2)
            self.assertIn(problem, done.stderr)

    def test_nothing_that_could_be_measured_writes_nothing(self):
        page = self.folder / "page.md"
        page.write_text("a\n<!-- benchmarks/scale -->\nold\n<!-- end -->\nb\n")
        before = page.read_text()
        script = TESTS.parent / "benchmarks" / "scale"
        for words, problem in (("--collectives allredcue", "no algorithm is of allredcue"),
                               ("--hosts --collectives alltoall", "nothing could be measured"),
                               ("--hosts --inner abc", "argument --inner"),
                               ("--hosts --inner 0:1:1:1:1", "argument --inner"),
                               ("--hosts --inner 8:1:2", "'8:1:2' is not processes:L:o:g:G")):
            done = subprocess.run([sys.executable, script, "--ranks", "64", "--markdown", page, *words.split()],
                                  text=True, capture_output=True, check=False, timeout=LIMIT)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(problem, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(page.read_text(), before)


class Tuning(InFolder):
    def options(self, **changed):
        return types.SimpleNamespace(**{"build": pathlib.Path.cwd(), "sizes": "8,64K", "rounds": 2,
                                        "collectives": list(compare.BLOCKING), **changed})

    def test_whatever_has_a_choice_is_measured(self):
        tune = libraries.load_script("tune")
        for ranks in (2, 4, 7):
            said = tune.ask(self.options(), ranks, "none")
            usable = tune.algorithms_of(said)
            self.assertEqual(set(tune.wanted_of(self.options(), said)), set(usable))
            self.assertLess({"alltoallv", "alltoallw", "allgatherv", "scan", "exscan", "reduce_scatter"},
                            set(usable))
            self.assertFalse({"gatherv", "scatterv", "neighbor_alltoall"} & set(usable))

    def test_table_of_what_was_measured(self):
        """alltoallw: one choice for all sizes; alltoall: one where another algorithm begins to be better."""
        tune = libraries.load_script("tune")
        times = {"spread_out": {8: 1.0, 65536: 90.0}, "pairwise": {8: 2.0, 65536: 30.0},
                 "board": {8: 1.2, 65536: 60.0}}

        def run_program(_, __, ___, ____, name):
            return {size: [time] for size, time in times.get(name, {8: 9.0, 65536: 99.0}).items()}

        tune.run_program = run_program
        options = self.options(collectives=["alltoall", "alltoallw"])
        said = tune.ask(options, 4, "none")
        measured = tune.measure_algorithms(options, 4, said, tune.Progress(99), set())
        self.assertEqual(set(measured["alltoallw"]), {0})
        lines = [line for name, by_size in measured.items()
                 for line in tune.choices_of(name, said["place"], 4, by_size)]
        place = said["place"]
        self.assertIn(f"choice alltoallw {place} 4 0 pairwise,board,spread_out", lines)
        mine = [line for line in lines if line.startswith("choice alltoall ")]
        self.assertEqual([line.split(",")[0] for line in mine],
                         [f"choice alltoall {place} 4 0 spread_out", f"choice alltoall {place} 4 65536 pairwise"])
        tune.write_table(self.folder / "table", said["measured_host"], lines)
        again = tune.ask(options, 4, self.folder / "table")
        self.assertEqual(again["problem"], "")
        chosen = {(c["operation"], c["bytes"]): c["algorithm"] for c in again["choices"] if c["chosen"]}
        self.assertEqual([chosen["alltoall", 8], chosen["alltoall", 65536], chosen["alltoallw", 0]],
                         ["spread_out", "pairwise", "pairwise"])

    def test_one_algorithm_is_no_choice(self):
        for wrong, problem in (("gatherv", "one algorithm: gatherv"), ("gather,none", "measures none")):
            done = subprocess.run([compare.HERE / "tune", "--build", ".", "--ranks", "2", "--collectives", wrong,
                                   "--output", self.folder / "table"],
                                  text=True, capture_output=True, check=False, timeout=LIMIT)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(problem, done.stderr)
        self.assertFalse((self.folder / "table").exists())


class Starting(InFolder):
    def test_rows_of_true(self):
        startup = libraries.load_script("startup")
        good = pretended(self.folder, "good", "true")
        bad = libraries.Mpi("bad", [], ["false"])
        starters = [startup.Starter(mpi.name, mpi, None, mpi.mpirun) for mpi in (good, bad)]
        for starter in starters:
            starter.run_true()
            starter.run_true()
        self.assertEqual([len(starter.trues) for starter in starters], [2, 0])
        self.assertEqual([starter.true_failure[:20] for starter in starters],
                         ["", "mpirun -n 2 true: ex"])
        rows = startup.time_rows("start", [[0.5, 0.1, 0.2], [], [0.4]], 3, 0)
        self.assertEqual(rows, [["start, lowest of 3 (ms)", "100", "-", "400", "", "0.25"],
                                ["start, median of 3 (ms)", "200", "-", "400", "", "0.5"]])

    def test_true_fails_alone(self):
        """The start of MPI programs is measured all the same, and the memory."""
        startup = libraries.load_script("startup")
        rest = executable(self.folder / "rest", "echo pss 2048; echo cpu 0.5 s")
        command = libraries.Mpi("whole", [], ["sh", "-c", 'shift 2; exec "$@"', "mpirun"])
        starters = [startup.Starter(name, command, rest, mpirun)
                    for name, mpirun in (("whole", ["true"]), ("bare", []), ("broken", ["false"]))]
        text = startup.report(starters, types.SimpleNamespace(rounds=2, ranks=2, seconds=1))
        self.assertEqual([len(starter.times) for starter in starters], [2, 2, 2])
        self.assertEqual([len(starter.trues) for starter in starters], [2, 0, 0])
        self.assertRegex(text, r"memory of each of 2 ranks \(MB\) +\| +2\.00 \| +2\.00 \| +2\.00 \|")
        self.assertRegex(text, r"Jobs that failed:\n\n- broken: mpirun -n 2 true: .*\n$")


class Counting(InFolder):
    def test_report(self):
        instructions = libraries.load_script("instructions")
        instructions.CALLS = {"MPI_Send": None}
        counted = {"a": 146, "b": RuntimeError("illegal instruction")}

        def count(_, mpi, *__):
            if isinstance(counted[mpi.name], Exception):
                raise counted[mpi.name]
            return counted[mpi.name]

        instructions.count_instructions = count
        mpis = [libraries.Mpi(name, [], [], version="1") for name in counted]
        text = instructions.report(compare, mpis, ["MPI_Send"], self.folder)
        self.assertRegex(text, r"\| MPI_Send +\| 146 \| +- \|")
        self.assertIn("- b, MPI_Send: illegal instruction", text)


def can_have_own_shared_memory():
    mount = ["sh", "-c", "mount -t tmpfs none /dev/shm"]
    return any(subprocess.run(["unshare", kind, *mount], check=False, stderr=subprocess.DEVNULL).returncode == 0
               for kind in ("-m", "-rm"))


class Enduring(unittest.TestCase):
    def test_a_few_rounds(self):
        soak = [TESTS / "launcher" / "soak.py", "--jobs", "12", "--kills", "4", "--megabytes", "0"]
        done = subprocess.run(soak, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout.splitlines()[-1], r"^ok   12 short jobs in .* and 4 kills in ")

    def test_a_wrong_status_is_seen(self):
        with tempfile.TemporaryDirectory(prefix="scripts.") as name:
            done = self.soak_of(executable(pathlib.Path(name, "mpirun"), "exit 77"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit status 77", done.stderr)

    def test_a_job_that_cannot_start_is_seen(self):
        done = self.soak_of("/nonexistent/mpirun")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"FAIL short_job 0: FileNotFoundError.*/nonexistent/mpirun")
        self.assertNotIn("ok ", done.stdout)

    def test_shared_memory_that_is_left_is_seen(self):
        """What its jobs leave, not what others have made meanwhile."""
        if not can_have_own_shared_memory():
            self.skipTest("mounts cannot be changed here")
        mpirun = f'touch /dev/shm/left\nexec {os.path.abspath("mpirun")} "$@"'
        with tempfile.TemporaryDirectory(prefix="scripts.") as name:
            done = self.soak_of(executable(pathlib.Path(name, "mpirun"), mpirun))
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (1, "FAIL left in /dev/shm: ['left']"))
        with tempfile.NamedTemporaryFile(prefix="scripts.", dir="/dev/shm"), self.start_soak() as soak:
            soak.stdout.readline()
            with tempfile.NamedTemporaryFile(prefix="scripts.", dir="/dev/shm"):
                rest = soak.communicate(timeout=LIMIT)[0]
        self.assertEqual(soak.returncode, 0, rest)
        self.assertIn("no file of theirs is left, also not in /dev/shm", rest)

    def start_soak(self, **environment):
        """One short job."""
        soak = [TESTS / "launcher" / "soak.py", "--jobs", "1", "--kills", "0", "--megabytes", "0"]
        return subprocess.Popen(soak, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, **environment})

    def soak_of(self, mpirun):
        """The same with that mpirun."""
        with self.start_soak(MPIRUN=str(mpirun)) as soak:
            out, err = soak.communicate(timeout=LIMIT)
        return subprocess.CompletedProcess(soak.args, soak.returncode, out, err)


if __name__ == "__main__":
    unittest.main()
