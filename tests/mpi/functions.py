#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Which MPI functions the tests under mpirun call, and which of them they see fail.

Makes a library that counts calls and errors of every function (by its PMPI_ name), preloads it
into the runs of tests/mpi/runs, and lists by chapter what no run has called, or only with success.
A list to think about, not a test: takes minutes.

  tests/mpi/functions.py [RUNS.mpi ...]          in the top build folder, after `make check-mpi`
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
LIMIT_S = 300  # for one file of runs


def prototypes():
    """(return type, name, parameters) of each function but those of MPI_T, and its chapter."""
    text = (TOP / "include/mpi.h").read_text()
    chapter = ""
    for line in re.sub(r",\s*\n\s*", ", ", text).splitlines():
        if found := re.match(r" \* Chapter (\d+: .*)", line):
            chapter = found.group(1).rstrip(" */")
        elif found := re.match(r"(\w+) (MPI_(?!T_)\w+)\((.*)\);", line):
            yield *found.groups(), chapter


def names_of(parameters):
    """The parameters' names, to pass them on."""
    if parameters == "void":
        return ""
    names = (re.search(r"(\w+)(\[.*\])*$", p.strip()).group(1) for p in parameters.split(","))
    return ", ".join(names)


def write_library(path):
    lines = [
        "#include <mpi.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "struct seen { const char* name; long calls, failures; };",
    ]
    known = []
    for result, name, parameters, _ in prototypes():
        if "..." in parameters or "(" in parameters:
            continue
        number = len(known)
        known.append(name)
        is_code = result == "int" and not name.endswith("_toint")
        failed = f"seen[{number}].failures += result_ != 0; " if is_code else ""
        lines.append(
            f"extern struct seen seen[]; {result} {name}({parameters}) {{ ++seen[{number}].calls; "
            f"{result} result_ = P{name}({names_of(parameters)}); {failed}return result_; }}"
        )
    lines.append("struct seen seen[] = {" + ", ".join(f'{{"{n}", 0, 0}}' for n in known) + "};")
    lines.append(
        "__attribute__((destructor)) static void tell(void) { "
        'FILE* to = fopen(getenv("REMIT_TEST_FUNCTIONS"), "a"); '
        "for (unsigned i = 0; to && i < sizeof seen / sizeof *seen; ++i) if (seen[i].calls) "
        'fprintf(to, "%s %ld %ld\\n", seen[i].name, seen[i].calls, seen[i].failures); '
        "if (to) fclose(to); }"
    )
    source = path.with_suffix(".c")
    source.write_text("\n".join(lines) + "\n")
    command = ["cc", "-shared", "-fPIC", "-w", "-O1", f"-I{TOP}/include", "-o", path, source]
    subprocess.run(command, check=True)


def main():
    runs = [pathlib.Path(a) for a in sys.argv[1:]] or sorted((HERE / "runs").glob("*.mpi"))
    calls, failures = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        library, log = pathlib.Path(folder) / "count.so", pathlib.Path(folder) / "log"
        write_library(library)
        for run in runs:
            # The variables are the program's alone: the shell and mpirun call no MPI.
            lines = [
                re.sub(
                    r"(^|\s)((tests/mpi|benchmarks|examples)/\S+)",
                    rf"\1env LD_PRELOAD={library} REMIT_TEST_FUNCTIONS={log} \2",
                    line,
                )
                if line[:1].isdigit()
                else line
                for line in run.read_text().splitlines()
            ]
            changed = pathlib.Path(folder) / run.name
            changed.write_text("\n".join(lines) + "\n")
            result = subprocess.run(
                [HERE / "run_mpi.sh", changed], timeout=LIMIT_S, stdout=subprocess.PIPE, check=False
            )
            print(f"{run.name}: {'ran' if result.returncode == 0 else 'FAILED'}", file=sys.stderr)
        for line in log.read_text().splitlines() if log.exists() else []:
            name, called, failed = line.split()
            calls[name] += int(called)
            failures[name] += int(failed)
    chapters = collections.defaultdict(lambda: ([], []))
    for result, name, _, chapter in prototypes():
        if calls[name] == 0:
            chapters[chapter][0].append(name)
        elif failures[name] == 0 and result == "int":
            chapters[chapter][1].append(name)
    for chapter, (never, well) in chapters.items():
        print(f"\n{chapter}\n  not called: {' '.join(never) or '-'}")
        print(f"  never seen to fail: {' '.join(well) or '-'}")


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    main()
