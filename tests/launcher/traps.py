#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# Environments in which MPI programs are known to fail or, worse, to run as N times "rank 0 of 1":
# containers with little shared memory, forbidden system calls or namespaces of their own, one core,
# no home, launchers that are not there. Each works, or says what to do.
# Runs in the top build folder; MPIRUN and TRAPS_PROGRAM name other binaries.
import ctypes
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only, as in make distcheck

from launcher import LIMIT, MPIRUN, LauncherTest

PROGRAM = os.path.abspath(os.environ.get("TRAPS_PROGRAM", "./tests/mpi/pt2pt"))
STUCK = os.path.abspath("./tests/launcher/stuck")

# Numbers of system calls: x86_64, aarch64.
CALLS = {"process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "userfaultfd": (323, 282),
         "membarrier": (324, 283), "pidfd_open": (434, 434), "ptrace": (101, 117),
         "kcmp": (312, 272), "io_uring_setup": (425, 425)}
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
EPERM, ENOSYS = 1, 38


def can_unshare(*options):
    return subprocess.run(["unshare", *options, "true"], check=False, stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL).returncode == 0


def forbid(names, error):
    """For preexec_fn: these system calls fail from now on, in all children too."""
    column = 0 if platform.machine() == "x86_64" else 1

    def instruction(code, true, false, value):
        return struct.pack("HBBI", code, true, false, value)
    load, equal, answer = 0x20, 0x15, 0x06
    program = instruction(load, 0, 0, 4) + instruction(equal, 1, 0, AUDIT_ARCH[platform.machine()])
    program += instruction(answer, 0, 0, 0x7FFF0000) + instruction(load, 0, 0, 0)
    for name in names:
        program += instruction(equal, 0, 1, CALLS[name][column])
        program += instruction(answer, 0, 0, 0x00050000 | error)
    program += instruction(answer, 0, 0, 0x7FFF0000)

    def apply():
        libc = ctypes.CDLL(None, use_errno=True)
        text = ctypes.create_string_buffer(program, len(program))
        filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(text))
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, filter_, 0, 0) != 0:
            os._exit(99)
    return apply


