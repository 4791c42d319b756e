# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# One QEMU process, the folder through which it and the host talk, and its life.
"""The machine's folder (shared with it as /run/vm) holds: settings and guest (written here, read by
the guest), output, started and status (written by the guest), console (written by QEMU)."""

import ctypes
import fcntl
import mmap
import os
import pathlib
import platform
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from vm_kernel import Unusable, require

HERE = pathlib.Path(__file__).resolve().parent
ORDERLY_END = 1  # QEMU's exit status when the guest wrote 0 to isa-debug-exit
PR_SET_PDEATHSIG = 1

# tsc=reliable: without it the kernel rejects the emulated TSC, and clocks have 4 ms granularity.
KERNEL_ARGUMENTS = ("console=ttyS0 loglevel=5 panic=-1 tsc=reliable mitigations=off nokaslr audit=0"
                    " selinux=0 apparmor=0")
TROUBLE = re.compile(r"Kernel panic|BUG:|Oops|soft lockup|blocked for more|Out of memory")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def clock_arguments():
    """For the kernel: the rate of the processor's clock, which the machine reads as it is. Left to find
    out, a machine on a busy host is wrong by several times, and all its time limits with it."""
    if platform.machine() != "x86_64":
        return ""
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x0f\x31\x48\xc1\xe2\x20\x48\x09\xd0\xc3")  # rdtsc; rax |= rdx << 32; ret
    anchor = ctypes.c_char.from_buffer(code)
    ticks = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(anchor))

    def reading():
        """Time and ticks of the same moment: of some readings, the one that took least."""
        readings = [(time.monotonic_ns(), ticks(), time.monotonic_ns()) for _ in range(20)]
        before, count, after = min(readings, key=lambda reading: reading[2] - reading[0])
        return (before + after) / 2, count

    start, first = reading()
    time.sleep(0.05)
    end, last = reading()
    return f" tsc_early_khz={round((last - first) / (end - start) * 1e6)}"


class RunFolder:
    """A folder for one run, removed at its end; and those of runs that were killed are removed."""

    def __init__(self, parent):
        parent.mkdir(parents=True, exist_ok=True)
        # Held while folders are made or removed, so that nobody removes one that is not locked yet.
        with open(parent / "lock", "w", encoding="ascii") as guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            for old in parent.glob("run.*"):
                self._remove_if_abandoned(old)
            self.path = pathlib.Path(tempfile.mkdtemp(prefix="run.", dir=parent))
            self._lock = self._locked(self.path)

    def __enter__(self):
        return self.path

    def __exit__(self, *_error):
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)

    @staticmethod
    def _locked(folder):
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock

    def _remove_if_abandoned(self, folder):
        try:
            lock = self._locked(folder)
        except OSError:
            return
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def create(options, kernel, folder):
    """The machines that the options ask for, not started yet."""
    require("qemu-system-x86_64", "qemu-system-x86")
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        work = options.work.resolve()
    else:
        work = folder / "work"
        work.mkdir()
    return [Machine(index, options, kernel, folder, work)
            for index in range(1, options.machines + 1)]


