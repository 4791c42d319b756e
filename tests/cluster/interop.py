#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""interop.py [NAME=PREFIX...]

Programs of several MPIs under several launchers, on two hosts of a cluster of Slurm (with_hosts
--slurm): the table of docs/interop.md. Without arguments only what Remit has a part in, with those MPIs
that Debian's packages bring; others are named by the folder that they are installed in. Runs in the top build folder; skipped where
Slurm or Debian's Open MPI is not installed."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIP = 77
LIMIT = 60  # seconds: only a hang takes as long
MPIRUN = os.path.abspath(os.environ.get("MPIRUN", "./mpirun"))
RANKS = 4


def find(prefix, name):
    path = pathlib.Path(prefix) / "bin" / name
    return str(path) if path.exists() else None


def programs(folder, prefixes):
    """Name of an MPI -> ring.c as its program."""
    found = {"Remit": os.path.abspath("tests/cluster/ring")}
    compilers = {"Open MPI 4 (Debian)": shutil.which("mpicc.openmpi")}
    # Between hosts it hangs now and then in MPI_Finalize, under its own mpiexec as well: not in the test.
    if prefixes and shutil.which("mpicc.mpich"):
        compilers["MPICH 4 (Debian)"] = shutil.which("mpicc.mpich")
    compilers.update({name: find(prefix, "mpicc") for name, prefix in prefixes.items()})
    for name, compiler in compilers.items():
        found[name] = str(folder / name.replace(" ", "_"))
        subprocess.run([compiler, str(HERE / "ring.c"), "-o", found[name]], check=True, timeout=LIMIT)
    return found


def launchers(prefixes):
    """Name of a launcher -> its words, inside an allocation of two hosts with two tasks each."""
    found = {"Remit's mpirun": [MPIRUN], "srun --mpi=pmix": ["srun", "--mpi=pmix"]}
    others = {"Open MPI 4's mpirun (Debian)": shutil.which("mpirun.openmpi")}
    others.update({f"{name}'s mpirun": find(prefix, "mpirun") for name, prefix in prefixes.items()
                   if find(prefix, "ompi_info")})
    found.update({name: [path, "--allow-run-as-root"] for name, path in others.items()})
    return found


def try_cell(launcher, program):
    """(it works, what it says)."""
    command = ["salloc", "-Q", "-N2", "--ntasks-per-node=2", "timeout", "-k5", str(LIMIT), *launcher, program]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=2 * LIMIT, check=False)
    expected = [f"rank {rank} of {RANKS}, 2 on its host, shared memory" for rank in range(RANKS)]
    good = done.returncode == 0 and sorted(done.stdout.splitlines()) == expected
    return good, f"status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def main(prefixes):
    failures = 0
    # Visible on both hosts, as an installation would be.
    with tempfile.TemporaryDirectory(dir="/run/cluster") as folder:
        for mpi, program in programs(pathlib.Path(folder), prefixes).items():
            for name, launcher in launchers(prefixes).items():
                if not prefixes and "Remit" not in mpi + name:
                    continue  # as a test: what Remit can break
                good, said = try_cell(launcher, program)
                print(f"{'ok' if good else 'FAIL'}: {mpi} under {name}", flush=True)
                if not good:
                    print(said, flush=True)
                failures += not good
    return failures != 0


if __name__ == "__main__":
    if not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"):
        print("interop.py: not installed: libopenmpi-dev, openmpi-bin", file=sys.stderr)
        sys.exit(SKIP)
    if "CLUSTER_CONTROL" not in os.environ:
        os.execv(HERE / "with_hosts", ["with_hosts", "-n", "2", "--slurm", __file__, *sys.argv[1:]])
    sys.exit(main(dict(argument.split("=", 1) for argument in sys.argv[1:])))
