#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# bindings_abi_names.sh: mpi.h declares no MPI name that the tables of the ABI lack, and compiles
# without a warning as C90, C99, C17, C++98 and C++20.
set -eu
srcdir=${srcdir:-.}

extra=$(awk -F '\t' -v tables="$srcdir/tests/unit/abi" '
  BEGIN {
    while ((getline < (tables "/constants.tsv")) > 0) known[$1]
    while ((getline < (tables "/types.tsv")) > 0) { known[$1]; known["MPI_internal"] }
    while ((getline < (tables "/functions.tsv")) > 0) { known[$1]; known[$10] }
  }
  { text = text $0 "\n" }
  END {
    while ((start = index(text, "/*")) > 0) {
      end = index(substr(text, start), "*/")
      text = substr(text, 1, start - 1) " " substr(text, start + end + 1)
    }
    count = split(text, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= count; ++i)
      if (words[i] ~ /^P?MPIX?_/ && !(words[i] in known)) print words[i]
  }' "$srcdir/include/mpi.h" | sort -u)
if [ -n "$extra" ]; then
  printf 'mpi.h has names that are not in the tables:\n%s\n' "$extra"
  exit 1
fi

variable() { sed -n "s/^$1 = //p" Makefile; }
check() {
  # shellcheck disable=SC2086
  printf '#include <mpi.h>\nMPI_Comm comm_in_use;\n' |
    $1 "-std=$3" -x "$2" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I"$srcdir/include" -
}
CC=${CC:-$(variable CC)}
CXX=${CXX:-$(variable CXX)}
for standard in c90 c99 c17; do check "$CC" c $standard; done
for standard in c++98 c++20; do check "$CXX" c++ $standard; done