class Machine:
    """One virtual machine; start(), then ended() and copy_output() until it has, and stop()."""

    def __init__(self, index, options, kernel, folder, work):
        self.index = index
        self.name = f"vm{index}"
        self._options = options
        self._kernel = kernel
        self._work = work
        self._folder = folder / self.name
        self._folder.mkdir()
        self._output = None
        self._line = b""
        self._process = None

    def start(self):
        """Starts QEMU; it is killed if this process dies."""
        (self._folder / "settings").write_text(self._settings(), encoding="utf-8")
        for script in ("guest", "barrier"):
            shutil.copy(HERE / script, self._folder / script)
        (self._folder / "output").touch()
        self._output = open(self._folder / "output", "rb")
        parent = os.getpid()
        libc = ctypes.CDLL(None)

        def die_with_parent():
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)

        with open(self._folder / "qemu.log", "wb") as log:
            # A session of its own: ^C reaches run_vm alone, which stops QEMU. The folder of the
            # sockets is the current one, so that their names are short.
            self._process = subprocess.Popen(
                self._qemu(), cwd=self._folder.parent, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, preexec_fn=die_with_parent)

    def stop(self):
        """Ends QEMU if it has not ended."""
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._output:
            self._output.close()

    def ended(self):
        return self._process.poll() is not None

    def copy_output(self, to):
        """Hands on what the command has written since the last call."""
        new = self._output.read()
        if self._options.machines > 1:  # whole lines, with the machine's name
            *lines, self._line = (self._line + new).split(b"\n")
            if self.ended() and self._line:
                lines.append(self._line)
                self._line = b""
            prefix = self.name.encode() + b": "
            new = b"".join(prefix + line + b"\n" for line in lines)
        if new:
            to.write(new)
            to.flush()

    def exit_status(self):
        """The command's, once the machine has ended; Unusable if it did not end as it should."""
        try:
            status = int((self._folder / "status").read_text(encoding="ascii"))
        except (OSError, ValueError):
            status = None
        if status is None or self._process.returncode != ORDERLY_END:
            raise Unusable(f"{self.name}: the machine ended (QEMU: {self._process.returncode}) "
                           f"without the command's exit status\n{self.last_words()}")
        return status

    def last_words(self):
        """What QEMU and the kernel said last, for a failure's message."""
        lines = []
        for name in ("qemu.log", "console"):
            try:
                text = (self._folder / name).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            said = text.splitlines()
            first = next((number for number, line in enumerate(said) if TROUBLE.search(line)), -25)
            lines += [f"  {name}: {line}" for line in said[first:][:25]]
        if not (self._folder / "started").exists():
            lines.append("  (the command was not started)")
        return "\n".join(lines)

    def save_console(self, file):
        if file:
            target = file if self.index == 1 else file.with_name(f"{file.name}.{self.name}")
            shutil.copyfile(self._folder / "console", target)

    def _qemu(self):
        options = self._options
        share = "local,security_model=none,multidevs=remap"
        command = [
            "qemu-system-x86_64", "-M", "q35", "-accel", "tcg,thread=multi,tb-size=512",
            # -erms: under emulation `rep movsb` is several times slower than other copies.
            "-cpu", "max,-erms", "-smp", str(options.cpus), "-m", str(options.memory),
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-monitor", "none",
            "-serial", f"file:{self.name}/console",
            "-kernel", str(self._kernel.image), "-initrd", str(self._kernel.initrd),
            "-append", KERNEL_ARGUMENTS + clock_arguments(),
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-device", "virtio-rng-pci",
            "-virtfs", f"{share},path=/,mount_tag=host,readonly=on",
            "-virtfs", f"{share},path={escaped(self._folder)},mount_tag=io",
            "-virtfs", f"{share},path={escaped(self._work)},mount_tag=work",
        ]
        if options.machines == 1:
            return command + ["-nic", "none"]
        return command + [
            "-netdev", f"dgram,id=link,local.type=unix,local.path=link{self.index},"
            f"remote.type=unix,remote.path=link{3 - self.index}",
            "-device", f"virtio-net-pci,netdev=link,mac=52:54:00:00:00:0{self.index},romfile="]

    def _settings(self):
        """Shell text for the guest."""
        options = self._options
        devices = {"both": ["rxe", "siw"], "none": []}.get(options.device, [options.device])
        values = {
            "name": self.name, "index": self.index, "machines": options.machines,
            "two_devices": int(options.two_devices), "user": "tester" if options.user else "root",
            "memlock": options.memlock, "work": self._work, "directory": os.getcwd()}
        lists = {"devices": devices, "environment": self._environment(),
                 "command": options.command}
        lines = [f"{name}={shlex.quote(str(value))}" for name, value in values.items()]
        lines += [f"{name}=({' '.join(map(shlex.quote, items))})" for name, items in lists.items()]
        return "\n".join(lines) + "\n"

    def _environment(self):
        options = self._options
        values = {
            "PATH": PATH, "LANG": "C.UTF-8", "TERM": "dumb",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "VM_NAME": self.name, "VM_INDEX": self.index, "VM_MACHINES": options.machines,
            "VM_ADDRESS": f"10.9.0.{self.index}", "VM_PEER": f"10.9.0.{3 - self.index}",
            "VM_WORK": self._work}
        values |= {name: value for name, value in os.environ.items()
                   if name.startswith("REMIT_") and not name.startswith("REMIT_VM_")}
        for setting in options.env:
            name, given, value = setting.partition("=")
            if given or name in os.environ:
                values[name] = value if given else os.environ[name]
        return [f"{name}={value}" for name, value in values.items()]


def escaped(path):
    """A path as a value in one of QEMU's comma-separated options."""
    return str(path).replace(",", ",,")
