#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# mpirun --trace: that each message is an arrow, each call is there, however the job ends; the ring that
# runs over; clocks of hosts; the formats, read by others than the writer. Runs in the top build folder.
import collections
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "launcher"))
from launcher import MPIRUN, MpirunTest, is_sanitized, marked_environment  # noqa: E402

BUILD = pathlib.Path(os.path.dirname(MPIRUN))
GUILTY = str(BUILD / "tests" / "profile" / "guilty")
TRACED = str(BUILD / "tests" / "profile" / "traced")
REPORT = str(BUILD / "remit_profile")
LIBRARY = BUILD / ".libs" / "libremit_profile.so"
SIZES = [0, 8, 256, 8192, 262144]
SKEW_S = 1000


def rows_of(trace, kind, columns):
    """Each call or wait as a dictionary, with the rank and thread of its row."""
    names = trace[columns]
    for row in trace["rows"]:
        flat, before = row[kind], 0
        for at in range(0, len(flat), len(names)):
            each = dict(zip(names, flat[at:at + len(names)]))
            before = each["begin"] = each["begin"] + before
            yield {**each, "rank": row["rank"], "thread": row["thread"]}


def arrows_of(trace):
    names, before = trace["arrow_columns"], 0
    for at in range(0, len(trace["arrows"]), len(names)):
        each = dict(zip(names, trace["arrows"][at:at + len(names)]))
        before = each["sent"] = each["sent"] + before
        yield each


def protobuf(data):
    """{number of a field: [values]}: integers, and bytes of what is nested."""
    fields, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            fields[key >> 3].append(varint())
        elif key & 7 == 1:
            fields[key >> 3].append(struct.unpack_from("<Q", data, at)[0])
            at += 8
        elif key & 7 == 2:
            length = varint()
            assert at + length <= len(data), "a field ends behind its message"
            fields[key >> 3].append(data[at:at + length])
            at += length
        else:
            raise AssertionError(f"field {key >> 3} has form {key & 7}")
    return fields


