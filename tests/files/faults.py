#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Files on a file system of this test's own (faulty_mount): transfers that are cut or interrupted, a full
disk, a used-up quota, broken bytes, fsync and open that fail. Runs in the top build folder; MPIRUN names
another mpirun, REMIT_TEST_SEED repeats what was random. Skipped, with the reason, where file systems in user
space may not be mounted; all of it lives in a mount namespace, so nothing stays mounted."""
import contextlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIP = 77
MPIRUN = os.path.abspath(os.environ.get("MPIRUN", "./mpirun"))
MOUNT = os.path.abspath("tests/files/faulty_mount")
LIMIT = 120  # seconds: only a hang takes as long
INSIDE = "REMIT_TEST_MOUNTS"


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(SKIP)


def enter_namespace():
    """This script once more, where mounts are its own; as root, else as one of a namespace of users."""
    if os.environ.get(INSIDE):
        return
    if shutil.which("unshare") is None:
        skip("unshare is not installed (util-linux)")
    options = ["--mount", "--propagation", "private"]
    if os.getuid() != 0:
        options.append("--map-root-user")
    if subprocess.run(["unshare", *options, "true"], capture_output=True, check=False).returncode != 0:
        skip("mount namespaces are not permitted here")
    os.environ[INSIDE] = "yes"
    os.execvp("unshare", ["unshare", *options, sys.executable, __file__, *sys.argv[1:]])


@contextlib.contextmanager
def mounted(*options):
    """A folder of the file system; a SkipTest says why there is none."""
    with tempfile.TemporaryDirectory(prefix="remit-faults-") as top:
        folders = pathlib.Path(top, "below"), pathlib.Path(top, "here")
        for folder in folders:
            folder.mkdir()
        server = subprocess.Popen([MOUNT, *folders, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        try:
            if server.stdout.readline() != "mounted\n":
                raise unittest.SkipTest(f"no file system in user space: {server.stderr.read().strip()}")
            yield folders[1]
        finally:
            _, words = server.communicate()  # the end of its input ends it
        if server.returncode != 0:
            raise AssertionError(f"faulty_mount: exit status {server.returncode}: {words}")


class Faults(unittest.TestCase):
    def setUp(self):
        self.seed = int(os.environ.get("REMIT_TEST_SEED") or random.randrange(1, 1 << 31))
        print(f"REMIT_TEST_SEED={self.seed} replays", file=sys.stderr)

    def run_program(self, ranks, folder, program, *arguments):
        environment = {**os.environ, "TMPDIR": str(folder), "REMIT_TEST_SEED": str(self.seed)}
        # mpirun's own files are elsewhere.
        words = [MPIRUN, "-n", str(ranks), "env", f"TMPDIR={folder}", f"tests/{program}", *arguments]
        environment.pop("TMPDIR")
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 0, f"{ranks} ranks, {program}:\n{done.stdout}{done.stderr}")

    def test_cut_and_interrupted_transfers(self):
        with mounted() as folder:
            for ranks in (1, 2, 4):
                (folder / ".faults").write_text(f"seed={self.seed + ranks} short=30 eintr=20")
                self.run_program(ranks, folder, "mpi/file_random", "6")
                counts = (folder / ".faults").read_text().split()
                self.assertGreater(min(int(counts[1]), int(counts[3])), 20, "there were faults")

    def test_errors_have_class_and_words(self):
        with mounted() as folder:
            for ranks in (1, 2, 4):
                self.run_program(ranks, folder, "files/file_failing")

    def test_without_faults(self):
        with mounted() as folder:
            self.run_program(3, folder, "mpi/file_random", "6")
            self.run_program(2, folder, "mpi/file_views")

    def test_a_wrong_fault_is_refused(self):
        with mounted() as folder, self.assertRaises(OSError):
            (folder / ".faults").write_text("full=yes")


if __name__ == "__main__":
    enter_namespace()
    unittest.main()
