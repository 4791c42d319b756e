# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Brings the source of a code: from Debian's source packages, or from PyPI. Once for all libraries."""

import os
import pathlib
import re
import shutil
import subprocess


# A registry that does not answer is to be noticed soon.
PIP = ["--timeout", "20", "--retries", "1"]
APT = [
    word
    for name, value in (("Retries", 1), ("http::Timeout", 20), ("https::Timeout", 20))
    for word in ("-o", f"Acquire::{name}={value}")
]
LONGEST = 600


class Unreachable(Exception):
    """A registry did not answer, or does not have it: its words."""


def is_installed(package):
    """Of Debian's packages; where there are none, nothing is."""
    if not shutil.which("dpkg-query"):
        return False
    said = subprocess.run(["dpkg-query", "-W", "-f=${Status}", package], capture_output=True, text=True, check=False)
    return said.stdout == "install ok installed"


def call(command, log, cwd=None):
    if not shutil.which(command[0]):
        raise Unreachable(f"there is no {command[0]} here")
    with open(log, "ab") as out:
        out.write(f"\n$ {' '.join(map(str, command))}\n".encode())
        out.flush()
        try:
            done = subprocess.run(
                [str(word) for word in command], stdout=out, stderr=out, cwd=cwd, check=False, timeout=LONGEST
            )
        except subprocess.TimeoutExpired as late:
            raise Unreachable(f"{command[0]} had not ended after {LONGEST} s: {log}") from late
    if done.returncode != 0:
        raise Unreachable(f"{command[0]} ended with status {done.returncode}: {log}")


def install(packages, log):
    """Debian's packages, as root or by sudo. The lists may be old, or there may be none yet."""
    apt = [*([] if os.geteuid() == 0 else ["sudo", "-n"]), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *APT]
    command = [*apt, "-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends", *packages]
    try:
        call(command, log)
    except Unreachable:
        call([*apt, "update"], log)
        call(command, log)


class SourcePackages:
    """Debian's source packages, of the archives that this machine takes its packages from: lists of their
    own in `folder`, so that the machine's stay as they are."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "apt.log"
        self.ready = False

    def options(self):
        places = {
            "Dir::Etc::sourcelist": self.folder / "source.sources",
            "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": self.folder / "lists",
            "Dir::Cache": self.folder / "cache",
        }
        return [word for name, place in places.items() for word in ("-o", f"{name}={place}")]

    def prepare(self):
        if self.ready:
            return
        (self.folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (self.folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        etc = pathlib.Path("/etc/apt")
        blocks = [path.read_text() for path in sorted((etc / "sources.list.d").glob("*.sources"))]
        blocks = [re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.M) for text in blocks]
        for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*.list"))]:
            for line in path.read_text().splitlines() if path.is_file() else []:
                if found := re.match(r"deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.+)", line):
                    signed = re.search(r"signed-by=(\S+)", found[1] or "")
                    block = "Types: deb-src\nURIs: {}\nSuites: {}\nComponents: {}\n".format(*found.groups()[1:])
                    blocks.append(block + (f"Signed-By: {signed[1]}\n" if signed else ""))
        (self.folder / "source.sources").write_text("\n\n".join(blocks))
        if not is_installed("dpkg-dev"):  # which unpacks
            install(["dpkg-dev"], self.log)
        call(["apt-get", *APT, *self.options(), "update"], self.log)
        self.ready = True

    def unpack(self, package, place):
        """The newest version's source, with Debian's changes; its version."""
        self.prepare()
        around = place.parent / f"{place.name}.dl"
        shutil.rmtree(around, ignore_errors=True)
        around.mkdir(parents=True)
        call(["apt-get", *APT, *self.options(), "source", "--only-source", package], self.log, around)
        folders = [path for path in around.iterdir() if path.is_dir()]
        if len(folders) != 1:
            raise Unreachable(f"the source package {package} has {len(folders)} folders")
        folders[0].rename(place)
        return folders[0].name.rpartition("-")[2]


def unpack_from_pypi(package, place, pip, log):
    """The newest version's source; its version. `pip`: the one of an environment."""
    around = place.parent / f"{place.name}.dl"
    shutil.rmtree(around, ignore_errors=True)
    around.mkdir(parents=True)
    only_source = ["--no-deps", "--no-build-isolation", f"--no-binary={package}"]
    call([pip, "download", *PIP, *only_source, "--dest", around, package], log)
    archives = list(around.glob("*.tar.gz"))
    if len(archives) != 1:
        raise Unreachable(f"PyPI has no source of {package}")
    shutil.unpack_archive(archives[0], around)
    folder = next(path for path in around.iterdir() if path.is_dir())
    folder.rename(place)
    return archives[0].name.removesuffix(".tar.gz").rpartition("-")[2]
