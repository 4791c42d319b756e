# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries that codes are built with: for each a folder of mpicc, mpicxx, mpif90, mpirun and mpiexec,
which stands first in the path, so that a recipe need not know whose they are."""

import os
import pathlib
import shlex
import shutil
import sys

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


def of_remit(prefix):
    """Name of a wrapper: its path, in Remit's build folder or prefix."""
    found = {}
    for name, _ in COMPILERS.items():
        found[name] = prefix / "bin" / name
    starter = next((path for path in (prefix / "bin" / "mpirun", prefix / "mpirun") if path.is_file()), None)
    if starter is None or not found["mpicc"].is_file():
        sys.exit(f"check_codes: no bin/mpicc or no mpirun under {prefix}: is Remit built or installed there?")
    return {**found, **{name: starter for name in STARTERS}}


def of_debian(library):
    """Those of Debian's packages, or None."""
    found = {}
    for name, others in COMPILERS.items():
        found[name] = next((path for other in others if (path := shutil.which(f"{other}.{library}"))), None)
    for name in STARTERS:
        found[name] = shutil.which(f"{name}.{library}")
    return found if found["mpicc"] and found["mpirun"] else None


def make_wrappers(library, folder, remit):
    """Makes the folder; False where the library is not installed. Scripts, not links: the others' wrappers
    look at the name that they are called by."""
    programs = of_remit(remit) if library == "remit" else of_debian(library)
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
        "MPI_LIBRARY": library,
        "LC_ALL": "C.UTF-8",
    }
    if library == "remit":
        places = [remit / ".libs", remit / "lib", remit / "bindings" / "fortran" / ".libs"]
        said["LD_LIBRARY_PATH"] = ":".join(str(place) for place in places if place.is_dir())
    else:
        said["LD_LIBRARY_PATH"] = ""  # the caller's may name Remit
    return said
