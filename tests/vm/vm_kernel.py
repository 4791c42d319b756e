# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# Kernels for the machines and their initial file system, fetched or built once into the cache.
"""Nothing is installed on the host: Debian's kernel package is only downloaded and unpacked."""

import fcntl
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import typing

HERE = pathlib.Path(__file__).resolve().parent
BUSYBOX = pathlib.Path("/bin/busybox")
# What init and guest need of a modular kernel. The faster crc32-pclmul is slower under emulation.
MODULES = ["virtio_pci", "virtio_net", "overlay", "9pnet_virtio", "9p", "crc32_generic",
           "rdma_rxe", "rdma_ucm", "dummy", "veth", "sch_netem"]


class Unusable(Exception):
    """The machine cannot be run here, or did not work; the text says why and what to do."""


class Kernel(typing.NamedTuple):
    """What QEMU boots."""

    image: pathlib.Path
    initrd: pathlib.Path


def get(cache, which):
    """The kernel 'debian' or 'own' from the cache, where it is put if need be."""
    require("busybox", "busybox-static")
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"lock.{which}", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two runs, the second waits and finds everything
        if which == "own":
            return _own(cache)
        return _debian(cache)


def require(program, package):
    """Unusable, with the name of Debian's package, if the program is not there."""
    if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
        raise Unusable(f"{program} is missing: apt-get install {package}")


def _debian(cache):
    """Debian's kernel: the newest in the cache, or else downloaded."""
    packages = sorted(cache.glob("linux-image-*.deb"), key=_version)
    package = packages[-1] if packages else _download(cache)
    folder = cache / package.stem.split("_")[0].replace("linux-image", "debian")
    image = folder / "vmlinux"
    initrd = folder / f"initrd-{_digest(MODULES)}.cpio"
    if not (image.exists() and initrd.exists()):
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as unpacked:
            unpacked = pathlib.Path(unpacked)
            _run(["dpkg-deb", "-x", package, unpacked])
            release = next((unpacked / "lib" / "modules").iterdir()).name
            compressed = unpacked / "boot" / f"vmlinuz-{release}"
            _write(image, _decompressed(compressed.read_bytes()))
            _write(initrd, _initrd(_modules(unpacked, release)))
    return Kernel(image, initrd)


def _own(cache):
    """The kernel that build_kernel makes: no modules."""
    digest = _digest([(HERE / name).read_text() for name in ("kernel.config", "build_kernel")])
    image = cache / f"own-{digest}" / "vmlinux"
    if not image.exists():
        print("run_vm: building a kernel with soft-iWARP, once: takes about six minutes",
              file=sys.stderr, flush=True)
        image.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            _run([HERE / "build_kernel", HERE / "kernel.config"], cwd=folder)
            _write(image, (pathlib.Path(folder) / "vmlinux").read_bytes())
    initrd = image.parent / f"initrd-{_digest([])}.cpio"
    if not initrd.exists():
        _write(initrd, _initrd([]))
    return Kernel(image, initrd)


def _version(path):
    """Sorts 6.1.0-9 before 6.1.0-10."""
    return [int(number) for number in re.findall(r"\d+", path.name)]


def _digest(parts):
    """Changes whenever the parts, or what every initrd holds, change."""
    text = repr([parts, (HERE / "init").read_text(), BUSYBOX.stat().st_size])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _download(cache):
    """Debian's newest kernel package, as a file in the cache."""
    require("apt-get", "apt (the kernel comes from Debian's linux-image-amd64)")
    depends = _run(["apt-cache", "depends", "linux-image-amd64"])
    names = re.findall(r"Depends: (linux-image-\S+)", depends)
    if not names:
        raise Unusable("apt knows no kernel (linux-image-amd64): apt-get update")
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        os.chmod(folder, 0o777)  # apt downloads as another user
        _run(["apt-get", "-q", "download", names[0]], cwd=folder)
        package = next(pathlib.Path(folder).glob("*.deb"))
        return package.rename(cache / package.name)


def _decompressed(image):
    """The ELF kernel in a bzImage: saves its decompression at every boot, 4 s under emulation."""
    start = image.find(b"\xfd7zXZ\0")
    if start < 0:
        raise Unusable("Debian's kernel is not compressed by xz any more: see tests/vm/vm_kernel.py")
    return lzma.LZMADecompressor().decompress(image[start:])


def _modules(root, release):
    """(name, content) of the modules and those that they need, in the order of loading."""
    require("modprobe", "kmod")
    _run(["depmod", "-b", root, release])
    files = []
    for module in MODULES:
        listing = _run(["modprobe", "-d", root, "-S", release, "--show-depends", module])
        for path in re.findall(r"^insmod (\S+)", listing, re.MULTILINE):
            if path not in files:
                files.append(path)
    # Without debugging data, and so without signatures, they load in half a second.
    _run(["strip", "--strip-debug", *files])
    return [(pathlib.Path(path).name, pathlib.Path(path).read_bytes()) for path in files]


def _initrd(modules):
    """A cpio archive ('newc') with init, busybox and the modules."""
    order = "".join(name + "\n" for name, _ in modules)
    entries = [(name, 0o040755, b"") for name in (
        "bin", "dev", "proc", "sys", "host", "new", "written", "modules")]
    entries += [("init", 0o100755, (HERE / "init").read_bytes()),
                ("bin/busybox", 0o100755, BUSYBOX.read_bytes()),
                ("modules/order", 0o100644, order.encode())]
    entries += [(f"modules/{name}", 0o100644, content) for name, content in modules]
    entries.append(("TRAILER!!!", 0, b""))
    archive = bytearray()
    for inode, (name, mode, content) in enumerate(entries, start=1):
        fields = [inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        archive += b"070701" + b"".join(b"%08X" % field for field in fields)
        archive += name.encode() + b"\0"
        archive += bytes(-len(archive) % 4) + content
        archive += bytes(-len(archive) % 4)
    return bytes(archive)


def _write(path, content):
    """Writes a file that appears whole or not at all."""
    scratch = path.with_suffix(".new")
    scratch.write_bytes(content)
    scratch.rename(path)


def _run(command, cwd=None):
    """The command's output; Unusable, with what it said, if it fails."""
    environment = os.environ | {"LC_ALL": "C", "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
    try:
        # A session of its own, so that all its processes can be ended.
        process = subprocess.Popen(
            [str(word) for word in command], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    except OSError as problem:
        raise Unusable(f"cannot run {command[0]}: {problem.strerror}") from None
    try:
        said = process.communicate()[0]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if process.returncode != 0:
        last = "\n".join(said.splitlines()[-15:])
        raise Unusable(f"{pathlib.Path(command[0]).name} failed ({process.returncode}):\n{last}")
    return said