def pixels_of(path):
    """Width, height, and the bytes of a PNG's image."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        chunk = data[at + 8:at + 8 + length]
        checked = struct.unpack_from(">I", data, at + 8 + length)[0]
        assert checked == zlib.crc32(kind + chunk), kind
        if kind == b"IHDR":
            size = struct.unpack_from(">II", chunk)
        if kind == b"IDAT":
            packed += chunk
        at += 12 + length
    return (*size, zlib.decompress(packed))


@unittest.skipIf(is_sanitized(LIBRARY), "programs without the sanitizer cannot load its library")
class TraceTest(MpirunTest):
    limit = 60

    def setUp(self):
        self.temporary = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.temporary, ignore_errors=True)
        self.environment, _ = marked_environment(self.temporary)
        self.folder = os.path.join(self.temporary, "result")

    def trace(self, *arguments, status=0, **options):
        """Runs a job with its trace; returns its profile, and the trace in it."""
        _, self.err = self.run_job("--trace", "--profile-dir", self.folder, *arguments,
                                   status=status, **options)
        with open(os.path.join(self.folder, "remit-profile.json")) as file:
            profile = json.load(file)
        self.assertIsNotNone(profile["trace"], profile["notes"])
        return profile, profile["trace"]

    def report(self, *arguments):
        done = subprocess.run([REPORT, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def assert_whole(self, trace, messages):
        self.assertEqual((trace["sent"], trace["received"], trace["messages"]),
                         (messages, messages, messages))
        arrows = list(arrows_of(trace))
        self.assertEqual(len(arrows), messages)
        for arrow in arrows:
            self.assertGreaterEqual(arrow["took"], 0, arrow)
        return arrows

    def test_each_message_is_an_arrow(self):
        """By every way and in every size, among collective operations with messages of their own."""
        profile, trace = self.trace("-n", "3", TRACED, "ways")
        arrows = self.assert_whole(trace, 10 * len(SIZES))
        seen = collections.Counter((each["from"], each["to"], each["tag"], each["bytes"])
                                   for each in arrows)
        wanted = {(0, 1, tag, size): 2 if tag == 5 else 1 for size in SIZES
                  for tag in (1, 2, 3, 4, 5, 6, 7, 9)}
        wanted.update({(1, 0, 8, size): 1 for size in SIZES})
        self.assertEqual(seen, wanted)
        # The ends lie inside of calls that may have them.
        calls = list(rows_of(trace, "calls", "call_columns"))
        for arrow in arrows:
            inside = {profile["sites"][call["site"]]["function"] for call in calls
                      if call["rank"] == arrow["to"] and
                      call["begin"] <= arrow["sent"] + arrow["took"] <= call["begin"] + call["took"]}
            self.assertTrue(inside, arrow)

    def test_each_call_is_there(self):
        profile, trace = self.trace("-n", "3", GUILTY, "counts")
        self.assert_whole(trace, 101)
        calls = list(rows_of(trace, "calls", "call_columns"))
        self.assertEqual(len(calls), trace["calls"])
        for at, site in enumerate(profile["sites"]):
            own = [call for call in calls if call["site"] == at]
            self.assertEqual(len(own), site["calls"], site)
            self.assertEqual(sum(call["bytes"] for call in own), site["bytes"], site)
            self.assertAlmostEqual(sum(call["took"] for call in own) / 1e9, site["seconds"],
                                   delta=1e-4)
        sends = [call for call in calls if profile["sites"][call["site"]]["function"] == "MPI_Send"]
        self.assertEqual({call["peer"] for call in sends}, {0, 1})
        for row in trace["rows"]:  # a thread is in one call at a time
            own = sorted((call["begin"], call["begin"] + call["took"]) for call in calls
                         if call["rank"] == row["rank"])
            for (_, end), (begin, _) in zip(own, own[1:]):
                self.assertLessEqual(end, begin + 1)

    def test_waits_have_their_cause(self):
        profile, trace = self.trace("-n", "2", GUILTY, "late_sender", "1", "200")
        longest = max(rows_of(trace, "waits", "wait_columns"), key=lambda wait: wait["took"])
        self.assertEqual((longest["rank"], longest["peer"]), (0, 1))
        self.assertEqual(trace["causes"][longest["cause"]], "late sender")
        self.assertGreater(longest["took"], 100e6)
        receive = next(call for call in rows_of(trace, "calls", "call_columns")
                       if profile["sites"][call["site"]]["function"] == "MPI_Recv")
        self.assertGreaterEqual(longest["begin"], receive["begin"] - 1000)

    def test_a_killed_rank_leaves_its_trace(self):
        profile, trace = self.trace("-n", "3", TRACED, "killed", "500",
                                    status=128 + signal.SIGKILL)
        self.assert_whole(trace, 3 * 500)
        self.assertEqual({row["rank"] for row in trace["rows"]}, {0, 1, 2})
        of_killed = [call for call in rows_of(trace, "calls", "call_columns") if call["rank"] == 1]
        self.assertEqual(sum(profile["sites"][call["site"]]["function"] == "MPI_Sendrecv"
                             for call in of_killed), 500)

    def test_a_call_that_never_ends(self):
        profile, trace = self.trace("--timeout", "2", "-n", "2", GUILTY, "hang", status=124)
        for rank in (0, 1):
            last = max((call for call in rows_of(trace, "calls", "call_columns")
                        if call["rank"] == rank), key=lambda call: call["begin"])
            self.assertEqual(profile["sites"][last["site"]]["function"], "MPI_Recv")
            self.assertGreater(last["took"], 0.5e9)

    def test_threads_have_their_rows(self):
        _, trace = self.trace("-n", "2", GUILTY, "threads")
        self.assert_whole(trace, 2 * 12 * 50)
        threads = {(row["rank"], row["thread"]) for row in trace["rows"]}
        self.assertGreater(len(threads), 2)
        self.assertLessEqual({rank for rank, _ in threads}, {0, 1})

    def test_of_a_full_trace_the_newest_is_kept(self):
        rounds = 2400
        profile, trace = self.trace("-n", "2", TRACED, "many", str(rounds))
        calls = sum(site["calls"] for site in profile["sites"])
        self.assertEqual(calls, 2 * (rounds + rounds // 2 * 400 + 4))  # totals have all
        self.assertGreater(trace["overwritten"], 0)
        self.assertLess(trace["calls"], calls)
        self.assertTrue(any("oldest" in note for note in profile["notes"]), profile["notes"])
        # What is left of both ends is joined: the k-th message with the k-th.
        self.assertGreater(trace["messages"], 100)
        self.assertLessEqual(trace["messages"], min(trace["sent"], trace["received"]))
        self.assertGreaterEqual(trace["messages"], min(trace["sent"], trace["received"]) // 2)
        arrows = list(arrows_of(trace))
        sendrecv = [call for call in rows_of(trace, "calls", "call_columns")
                    if call["calls"] == 1 and
                    profile["sites"][call["site"]]["function"] == "MPI_Sendrecv"]
        self.assertEqual(len(arrows), trace["messages"])
        self.assertTrue(sendrecv)
        drawn = list(rows_of(trace, "calls", "call_columns"))
        self.assertEqual(sum(call["calls"] for call in drawn), trace["calls"])
        self.assertLess(os.path.getsize(os.path.join(self.folder, "remit-profile.html")), 12e6)
        # Of so many events nobody wants another hundred megabytes unasked.
        events = trace["calls"] + trace["waits"] + trace["sent"] + trace["received"]
        self.assertGreater(events, 500_000)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "remit-trace.perfetto")))
        self.assertIn("remit_profile --perfetto", self.err)
        for path in pathlib.Path(self.folder).glob("*.trace"):
            self.assertLessEqual(path.stat().st_size, 16 << 20)

    def test_only_the_page_is_left(self):
        self.run_job("--trace", "-n", "2", GUILTY, "counts", cwd=self.temporary)
        self.assertEqual(os.listdir(self.temporary), ["remit-profile.html"])
        page = (pathlib.Path(self.temporary) / "remit-profile.html").read_text()
        self.assertIn('"call_columns"', page)

    def test_without_a_launcher(self):
        environment = {**self.environment, "LD_PRELOAD": str(LIBRARY), "REMIT_TRACE": self.folder}
        subprocess.run([GUILTY, "compute"], env=environment, check=True)
        names = sorted(os.path.splitext(name)[1] for name in os.listdir(self.folder))
        self.assertEqual(names, [".record", ".trace"])
        # What the recorder has tried out at its start is gone: no number is left behind the newest.
        data = next(pathlib.Path(self.folder).glob("*.trace")).read_bytes()
        begun, = struct.unpack_from("<Q", data, 64)
        numbers = [struct.unpack_from("<I", data, 128 + 48 * at + 40)[0] for at in range(4096)]
        written = len(numbers) - numbers.count(0)
        self.assertGreater(written, 3)
        self.assertEqual(numbers, [*range(1, written + 1), *[0] * (4096 - written)])
        self.assertLess(begun - written, 16)  # which a thread takes at once
        status, out, err = self.report("--as", "json", self.folder)
        self.assertEqual(status, 0, err)
        self.assertGreater(json.loads(out)["trace"]["calls"], 3)

    def test_a_profile_alone_has_no_trace(self):
        self.run_job("--profile-dir", self.folder, "-n", "1", GUILTY, "counts_of_one")
        self.assertFalse(list(pathlib.Path(self.folder).glob("*.trace")))
        with open(os.path.join(self.folder, "remit-profile.json")) as file:
            self.assertIsNone(json.load(file)["trace"])
        for option, value in (("--perfetto", "a.perfetto"), ("--otf2", "a.otf2")):
            status, _, err = self.report(option, os.path.join(self.temporary, value), self.folder)
            self.assertEqual(status, 2)
            self.assertIn(option, err)
            self.assertIn("mpirun --trace", err)

    def test_perfetto(self):
        """Decoded by field numbers as Perfetto's protos have them."""
        profile, trace = self.trace("-n", "3", TRACED, "ways")
        packets = [protobuf(packet) for packet in protobuf(
            (pathlib.Path(self.folder) / "remit-trace.perfetto").read_bytes())[1]]
        tracks, begun, ended, flows = {}, [], 0, collections.defaultdict(list)
        for packet in packets:
            self.assertEqual(len(packet[10]), 0 if 60 in packet else 1, "its sequence")
            for track in map(protobuf, packet.get(60, [])):
                tracks[track[1][0]] = track
            for event in map(protobuf, packet.get(11, [])):
                self.assertEqual(len(packet[8]), 1, "its time")
                self.assertIn(event[11][0], tracks)
                if event[9] == [1]:
                    begun.append(event)
                ended += event[9] == [2]
                for flow in event.get(47, []):
                    flows[flow].append((packet[8][0], "leaves"))
                for flow in event.get(48, []):
                    flows[flow].append((packet[8][0], "is taken"))
        self.assertEqual(len(begun), ended)
        self.assertEqual(len(begun), trace["calls"] + trace["waits"])
        names = collections.Counter(event[23][0].decode() for event in begun)
        for site in {site["function"] for site in profile["sites"]}:
            self.assertEqual(names[site], sum(each["calls"] for each in profile["sites"]
                                              if each["function"] == site), site)
        self.assertEqual(len(flows), trace["messages"])
        for ends in flows.values():
            self.assertEqual(sorted(name for _, name in ends), ["is taken", "leaves"])
            times = {name: time for time, name in ends}
            self.assertLessEqual(times["leaves"], times["is taken"])
        processes = [track for track in tracks.values() if 3 in track]
        self.assertEqual(len(processes), 3)
        for track in tracks.values():
            self.assertTrue(3 in track or track[5][0] in tracks)

    def test_a_full_disk_still_has_its_summary(self):
        """What cannot be written is named behind it; what can be is written."""
        self.trace("-n", "2", GUILTY, "counts")
        output = pathlib.Path(self.temporary) / "output"
        output.mkdir()
        (output / "ranks.svg").symlink_to("/dev/full")
        (output / "remit-profile.csv").symlink_to("/dev/full")
        status, out, err = self.report("--brief", "--output", str(output), self.folder)
        self.assertEqual(status, 2)
        self.assertRegex(out, r"^MPI .*remit-profile\.html\n$")
        self.assertRegex(err, r"remit-profile\.csv cannot be written: No space left")
        for name in ("remit-profile.json", "strip.svg", "remit-trace.perfetto"):
            self.assertGreater((output / name).stat().st_size, 0, name)
        (output / "remit-profile.html").unlink()
        (output / "remit-profile.html").symlink_to("/dev/full")
        status, out, err = self.report("--brief", "--output", str(output), self.folder)
        self.assertEqual(status, 2)
        self.assertRegex(out, "^MPI ")
        self.assertNotIn("remit-profile.html", out)
        self.assertIn("remit-profile.html cannot be written", err)

    def test_otf2(self):
        profile, trace = self.trace("-n", "3", TRACED, "ways")
        archive = os.path.join(self.temporary, "archive")
        status, _, err = self.report("--otf2", archive, self.folder)
        if status != 0:
            self.assertIn("libopen-trace-format2", err)
            self.assertFalse(os.path.exists(archive))
            self.skipTest("OTF2 is not installed: " + err.strip())
        status, _, err = self.report("--otf2", archive, self.folder)
        self.assertEqual(status, 2)
        self.assertIn(archive, err)
        reader = shutil.which("otf2-print")
        if reader is None:
            self.skipTest("no otf2-print to read the archive")
        done = subprocess.run([reader, os.path.join(archive, "traces.otf2")], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        kinds = collections.Counter(line.split()[0] for line in done.stdout.splitlines()
                                    if line.strip())
        self.assertEqual((kinds["MPI_SEND"], kinds["MPI_RECV"]), (trace["messages"],) * 2)
        self.assertEqual(kinds["ENTER"], kinds["LEAVE"])
        self.assertGreaterEqual(kinds["ENTER"], trace["calls"])
        self.assertEqual(sum("MPI_Bcast" in line for line in done.stdout.splitlines()
                             if line.startswith("ENTER")), 3 * len(SIZES))

    def test_pictures_as_png(self):
        self.trace("-n", "3", GUILTY, "counts")
        path = pathlib.Path(self.folder) / "ranks.png"
        if not path.exists():
            self.skipTest("libpng is not installed")
        for name in ("ranks.png", "strip.png"):
            width, height, pixels = pixels_of(pathlib.Path(self.folder) / name)
            self.assertEqual(len(pixels), height * (1 + 3 * width), name)
            self.assertGreater(len(set(pixels)), 10, name)

    def test_the_page_shows_it(self):
        node = shutil.which("node")
        if node is None:
            self.skipTest("no node to run the page's script")
        self.trace("-n", "3", TRACED, "ways")
        page = os.path.join(self.folder, "remit-profile.html")
        done = subprocess.run([node, str(HERE / "run_page.js"), page], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(done.stdout)
        whole, zoomed, moved, again = shown["spans"]
        self.assertIn(f"{10 * len(SIZES)} messages", whole)
        self.assertEqual(len({whole, zoomed, moved}), 3)
        self.assertEqual(again, whole)
        self.assertIn("Rank 0, at", shown["texts"]["timeline-tip"])
        self.assertIn("MPI_", shown["texts"]["timeline-tip"])
        self.assertIn("collective", shown["texts"]["timeline-legend"])

    def test_clocks_of_hosts(self):
        """A second host is a time namespace: its clock is a thousand seconds ahead."""
        skewed = ["unshare", "--time", "--fork", "--monotonic", str(SKEW_S)]
        if subprocess.run([*skewed, "true"], check=False, stderr=subprocess.DEVNULL,
                          timeout=10).returncode != 0:
            self.skipTest(f"{' '.join(skewed)} does not work here")
        agent = pathlib.Path(self.temporary) / "agent"
        agent.write_text(f'#!/bin/sh\nshift\nexec {" ".join(skewed)} sh -c "$*"\n')
        agent.chmod(0o755)
        profile, trace = self.trace("--launch-agent", str(agent), "--host", "localhost:1,elsewhere:1",
                                    "-n", "2", TRACED, "ways")
        self.assert_whole(trace, 10 * len(SIZES))
        self.assertIsNotNone(trace["clocks_within_ns"])
        self.assertGreater(trace["clocks_within_ns"], 0)
        self.assertLess(trace["clocks_within_ns"], 1e9)
        self.assertLess(profile["run"], 60)
        self.assertLess(trace["end_ns"], 60e9)
        self.assertTrue(any("clocks of 2 hosts" in note for note in profile["notes"]),
                        profile["notes"])
        lines = (pathlib.Path(self.folder) / "remit-clocks").read_text().splitlines()
        self.assertTrue(lines[0].startswith("remit-clocks 1 "), lines[0])
        self.assertAlmostEqual(int(lines[1].split()[2]) / 1e9, SKEW_S, delta=1)

    def test_wrong_options(self):
        _, err = self.run_job("--trace=always", "-n", "1", "true", status=2)
        self.assertIn("--trace", err)


if __name__ == "__main__":
    unittest.main()