class Traps(LauncherTest):
    def setUp(self):
        super().setUp()
        self.programs = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.programs)
        # The search for leaks traces the process, which some of these environments forbid.
        options = os.environ.get("ASAN_OPTIONS", "")
        self.environment["ASAN_OPTIONS"] = options + ":detect_leaks=0"

    def check(self, done, ranks):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # One world, not several: its first rank alone says how large it was.
        self.assertEqual(done.stdout.count("passed"), 1, done.stdout)
        self.assertIn(f"passed ({ranks} ranks)", done.stdout)

    def call(self, *command, **options):
        options["env"] = {**self.environment, **options.get("env", {})}
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=4 * LIMIT, **options)

    def works(self, *command, ranks=3, **options):
        self.check(self.call(*command, **options), ranks)

    def in_mounts(self, script, ranks=3, options=()):
        """mpirun after a change of the mounts that only it and its ranks see."""
        if not can_unshare("-m"):
            self.skipTest("mounts cannot be changed here")
        command = f'{script} && exec "$0" "$@"'
        self.works("unshare", "-m", "sh", "-c", command, MPIRUN, *options, "-n", str(ranks),
                   PROGRAM, ranks=ranks)

    # Launchers that are not there.

    def test_environment_of_a_launcher_that_cannot_be_reached(self):
        other = "belongs to another MPI|is not there|cannot be reached|srun|flux|jsrun|pmi=pmix"
        for environment in (
                {"OMPI_COMM_WORLD_SIZE": "2"}, {"PMI_SIZE": "2", "PMI_RANK": "0"},
                {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "1"},
                {"FLUX_JOB_SIZE": "2", "FLUX_TASK_RANK": "0"}, {"JSM_NAMESPACE_SIZE": "2"},
                {"PALS_NRANKS": "2", "PALS_RANKID": "0"}, {"MV2_COMM_WORLD_SIZE": "2"},
                {"PMIX_NAMESPACE": "gone", "PMIX_RANK": "0"},
                {"PMIX_NAMESPACE": "gone", "PMIX_RANK": "0",
                 "PMIX_SERVER_URI4": "gone.0;tcp4://127.0.0.1:1"}):
            done = self.call(PROGRAM, env=environment)
            self.assertNotEqual(done.returncode, 0, environment)
            self.assertNotIn("passed", done.stdout)
            self.assertRegex(done.stderr, other, environment)
            self.assertLess(len(done.stderr.splitlines()), 5, done.stderr)
            self.works(PROGRAM, ranks=1, env={**environment, "REMIT_SINGLETON": "1"})

    def test_network_of_its_own(self):
        """A rank in another network namespace reaches neither mpirun nor the other ranks."""
        if not can_unshare("-n"):
            self.skipTest("no network namespaces here")
        done = self.call(MPIRUN, "-n", "2", "unshare", "-n", PROGRAM)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("passed", done.stdout)
        self.assertRegex(done.stderr, "cannot be reached.*container")

    # Containers.

    def test_small_shared_memory(self):
        for size in ("64m", "4k"):
            self.in_mounts(f"mount -t tmpfs -o size={size} none /dev/shm", ranks=8)

    def test_no_shared_memory_and_no_sys(self):
        self.in_mounts("mount -t tmpfs -o ro none /dev/shm")
        self.in_mounts("mount -t tmpfs -o ro none /sys")

    def test_forbidden_system_calls(self):
        if platform.machine() not in AUDIT_ARCH:
            self.skipTest("system call numbers are not known")
        usual = ("process_vm_readv", "process_vm_writev", "userfaultfd")
        for names in (usual, (*usual, "ptrace", "kcmp", "membarrier", "io_uring_setup"),
                      tuple(CALLS)):
            for error in (EPERM, ENOSYS):
                self.works(MPIRUN, "-n", "3", PROGRAM, preexec_fn=forbid(names, error))

    def test_the_report_needs_no_right_to_trace(self):
        done = self.call(MPIRUN, "-n", "2", "--timeout", "2", STUCK, "ring",
                         preexec_fn=forbid(("ptrace", "process_vm_readv"), EPERM))
        self.assertEqual(done.returncode, 124)
        self.assertIn("deadlock: 0 -> 1 -> 0", done.stderr)

    def test_without_userfaultfd_memory_is_registered_for_each_message(self):
        """Only RDMA adapters have memory registered, so jobs here do not: the unit tests of the
        cache and of the engine over a simulated device that does, where there is no userfaultfd."""
        if platform.machine() not in AUDIT_ARCH:
            self.skipTest("system call numbers are not known")
        monitor, engine = "./registration_monitor_test", "./registration_engine_test"
        if not os.path.exists(monitor) or not os.path.exists(engine):
            self.skipTest("the unit tests are not built")
        for error in (EPERM, ENOSYS):
            without = {"preexec_fn": forbid(("userfaultfd",), error)}
            done = self.call(monitor, **without)
            if done.returncode == 0:
                self.skipTest("/dev/userfaultfd gives what the system call would")
            self.assertEqual(done.returncode, 77, done.stdout + done.stderr)
            self.assertIn("memory_monitor=userfaultfd does not work here", done.stdout)
            done = self.call(engine, **without)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
            self.assertIn("[       OK ] Ways/Registered.EachCanBeSwitchedOff/", done.stdout)
            self.assertIn("[  SKIPPED ] Ways/Registered.TheSecondMessageRegistersNothing/", done.stdout)

    def namespaces(self, *options):
        if not can_unshare(*options):
            self.skipTest(f"unshare {' '.join(options)} does not work here")
        self.works(MPIRUN, "-n", "3", "unshare", *options, PROGRAM)
        # mpirun and its ranks together, as in a container
        self.works("unshare", *options, MPIRUN, "-n", "3", PROGRAM)
        # one rank inside, the others outside
        self.works(MPIRUN, "-n", "1", "unshare", *options, PROGRAM, ":", "-n", "2", PROGRAM)

    def test_pid_namespaces(self):
        self.namespaces("--pid", "--fork", "--kill-child")

    def test_pid_namespaces_with_proc(self):
        self.namespaces("--pid", "--fork", "--kill-child", "--mount-proc")

    def test_ipc_and_uts_namespaces(self):
        self.namespaces("--ipc", "--uts")

    def test_user_namespaces(self):
        self.namespaces("--user", "--map-root-user")

    def test_user_and_pid_namespaces(self):
        self.namespaces("--user", "--map-root-user", "--pid", "--fork", "--kill-child")

    def test_user_namespace_without_the_user(self):
        if not can_unshare("--user"):
            self.skipTest("no user namespaces here")
        self.works("unshare", "--user", MPIRUN, "-n", "3", PROGRAM,
                   env={"TMPDIR": self.open_folder()})
        done = self.call(MPIRUN, "-n", "2", "unshare", "--user", PROGRAM)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("passed", done.stdout)
        self.assertRegex(done.stderr, "cannot be reached.*--map-current-user")

    def open_folder(self):
        """For a user who is somebody else."""
        os.chmod(self.temporary, 0o777)
        return self.temporary

    # Folders.

    def test_read_only_home_and_folder(self):
        home = os.path.join(self.temporary, "home")
        os.mkdir(home)
        self.in_mounts(f"mount -t tmpfs -o ro none {home} && cd {home} && export HOME={home}")
        os.rmdir(home)

    def test_very_long_folder_for_temporary_files(self):
        folder = os.path.join(self.temporary, *["x" * 200] * 4)
        os.makedirs(folder)
        self.works(MPIRUN, "-n", "3", PROGRAM, env={"TMPDIR": folder})
        shutil.rmtree(os.path.join(self.temporary, "x" * 200))

    def test_no_place_for_temporary_files(self):
        if not can_unshare("-m"):
            self.skipTest("mounts cannot be changed here")
        for options, words in (("ro", "set TMPDIR to a directory you can write"),
                               ("size=4k,nr_inodes=4", "set TMPDIR to a directory with space")):
            folder = os.path.join(self.temporary, "full")
            os.mkdir(folder)
            done = self.call("unshare", "-m", "sh", "-c",
                             f'mount -t tmpfs -o {options} none {folder} && exec "$0" "$@"', MPIRUN,
                             "-n", "9", PROGRAM, env={"TMPDIR": folder})
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, self.the_message(done.stderr))
            os.rmdir(folder)

    # Libraries that the loader does not find.

    def compiled(self, name, text, *options):
        """A program or library of this text, made by the wrapper of the build folder."""
        path = os.path.join(self.programs, name)
        subprocess.run(["./bin/mpicc", "-norpath", "-x", "c", "-", "-x", "none", "-o", path, *options], input=text,
                       text=True, check=True)
        return path

    def given_up(self, *command, **options):
        """What mpirun adds to its one message about a program that the loader gave up."""
        done = self.call(MPIRUN, *command, **options)
        self.assertEqual(done.returncode, 127, done.stderr)
        messages = self.own_messages(done.stderr)
        self.assertRegex(messages[0], "exited with status 127")
        return messages[1:]

    def test_program_without_the_library_in_its_path(self):
        text = "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }"
        program = self.compiled("lost", text)
        without = {"env": {"LD_LIBRARY_PATH": ""}}
        folder = os.path.abspath("./.libs")
        for command in (("-n", "3", program), ("-n", "1", "env", "A=b", program)):
            advice = self.given_up(*command, **without)
            self.assertEqual(len(advice), 1, advice)
            self.assertIn(f"{program} needs libmpi_abi.so.1, which the loader does not find", advice[0])
            self.assertIn(f"Remit's is in {folder}. Link the program with Remit's mpicc", advice[0])
            # What it says helps.
            option = re.search(r"-x (LD_LIBRARY_PATH=\S*)\.$", advice[0]).group(1)
            self.assertEqual(self.call(MPIRUN, "-x", option, *command, **without).returncode, 0)
            rpath = re.search(r"-Wl,-rpath,[^)]*", advice[0]).group(0)
        found = self.compiled("found", text, rpath)
        self.assertEqual(self.call(MPIRUN, "-n", "2", found, **without).returncode, 0)

    def test_program_that_wants_another_library(self):
        other = self.compiled("libmpi.so.99", "void ompi(void) {}", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.99")
        foo = self.compiled("libfoo.so.1", "void foo(void) {}", "-shared", "-fPIC", "-Wl,-soname,libfoo.so.1")
        libraries = {"env": {"LD_LIBRARY_PATH": os.path.abspath("./.libs")}}
        program = self.compiled("wants", "void ompi(void); int main(void) { ompi(); }", other)
        self.assertRegex(self.given_up("-n", "2", program, **libraries)[0],
                         "wants needs libmpi.so.99, .* compiled for Open MPI.* -x LD_LIBRARY_PATH=FOLDER:")
        program = self.compiled("wants", "void foo(void); int main(void) { foo(); }", foo)
        self.assertRegex(self.given_up("-n", "2", program, **libraries)[0],
                         "wants needs libfoo.so.1, which the loader does not find")

    def test_program_that_calls_what_the_library_has_not(self):
        fake = self.compiled("libmpi_abi.so.1", "void MPI_Not_there(void) {}", "-shared", "-fPIC",
                             "-Wl,-soname,libmpi_abi.so.1")
        call = "void MPI_Not_there(void); int main(int c, char** v) { (void)v; if (c < 2) MPI_Not_there(); }"
        for binding in ("lazy", "now"):
            program = self.compiled("calls", call, fake, f"-Wl,-z,{binding}")
            own = {"env": {"LD_LIBRARY_PATH": os.path.abspath("./.libs")}}
            self.assertRegex(self.given_up("-n", "2", program, **own)[0],
                             "calls calls MPI_Not_there, which .*/.libs/libmpi_abi.so.1 does not have: "
                             "it was compiled with the header of another MPI")
            self.assertEqual(self.call(MPIRUN, "-n", "2", program, env={"LD_LIBRARY_PATH": self.programs}).returncode, 0)

    def test_program_with_two_libraries(self):
        """A library that it uses was built for another MPI: said where the program ends badly, and only there."""
        other = self.compiled("libmpi.so.99", "int MPI_Other(void) { return 1; }", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.99")
        foo = self.compiled("libfoo.so.1", "int MPI_Other(void); int foo(void) { return MPI_Other(); }", "-shared", "-fPIC",
                            "-Wl,-soname,libfoo.so.1", other)
        program = self.compiled("both", r"""
            #include <mpi.h>
            #include <stdlib.h>
            int foo(void);
            int main(int argc, char** argv) {
              MPI_Init(&argc, &argv);
              const int how = argc > 1 ? atoi(argv[1]) : 0;
              if (how == 1 && foo()) *(volatile int*)0 = 1;
              if (how == 2) MPI_Abort(MPI_COMM_WORLD, 3);
              MPI_Finalize();
              return how == 3 ? 4 : 0;
            }""", foo, f"-Wl,-rpath-link,{self.programs}")
        path = {"env": {"LD_LIBRARY_PATH": os.path.abspath("./.libs") + ":" + self.programs}}
        for how, status in ((1, 128 + 11), (2, 3), (3, 4)):
            done = self.call(MPIRUN, "-n", "2", program, str(how), **path)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertRegex(done.stderr, "both has two MPI libraries in one process, .*/libmpi_abi.so.1, and "
                             ".*/libmpi.so.99, which .*/libfoo.so.1 needs. Build that with Remit's mpicc")
        done = self.call(MPIRUN, "-n", "2", program, **path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Arguments are not the program; the user's debugging of the loader is not for mpirun.
        alone = self.compiled("alone", "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return 5; }")
        debug = os.path.join(self.programs, "debug")
        quiet = {"env": {**path["env"], "LD_DEBUG_OUTPUT": debug}}
        self.assertNotIn("two MPI libraries", self.call(MPIRUN, "-n", "1", alone, program, **quiet).stderr)
        self.assertIn("/libfoo.so.1 needs", self.call(MPIRUN, "-n", "1", "env", "A=b", program, "3", **quiet).stderr)
        self.assertEqual([name for name in os.listdir(self.programs) if name.startswith("debug")], [])

    def test_words_that_are_not_the_loaders(self):
        """Who says the same, or ends with the same status, was not given up by the loader."""
        words = "x: error while loading shared libraries: libmpi_abi.so.1: cannot open shared object file"
        for script in (f"echo '{words}' >&2; exit 127", "not_a_command"):
            self.assertEqual(self.given_up("-n", "2", "sh", "-c", script), [])

    # Users and cores.

    def test_root_and_ordinary_user(self):
        self.works(MPIRUN, "-n", "3", PROGRAM)
        if os.getuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("only root can become another user")
        self.open_folder()
        user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        if self.call(*user, "test", "-x", MPIRUN).returncode != 0:
            self.skipTest("the build folder is closed to other users")
        self.works(*user, MPIRUN, "-n", "3", PROGRAM)

    def test_one_core(self):
        core = str(max(os.sched_getaffinity(0)))
        self.works("taskset", "-c", core, MPIRUN, "-n", "4", PROGRAM, ranks=4)
        self.works("taskset", "-c", core, MPIRUN, "-n", "2", "--bind-to", "core", PROGRAM, ranks=2)

    def test_two_jobs_on_the_same_cores(self):
        """Each knows of the other what it is told, and does not spin on its cores."""
        cores = sorted(os.sched_getaffinity(0))[:2]
        jobs = [subprocess.Popen(["taskset", "-c", ",".join(map(str, cores)), MPIRUN, "-n", "2", "--bind-to",
                                  "none", "--param", "core_sharers=4", PROGRAM], text=True,
                                 env={**self.environment, "REMIT_STATISTICS": "yes"},
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        for job in jobs:
            self.addCleanup(job.kill)
        for job in jobs:
            out, err = job.communicate(timeout=4 * LIMIT)
            self.assertEqual((job.returncode, out.count("passed (2 ranks)")), (0, 1), out + err)
            waits = re.findall(r"waiting: yields (\d+), .*, crowded (\d+); a rank (.*)", err)
            self.assertEqual(len(waits), 2, err)
            for yields, crowded, words in waits:
                self.assertGreater(int(yields), 0)
                self.assertEqual(crowded, "0")  # times that it was taken off its core while it spun
                self.assertEqual(words, "yields its core up to 300 times, then sleeps")

    def test_no_locked_memory_and_few_files(self):
        self.works("sh", "-c", 'ulimit -l 0; ulimit -n 64; exec "$0" "$@"', MPIRUN, "-n", "3", PROGRAM)


if __name__ == "__main__":
    unittest.main(verbosity=2)
