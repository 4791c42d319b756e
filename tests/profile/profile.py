#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# mpirun --profile: what it says of programs of which that is known (guilty.c), however they end; its
# formats; two profiles compared. Runs in the top build folder.
import ctypes.util
import html.parser
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "launcher"))
from launcher import MPIRUN, MpirunTest, is_sanitized, marked_environment  # noqa: E402

BUILD = pathlib.Path(os.path.dirname(MPIRUN))
GUILTY = str(BUILD / "tests" / "profile" / "guilty")
REPORT = str(BUILD / "remit_profile")
LIBRARY = BUILD / ".libs" / "libremit_profile.so"
MICROSECOND = 1e-6


def line_of(mark):
    """The number of the line of guilty.c with a mark."""
    for number, line in enumerate((HERE / "guilty.c").read_text().splitlines(), start=1):
        if line.endswith(f"// mark: {mark}"):
            return number
    raise AssertionError(f"guilty.c has no mark {mark}")


class Page(html.parser.HTMLParser):
    """Reads a page: that its elements end, what it takes from elsewhere, its embedded JSON."""

    VOID = {"meta", "link", "br", "img", "hr", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.foreign, self.data, self.wrong = [], [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.foreign += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1][1].get("id") == "profile":
            self.data += data


@unittest.skipIf(is_sanitized(LIBRARY), "programs without the sanitizer cannot load its library")
class ProfileTest(MpirunTest):
    limit = 60

    def setUp(self):
        self.temporary = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.temporary, ignore_errors=True)
        self.environment, _ = marked_environment(self.temporary)
        self.folder = os.path.join(self.temporary, "result")
        # Call sites have lines only where libdw is.
        self.lines = ctypes.util.find_library("dw") is not None or os.path.exists(
            "/usr/lib/x86_64-linux-gnu/libdw.so.1")

    def profile(self, *arguments, status=0, folder=None, **options):
        """Runs a job with its profile; returns that, and what mpirun said."""
        folder = folder or self.folder
        _, err = self.run_job("--profile-dir", folder, *arguments, status=status, **options)
        with open(os.path.join(folder, "remit-profile.json")) as file:
            return json.load(file), err

    def site(self, profile, function, mark=None):
        """The call site of a function at a mark, of which there is one."""
        found = [site for site in profile["sites"] if site["function"] == function and
                 (mark is None or not self.lines or site["line"] == line_of(mark))]
        self.assertEqual(len(found), 1, f"{function} {mark}: {profile['sites']}")
        return found[0]

    def assert_place(self, place, function, mark):
        self.assertEqual(place["function"], function)
        if self.lines:
            self.assertEqual((os.path.basename(place["file"]), place["line"]),
                             ("guilty.c", line_of(mark)))

    def test_the_guilty_rank_is_named(self):
        for what, function, cause in (
                ("compute", "MPI_Allreduce", "others at a collective"),
                ("late_sender", "MPI_Recv", "late sender"),
                ("late_receiver", "MPI_Send", "late receiver"),
                ("waitall", "MPI_Waitall", "late sender"),
                ("nonblocking", "MPI_Wait", "others at a collective"),
                ("lock", "MPI_Win_lock", "lock")):
            with self.subTest(what):
                # Of a lock that goes on, and of a nonblocking operation by messages, each names the one
                # before it: there two ranks are alone.
                alone = what in ("lock", "nonblocking")
                ranks, guilty, waiters = ("2", "1", 1) if alone else ("4", "2", 3)
                # A rank that the machine keeps from its core is as guilty as one that computes.
                ms = "1000" if what == "compute" else "300"
                profile, err = self.profile("-n", ranks, GUILTY, what, guilty, ms)
                largest = profile["largest"]
                self.assertEqual(largest["rank"], guilty, profile["summary"])
                self.assert_place(largest, function, what)
                self.assertEqual(largest["cause"], cause)
                self.assertGreater(largest["seconds"], waiters * 0.2)
                waited = self.site(profile, function, what)["waited"]
                self.assertGreater(waited[cause], largest["seconds"] - 0.2)
                waiting = sum(rank["waiting"] for rank in profile["ranks"])
                self.assertGreaterEqual(waiting, largest["seconds"] - MICROSECOND)
                for rank in profile["ranks"]:
                    self.assertLessEqual(rank["waiting"], rank["mpi"] + 0.01, rank)
                self.assertIn("remit-profile.html", err)
                self.assertIn(f"rank {guilty}", err)

    def test_behind_those_who_wait_themselves(self):
        """Of a chain of four each waits for the one before it: the first is to blame."""
        profile, _ = self.profile("-n", "4", GUILTY, "chain", "1", "300")
        largest = profile["largest"]
        self.assertEqual(largest["rank"], "1", profile["summary"])
        self.assert_place(largest, "MPI_Recv", "chain")
        self.assertGreater(largest["seconds"], 3 * 0.2)
        self.assertGreater(largest["through"], 2 * 0.2)
        self.assertIn("by way of ranks that waited themselves", profile["advice"][0])
        site = self.site(profile, "MPI_Recv", "chain")
        self.assertEqual({each["rank"] for each in site["blamed"]}, {"1", "2", "3"})
        self.assertEqual(site["behind"][0]["rank"], "1")
        self.assertAlmostEqual(sum(each["seconds"] for each in site["behind"]),
                               sum(each["seconds"] for each in site["blamed"]), delta=1e-5)

    def test_counts_are_exact(self):
        profile, _ = self.profile("-n", "3", GUILTY, "counts")
        send = self.site(profile, "MPI_Send", "counts_send")
        self.assertEqual((send["calls"], send["bytes"]), (100, 3200))
        barrier = self.site(profile, "MPI_Barrier")
        self.assertEqual((barrier["calls"], barrier["ranks"]), (21, 3))
        self.assert_place(barrier, "MPI_Barrier", "counts_barrier")
        self.assertEqual(self.site(profile, "MPI_Allreduce")["calls"], 15)
        self.assertEqual(self.site(profile, "MPI_Allreduce")["bytes"], 15 * 12)
        self.assertEqual(self.site(profile, "MPI_Finalize")["calls"], 3)
        sent = {(row[0], row[1]): (row[2], row[3]) for row in profile["pairs"]["rows"] if row[2]}
        self.assertEqual(sent, {(0, 1): (100, 3200), (0, 2): (1, 12)})
        self.assertEqual(profile["sizes"]["send"],
                         [{"from": 8, "count": 1, "bytes": 12},
                          {"from": 32, "count": 100, "bytes": 3200}])
        self.assertEqual([rank["rank"] for rank in profile["ranks"]], ["0", "1", "2"])
        self.assertGreater(profile["counters"]["messages_eager"], 0)
        for rank in profile["ranks"]:
            self.assertEqual(rank["end"], "finalized")
            self.assertAlmostEqual(rank["run"], rank["outside"] + rank["mpi"],
                                   delta=3 * MICROSECOND)
            self.assertEqual(len(rank["strip"]), profile["strip_columns"])
            self.assertGreater(rank["peak_mb"], 0)
        calls = sum(site["calls"] for site in profile["sites"])
        self.assertEqual(calls, sum(rank["calls"] for rank in profile["ranks"]))

    def test_messages_before_their_receives_are_counted(self):
        profile, _ = self.profile("--trace", "-n", "2", GUILTY, "flood")
        self.assertEqual(profile["taken"], {"messages": 200, "unexpected": 200})
        self.assertIn("100 % of the 200 messages were unexpected: post receives earlier.",
                      profile["advice"])
        profile, _ = self.profile("--trace", "-n", "2", GUILTY, "counts")
        self.assertEqual(profile["taken"]["messages"], 101)

    def test_moving_data_is_told_from_overhead(self):
        bandwidth = str(BUILD / "benchmarks" / "suite" / "bw")
        profile, _ = self.profile("-n", "2", bandwidth, "-s", "1048576", "-i", "20", "-x", "1")
        self.assertTrue(profile["tells_moving"])
        self.assertGreater(sum(rank["moving"] for rank in profile["ranks"]), 0)
        # Short messages are overhead. The library itself may have measured a few copies.
        short, _ = self.profile("-n", "2", GUILTY, "counts", folder=self.folder + "-short")
        self.assertGreater(short["ranks"][0]["overhead"], 0)
        for rank in profile["ranks"] + short["ranks"]:
            parts = min(rank["waiting"], rank["mpi"]) + rank["moving"] + rank["overhead"]
            self.assertAlmostEqual(parts, rank["mpi"], delta=5 * MICROSECOND)

    def test_long_waits_are_drawn_where_they_were(self):
        profile, _ = self.profile("-n", "2", GUILTY, "late_sender", "1", "400")
        rank = profile["ranks"][0]
        drawn = sum((ord(letter) - ord("0")) / 63 for letter in rank["waits"] if letter != ".")
        column = profile["run"] / profile["strip_columns"]
        self.assertGreater(rank["waiting"], 0.3)
        self.assertAlmostEqual(drawn * column, rank["waiting"], delta=0.1 * rank["waiting"])

    def test_stacks_tell_callers_apart(self):
        plain, _ = self.profile("-n", "2", GUILTY, "stacks")
        barrier = self.site(plain, "MPI_Barrier", "stacks_barrier")
        self.assertEqual(barrier["calls"], 16)
        self.assertNotIn("callers", barrier)
        self.environment["REMIT_PROFILE_STACK"] = "N"
        refused, _ = self.profile("-n", "2", GUILTY, "stacks", folder=self.folder + "-refused")
        self.assertNotIn("callers", self.site(refused, "MPI_Barrier", "stacks_barrier"))
        del self.environment["REMIT_PROFILE_STACK"]
        folder = os.path.join(self.temporary, "stacks")
        profile, _ = self.profile("--profile=stack", "-n", "2", GUILTY, "stacks", folder=folder)
        self.assertNotIn("others", [site["function"] for site in profile["sites"]])
        rows = [site for site in profile["sites"] if site["function"] == "MPI_Barrier"]
        self.assertEqual(sorted(row["calls"] for row in rows), [6, 10])
        for row in rows:
            symbols = [caller["symbol"].split("+")[0] for caller in row["callers"]]
            name = {6: "meet_rarely", 10: "meet_often"}[row["calls"]]
            self.assertEqual(symbols[0], name)
            self.assertEqual(symbols[1:], ["main"])
            if self.lines:
                mark = name.replace("meet", "stacks")
                self.assertEqual((row["line"], row["callers"][0]["line"]),
                                 (line_of("stacks_barrier"), line_of(mark)))
        text = subprocess.run([REPORT, folder], capture_output=True, text=True, check=True).stdout
        self.assertRegex(text, r"MPI_Barrier at .*\n +from meet_(often|rarely)")
        csv = (pathlib.Path(folder) / "remit-profile.csv").read_text()
        self.assertTrue(csv.splitlines()[0].endswith(",callers"))
        self.assertIn(" < main", csv)
        node = shutil.which("node")
        if node is not None:
            page = os.path.join(folder, "remit-profile.html")
            done = subprocess.run([node, str(HERE / "run_page.js"), page], capture_output=True,
                                  text=True, check=True)
            self.assertIn("from guilty.c", json.loads(done.stdout)["texts"]["sites"]
                          if self.lines else "from guilty.c")
        self.assertEqual(subprocess.run([REPORT, "--compare", folder, folder]).returncode, 0)

    def test_calls_of_one_line_are_one_row(self):
        if not self.lines:
            self.skipTest("no libdw to find lines")
        profile, _ = self.profile("-n", "2", GUILTY, "stacks")
        twice = self.site(profile, "MPI_Bcast", "twice")
        self.assertEqual((twice["calls"], twice["ranks"]), (8, 2))

    def test_wrong_values_are_refused(self):
        _, err = self.run_job("--profile=stacks", "-n", "1", "true", status=2)
        self.assertIn("--profile=stacks: write --profile=stack", err)

    def test_efficiency_is_that_of_pop(self):
        profile, _ = self.profile("-n", "2", GUILTY, "compute", "1", "200")
        outside = [rank["outside"] for rank in profile["ranks"]]
        efficiency = profile["efficiency"]
        self.assertAlmostEqual(efficiency["load_balance"], sum(outside) / 2 / max(outside), 2)
        self.assertAlmostEqual(efficiency["communication"], max(outside) / profile["run"], 2)
        self.assertAlmostEqual(
            efficiency["parallel"],
            efficiency["load_balance"] * efficiency["communication"], 4)
        self.assertLess(efficiency["load_balance"], 0.8)

    def test_a_killed_rank_leaves_its_record(self):
        profile, err = self.profile("-n", "2", GUILTY, "kill", status=128 + signal.SIGKILL)
        self.assertEqual(self.site(profile, "MPI_Barrier", "badly_barrier")["calls"], 20)
        self.assertEqual([rank["end"] for rank in profile["ranks"]], ["not finalized"] * 2)
        self.assertIn("remit-profile.html", err)

    def test_a_job_that_hangs_has_its_page(self):
        profile, err = self.profile("--timeout", "2", "-n", "2", GUILTY, "hang", status=124)
        self.assertEqual(self.site(profile, "MPI_Barrier", "badly_barrier")["calls"], 20)
        for rank in profile["ranks"]:
            inside = profile["sites"][rank["in"]["site"]]
            self.assert_place(inside, "MPI_Recv", "badly_recv")
            self.assertGreater(rank["in"]["for"], 0.5)
            self.assertGreater(rank["mpi"], 0.5)
        self.assertIn("MPI_Recv", err)
        self.assertIn("remit-profile.html", err)

    def test_an_aborted_job_has_its_page(self):
        profile, _ = self.profile("-n", "2", GUILTY, "abort", status=3)
        self.assertEqual(profile["ranks"][1]["end"], "aborted")
        self.assertIn("Rank 1 called MPI_Abort(3).", profile["notes"])
        self.assertEqual(self.site(profile, "MPI_Barrier", "badly_barrier")["calls"], 20)

    def test_threads_are_counted_each(self):
        profile, _ = self.profile("-n", "2", GUILTY, "threads")
        send = self.site(profile, "MPI_Send", "threads_send")
        self.assertEqual((send["calls"], send["bytes"]), (2 * 12 * 50, 2 * 12 * 50 * 4))
        self.assertEqual(self.site(profile, "MPI_Wait")["calls"], 2 * 12 * 50)
        self.assertEqual(profile["sizes"]["send"], [{"from": 4, "count": 1200, "bytes": 4800}])
        sent = {(row[0], row[1]): row[2] for row in profile["pairs"]["rows"] if row[2]}
        self.assertEqual(sent, {(0, 0): 600, (1, 1): 600})

    def test_phases_and_pauses(self):
        profile, _ = self.profile("-n", "2", GUILTY, "phases")
        self.assertEqual([(phase["level"], phase["times"]) for phase in profile["phases"]],
                         [(5, 6)])
        self.assertGreater(profile["phases"][0]["seconds"], 2 * 3 * 0.02)
        for rank in profile["ranks"]:
            self.assertGreater(rank["paused"], 0)
            self.assertAlmostEqual(rank["run"], rank["outside"] + rank["mpi"] + rank["paused"],
                                   delta=4 * MICROSECOND)
        barriers = {site["line"]: site["calls"] for site in profile["sites"]
                    if site["function"] == "MPI_Barrier"}
        self.assertEqual(sorted(barriers.values()), [2, 6])
        if self.lines:
            self.assertNotIn(line_of("not_counted"), barriers)
            self.assertEqual(barriers[line_of("counted_again")], 2)

    def test_spawned_jobs_are_told_apart(self):
        profile, _ = self.profile("-n", "2", GUILTY, "spawn")
        self.assertEqual(len(profile["jobs"]), 2)
        self.assertEqual([rank["rank"] for rank in profile["ranks"]], ["0", "1", "1.0", "1.1"])
        self.assertEqual(self.site(profile, "MPI_Barrier", "child_barrier")["calls"], 2)

    def test_formats(self):
        profile, _ = self.profile("-n", "2", GUILTY, "counts")
        folder = pathlib.Path(self.folder)
        page = Page((folder / "remit-profile.html").read_text())
        self.assertEqual((page.wrong, page.open, page.foreign), ([], [], []))
        self.assertEqual(json.loads(page.data), profile)
        for picture in ("ranks.svg", "strip.svg"):
            root = xml.etree.ElementTree.parse(folder / picture).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertGreater(len(list(root)), 5)
        rows = (folder / "remit-profile.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + len(profile["sites"]))
        text = subprocess.run([REPORT, self.folder], capture_output=True, text=True, check=True)
        self.assertTrue(text.stdout.startswith(profile["summary"]), text.stdout)
        again = subprocess.run([REPORT, "--as", "json", self.folder], capture_output=True,
                               text=True, check=True)
        self.assertEqual(json.loads(again.stdout)["sites"], profile["sites"])

    def test_the_page_shows_it(self):
        """Its script, run without a browser (one draws it the same)."""
        node = shutil.which("node")
        if node is None:
            self.skipTest("no node to run the page's script")
        profile, _ = self.profile("-n", "3", GUILTY, "counts")
        page = os.path.join(self.folder, "remit-profile.html")
        done = subprocess.run([node, str(HERE / "run_page.js"), page], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(done.stdout)
        texts = shown["texts"]
        self.assertEqual(texts["summary"], profile["summary"])
        self.assertIn("guilty", shown["title"])
        self.assertGreater(shown["drawn"], 3 * profile["strip_columns"])
        self.assertIn("Rank 0 on ", texts["bars-tip"])
        self.assertIn("3 ranks on 1 host", texts["about"])
        self.assertIn("MPI_Allreduce", texts["sites"])
        self.assertIn("Parallel efficiency", texts["tiles"])

    def test_only_the_page_is_left(self):
        _, err = self.run_job("--profile", "-n", "2", GUILTY, "counts", cwd=self.temporary)
        self.assertEqual(os.listdir(self.temporary), ["remit-profile.html"])
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertRegex(err, r"^MPI \d+ % of the time .*; remit-profile\.html\n$")

    def test_without_a_launcher(self):
        environment = {**self.environment, "LD_PRELOAD": str(LIBRARY), "REMIT_PROFILE": self.folder}
        subprocess.run([GUILTY, "compute"], env=environment, check=True)
        text = subprocess.run([REPORT, "--as", "json", self.folder], capture_output=True,
                              text=True, check=True)
        profile = json.loads(text.stdout)
        self.assertEqual([rank["rank"] for rank in profile["ranks"]], ["0"])
        self.assertEqual(self.site(profile, "MPI_Allreduce")["calls"], 1)

    def test_programs_without_mpi(self):
        _, err = self.run_job("--profile-dir", self.folder, "-n", "2", "true")
        self.assertIn("did the program call MPI", err)

    def test_comparison(self):
        other = os.path.join(self.temporary, "other")
        self.profile("-n", "2", GUILTY, "compute", "1", "50")
        self.profile("-n", "2", GUILTY, "compute", "1", "400", folder=other)

        def compare(*arguments):
            done = subprocess.run([REPORT, *arguments], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        status, text = compare(self.folder, other)
        self.assertEqual(status, 1, text)
        row = [line for line in text.splitlines() if "MPI_Allreduce" in line]
        self.assertEqual(len(row), 1, text)
        self.assertIn("SLOWER", row[0])
        # What is short may be slower there on a busy machine: the exit status is not asked for.
        row = [line for line in compare(other, self.folder)[1].splitlines() if "MPI_Allreduce" in line]
        self.assertEqual(len(row), 1)
        self.assertNotIn("SLOWER", row[0])
        self.assertEqual(compare("--compare", other, other)[0], 0)
        self.assertEqual(compare("--threshold", "100000", self.folder, other)[0], 0)
        self.assertEqual(compare("--compare", self.folder, "/nonexistent")[0], 2)
        for option in ("--perfetto", "--otf2", "--output", "--page"):
            name = os.path.join(self.temporary, "of_one_job")
            done = subprocess.run([REPORT, option, name, self.folder, other], capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"{option} {name}", done.stderr)
            self.assertFalse(os.path.exists(name))

    def test_records_of_others_are_refused(self):
        os.mkdir(self.folder)
        for name, text in (("short", b"REMITPRF"), ("zero", bytes(LIBRARY.stat().st_size))):
            (pathlib.Path(self.folder) / f"{name}.record").write_bytes(text)
        done = subprocess.run([REPORT, self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("record", done.stderr)

    def test_older_records_are_told_so(self):
        self.profile("-n", "1", GUILTY, "compute")
        for record in pathlib.Path(self.folder).glob("*.record"):
            with open(record, "r+b") as file:
                file.seek(8)
                file.write((3).to_bytes(4, sys.byteorder))
        done = subprocess.run([REPORT, self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is of another version of Remit", done.stderr)

    def test_lines_of_fortran(self):
        """Fortran's routines call those of C: each call counts once, with the line of the program."""
        compiler = re.search(r"^FC = (.*)$", (BUILD / "Makefile").read_text(), re.MULTILINE)
        if compiler is None or compiler.group(1) in ("", "no"):
            self.skipTest("no Fortran compiler")
        source = pathlib.Path(self.temporary) / "lines.f90"
        source.write_text("""subroutine meet
  use mpi_f08
  integer :: i
  do i = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD)
  end do
end subroutine
program lines
  use mpi_f08
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call meet
  call MPI_Finalize()
end program
""")
        program = os.path.join(self.temporary, "lines")
        subprocess.run([str(BUILD / "bin" / "mpifort"), "-g", str(source), "-o", program],
                       check=True, cwd=self.temporary)
        profile, _ = self.profile("-n", "2", program)
        found = {(site["function"], site["line"] if self.lines else 5, site["calls"])
                 for site in profile["sites"] if site["function"] == "MPI_Barrier"}
        self.assertEqual(found, {("MPI_Barrier", 5, 6)}, profile["sites"])
        if self.lines:
            self.assertEqual({os.path.basename(site["file"]) for site in profile["sites"]},
                             {"lines.f90"})

    def test_a_second_tool_is_entered(self):
        """One that is preloaded behind the profiler sees the calls; one that is linked into the
        program is told of."""
        mpicc = str(BUILD / "bin" / "mpicc")
        sources = HERE.parent / "mpi"
        tool = os.path.join(self.temporary, "libtool.so")
        program = os.path.join(self.temporary, "program")
        subprocess.run([mpicc, "-shared", "-fPIC", str(sources / "profile_tool.c"), "-o", tool],
                       check=True)
        subprocess.run([mpicc, str(sources / "profile_program.c"), "-o", program], check=True)
        seen = "profile_tool: rank 0 called MPI_Send 7 times"
        out, _ = self.run_job("--profile-dir", self.folder, "-x", "LD_PRELOAD=" + tool, program)
        self.assertIn(seen, out)
        with open(os.path.join(self.folder, "remit-profile.json")) as file:
            profile = json.load(file)
        sends = [site for site in profile["sites"] if site["function"] == "MPI_Send"]
        self.assertEqual(sum(site["calls"] for site in sends), 7)
        linked = program + "_with_tool"
        subprocess.run([mpicc, str(sources / "profile_program.c"), str(sources / "profile_tool.c"),
                        "-o", linked], check=True)
        out, _ = self.run_job("--profile-dir", self.folder, linked)
        self.assertIn(seen, out)
        with open(os.path.join(self.folder, "remit-profile.json")) as file:
            notes = json.load(file)["notes"]
        self.assertTrue(any("The program itself defines" in note for note in notes), notes)

    def test_a_tool_that_makes_all_calls(self):
        """Of a program that defines MPI_Init, too, there is what the library tells."""
        source = pathlib.Path(self.temporary) / "own.c"
        source.write_text("""#include <mpi.h>
#include <unistd.h>
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return PMPI_Finalize(); }
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) { return PMPI_Recv(data, count, type, from, tag, comm, status); }
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Send(data, count, type, to, tag, comm);
}
int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) usleep(300000);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
""")
        program = os.path.join(self.temporary, "own")
        subprocess.run([str(BUILD / "bin" / "mpicc"), str(source), "-o", program], check=True)
        profile, _ = self.profile("-n", "2", program)
        self.assertTrue(profile["tells_waits"])
        self.assertGreater(profile["ranks"][1]["waiting"], 0.2)
        self.assertGreater(profile["counters"]["messages_eager"], 0)
        self.assertTrue(any("The program itself defines" in note for note in profile["notes"]))


if __name__ == "__main__":
    unittest.main()
