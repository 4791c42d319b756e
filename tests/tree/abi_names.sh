#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# abi_names.sh: mpi.h declares no MPI name that the tables of the ABI lack, and mpi_fint.h
# none that they and fint.tsv lack; both, and mpi_remit.h, compile without a warning as C90, C99, C17, C++98 and
# C++20, and with REMIT_ABI_ONLY mpi.h is the ABI alone.
set -eu
srcdir=${srcdir:-.}

# names_not_in HEADER TABLE...: the MPI names outside of comments that no table has.
names_not_in() {
  header=$1
  shift
  awk -F '\t' -v tables="$*" '
  BEGIN {
    known["MPI_internal"]
    count = split(tables, table, " ")
    for (i = 1; i <= count; ++i)
      while ((getline < table[i]) > 0) { known[$1]; known["P" $1] }
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
  }' "$header" | sort -u
}
abi="$srcdir/abi/constants.tsv $srcdir/abi/types.tsv $srcdir/abi/functions.tsv"
fint=$srcdir/abi/fint.tsv
check_names() {
  extra=$(names_not_in "$@")
  if [ -n "$extra" ]; then
    printf '%s has names that are not in the tables:\n%s\n' "$1" "$extra"
    exit 1
  fi
}
# shellcheck disable=SC2086
check_names "$srcdir/include/mpi.h" $abi
# shellcheck disable=SC2086
check_names "$srcdir/include/mpi_fint.h" $abi "$fint"

variable() { sed -n "s/^$1 = //p" Makefile; }
CC=${CC:-$(variable CC)}
CXX=${CXX:-$(variable CXX)}
# compile COMPILER LANGUAGE STANDARD OPTION...: the text of standard input.
compile() {
  compiler=$1 language=$2 standard=$3
  shift 3
  # shellcheck disable=SC2086
  $compiler "-std=$standard" -x "$language" -Wall -Wextra -Wpedantic -Werror -Wundef \
    -Wredundant-decls -I"$srcdir/include" "$@" -
}
program='int main(void) { return sizeof(MPI_Comm) == 0; }'
check() {
  for only in '' '#define REMIT_ABI_ONLY'; do
    for header in mpi.h mpi_fint.h mpi_remit.h; do
      printf '%s\n#include <%s>\n%s\n' "$only" "$header" "$program" | compile "$@" -fsyntax-only
    done
  done
}
for standard in c90 c99 c17; do check "$CC" c $standard; done
for standard in c++98 c++20; do check "$CXX" c++ $standard; done

# What a program gets: each name of fint.tsv, or none of them.
declared() {
  printf '%s\n#include <mpi.h>\n' "$1" | compile "$CC" c c99 -E -P |
    awk -F '\t' -v table="$fint" '
      { count = split($0, words, /[^A-Za-z0-9_]+/); for (i = 1; i <= count; ++i) seen[words[i]] }
      END {
        while ((getline < table) > 0) if ($1 !~ /^#/ && $1 in seen) ++found
        print found + 0
      }'
}
all=$(grep -vc '^#' "$fint")
[ "$(declared '')" = "$all" ] || { echo "mpi.h declares $(declared '') of $all names of fint.tsv"; exit 1; }
left=$(declared '#define REMIT_ABI_ONLY')
[ "$left" = 0 ] || { echo "with REMIT_ABI_ONLY, mpi.h declares $left names of fint.tsv"; exit 1; }
echo "mpi.h and mpi_fint.h have the names of the tables"
