#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# symbols.sh: what the built libmpi_abi.so.1 exports and needs: every function of the ABI,
# of mpi_fint.h and of mpi_remit.h twice (a weak MPI_ name and a strong PMPI_ name of the same address), weak
# variables of the latter, nothing else, the soname fixed by convention, no version nodes, no
# dependency beyond PMIx, hwloc and the languages'.
set -eu
srcdir=${srcdir:-.}
library=${1:-.libs/libmpi_abi.so.1}
status=0
wrong() {
  printf '%s\n' "$1"
  status=1
}

nm -D --defined-only "$library" |
  awk -v tables="$srcdir/abi" -v extensions="$srcdir/include/mpi_remit.h" '
  BEGIN {
    while ((getline line < (tables "/functions.tsv")) > 0) {
      split(line, column, "\t")
      if (line !~ /^#/) functions[column[1]]
    }
    while ((getline line < (tables "/fint.tsv")) > 0) {
      split(line, column, "\t")
      if (column[2] == "function") functions[column[1]]
      if (column[2] == "variable") variables[column[1]]
    }
    while ((getline line < extensions) > 0) {
      if (!match(line, /^int MPIX_[A-Za-z_]+/)) continue
      functions[substr(line, 5, RLENGTH - 4)]
      ++extension_count
    }
  }
  { name = $3; sub(/^P/, "", name) }
  !(name in functions) && !($3 in variables) {
    print "exported, though not in the tables and not in mpi_remit.h: " $3
    bad = 1
  }
  { address[$3] = $1; kind[$3] = $2 }
  END {
    for (name in functions) {
      ++count
      if (kind[name] != "W") { print name " is not exported weak: " kind[name]; bad = 1 }
      if (kind["P" name] != "T") { print "P" name " is not exported strong: " kind["P" name]; bad = 1 }
      if (address[name] != address["P" name]) { print name " is not P" name; bad = 1 }
    }
    if (extension_count != 18) {
      print "mpi_remit.h has " extension_count + 0 " functions, not 18"
      bad = 1
    }
    if (count != 664 + 28 + extension_count) {
      print "the tables have " count - extension_count " functions, not 664 and 28"
      bad = 1
    }
    for (name in variables) {
      ++variable_count
      if (kind[name] != "V") { print name " is not a weak variable: " kind[name]; bad = 1 }
    }
    if (variable_count != 4) { print "fint.tsv has " variable_count + 0 " variables, not 4"; bad = 1 }
    exit bad
  }' || status=1

dynamic=$(readelf -d "$library")
soname=$(printf '%s\n' "$dynamic" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libmpi_abi.so.1 ] || wrong "the soname is '$soname', not libmpi_abi.so.1"
for needed in $(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  case $needed in
    libpmix.so.* | libhwloc.so.* | libstdc++.so.* | libc.so.* | libm.so.* | libgcc_s.so.*) ;;
    ld-linux*) ;;
    libasan.so.* | libubsan.so.* | libtsan.so.* | liblsan.so.*)
      grep -q '^REMIT_SANITIZE = .*-fsanitize' Makefile || wrong "needs $needed" ;;
    *) wrong "needs $needed" ;;
  esac
done
if printf '%s\n' "$dynamic" | grep -q '(VERDEF)'; then
  wrong "it defines symbol versions: programs linked to it would not load with another library"
fi

# libmpifort_abi: C++ alone, without any compiler's run-time library; each routine has its PMPI_ twin, but
# those that MPI-3.0 removed and the predefined procedures of attributes and data representations.
fortran=$(dirname "$library")/libmpifort_abi.so.1
nm -D --defined-only "$fortran" | awk '
  { seen[$3] }
  END {
    for (name in seen) {
      if (name ~ /^(mpi|remit_mpi)_/ && name !~ /_fn_(null_)?(c_)?$|_fn_$/) {
        twin = name
        sub(/mpi_/, "pmpi_", twin)
        removed = name ~ /^mpi_(address|type_(extent|lb|ub|hvector|hindexed|struct)|errhandler_(create|set|get))_$/
        if (!removed && !(twin in seen)) { print name " has no twin"; bad = 1 }
        ++routines
      }
      else if (name !~ /^(pmpi_|remit_|P?MPI_|mpi_.*_fn_)/) { print "exported by libmpifort_abi: " name; bad = 1 }
    }
    if (routines < 1100) { print "libmpifort_abi has " routines + 0 " routines only"; bad = 1 }
    exit bad
  }' || status=1
for needed in $(readelf -d "$fortran" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  case $needed in
    libmpi_abi.so.1 | libc.so.* | libgcc_s.so.* | ld-linux*) ;;
    libasan.so.* | libubsan.so.* | libtsan.so.* | liblsan.so.* | libstdc++.so.* | libm.so.*)
      grep -q '^STATIC_LIBSTDCXX = $' Makefile || grep -q '^REMIT_SANITIZE = .*-fsanitize' Makefile ||
        wrong "libmpifort_abi needs $needed" ;;
    *) wrong "libmpifort_abi needs $needed" ;;
  esac
done
exit $status
