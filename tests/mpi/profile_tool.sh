#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# profile_tool.sh: a tool that defines MPI_Send and calls PMPI_Send sees every call of a program,
# and none that the library makes inside: linked as a library, linked as an object, preloaded.
set -eu
here=${srcdir:-.}/tests/mpi
build=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$build/bin/mpicc" -shared -fPIC "$here/profile_tool.c" -o "$tmp/libprofile_tool.so"
"$build/bin/mpicc" -c "$here/profile_tool.c" -o "$tmp/profile_tool.o"
"$build/bin/mpicc" "$here/profile_program.c" -o "$tmp/plain"
"$build/bin/mpicc" "$here/profile_program.c" "$tmp/profile_tool.o" -o "$tmp/with_object"
"$build/bin/mpicc" "$here/profile_program.c" -L"$tmp" -lprofile_tool -Wl,-rpath,"$tmp" \
  -o "$tmp/with_library"

# expect WHAT WANTED COMMAND...: what the command prints.
expect() {
  what=$1 wanted=$2
  shift 2
  got=$(timeout 60 "$@")
  if [ "$got" != "$wanted" ]; then
    printf '%s\n  wanted: %s\n  got:    %s\n' "$what" "$wanted" "$got"
    exit 1
  fi
}
seen="profile_tool: rank 0 called MPI_Send 7 times"
expect "without the tool" "" "$tmp/plain"
expect "linked as a library" "$seen" "$tmp/with_library"
expect "linked as an object" "$seen" "$tmp/with_object"
if grep -q '^REMIT_SANITIZE = .*address' Makefile; then
  echo "not preloaded: the address sanitizer must come first"
else
  expect "preloaded" "$seen" env LD_PRELOAD="$tmp/libprofile_tool.so" "$tmp/plain"
fi
echo "every call was seen"
