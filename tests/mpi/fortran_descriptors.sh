#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# fortran_descriptors.sh: descriptors as each Fortran compiler here makes them (FC: those to try),
# with and without optimization, against one object code of C++. In the build folder.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
if grep -q '^REMIT_SANITIZE = .*-fsanitize' Makefile; then
  echo "left out: a Fortran compiler links another run-time library of the sanitizers than this build has"
  exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tried=0

${CXX:-g++} -std=c++20 -O1 -I"$srcdir" -I"$srcdir/include" -c "$srcdir/tests/mpi/fortran_descriptors.cpp" \
  -o "$tmp/helper.o"
for fc in ${FC:-gfortran flang-22 flang}; do
  command -v "$fc" >/dev/null 2>&1 || continue
  case $("$fc" --version 2>/dev/null | sed 1q) in
    'GNU Fortran'*' '[1-9].* | 'GNU Fortran'*' 1'[01].*) continue ;; # their descriptors are others
  esac
  tried=$((tried + 1))
  for how in -O0 -O2; do
    mkdir "$tmp/$tried$how"
    (cd "$tmp/$tried$how" && "$fc" $how -c "$srcdir/tests/mpi/fortran_descriptors.f90" -o program.o)
    "$fc" "$tmp/$tried$how/program.o" "$tmp/helper.o" .libs/libfortran_parts.a \
      .libs/libmpi_abi.so.1 -Wl,-rpath,"$(pwd)/.libs" -lstdc++ -lpthread -o "$tmp/program"
    echo "$fc $how:"
    "$tmp/program"
  done
done
[ "$tried" -gt 0 ] || exit 77
