#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/notified-access.md compile without a warning, and do what they say: each is a
function that returns whether it has seen what it should have.

usage: notified_examples.py      in the top build folder
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIMIT_S = 60
RANKS = (1, 2, 3)
MAIN = """
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  enum { kDoubles = 1024 };
  int rank, size, failed = 0, all = 0;
  double* mine;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(kDoubles * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                   &win);
  MPI_Win_lock_all(0, win);
  for (unsigned i = 0; i < sizeof examples / sizeof *examples; ++i) {
    memset(mine, 0, kDoubles * sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    if (!examples[i].run(win, mine, rank, size)) {
      fprintf(stderr, "rank %d of %d: %s FAILED\\n", rank, size, examples[i].name);
      ++failed;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
"""


def main():
    top = pathlib.Path(os.environ.get("srcdir", "."))
    build = pathlib.Path.cwd()
    blocks = re.findall(r"^```c\n(.*?)^```$", (top / "docs/notified-access.md").read_text(), re.M | re.S)
    names = re.findall(r"^int (\w+)\(MPI_Win win, double\* mine, int rank, int size\) \{", "".join(blocks), re.M)
    if len(names) != len(blocks) - 1 or not names:  # the first one is the line that includes the header
        sys.exit(f"{len(blocks)} pieces of C have {len(names)} examples")
    entries = ", ".join(f'{{"{name}", {name}}}' for name in names)
    table = (
        "struct example { const char* name; int (*run)(MPI_Win, double*, int, int); };\n"
        f"static const struct example examples[] = {{{entries}}};"
    )
    text = re.sub(r"^int ", "static int ", "\n".join(blocks), flags=re.M)
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "examples.c", pathlib.Path(folder) / "examples"
        source.write_text(f"#include <stddef.h>\n{text}\n{table}\n{MAIN}")
        compiler = [build / "bin/mpicc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", program]
        subprocess.run(compiler, check=True)
        for ranks in RANKS:
            subprocess.run([build / "mpirun", "-n", str(ranks), program], check=True, timeout=LIMIT_S)
    print(f"{len(names)} examples: {', '.join(names)}")


main()
