#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# launch_options.sh: options of mpirun and parameters that programs can see, those that are wrong,
# too. Runs in the top build folder.
set -u
mpirun=${MPIRUN:-./mpirun}
program=tests/launcher/launch_options
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# expect STATUS TEXT ARGUMENTS OF MPIRUN...: the job ends with the status ("some": any but zero) and
# its output has the text.
expect() {
  wanted=$1 text=$2
  shift 2
  timeout -k 5 60 "$mpirun" "$@" >"$tmp/output" 2>&1 </dev/null
  status=$?
  problem=
  if [ "$wanted" = some ]; then
    case $status in 0 | 124 | 137) problem="exit status $status" ;; esac
  elif [ $status -ne "$wanted" ]; then
    problem="exit status $status instead of $wanted"
  fi
  grep -q -- "$text" "$tmp/output" || problem="$problem; no '$text'"
  if [ -n "$problem" ]; then
    echo "FAIL $*: $problem"
    sed 's/^/     /' "$tmp/output"
    failed=1
  else
    echo "ok   $*"
  fi
}

for handler in mpi_errors_return mpi_errors_abort mpi_errors_are_fatal; do
  expect 0 passed -n 2 -initial-errhandler $handler $program handlers $handler
done
expect 0 passed -n 2 $program handlers mpi_errors_are_fatal
for where in before inside after; do
  for handler in mpi_errors_abort mpi_errors_are_fatal; do
    expect some MPI_INFO_NULL\\\|MPI_COMM_NULL -n 2 -initial-errhandler $handler \
      $program raise $where
  done
done
expect some mpi_errors_abort -n 1 -initial-errhandler nonsense $program handlers nonsense
expect some initial -n 1 -initial-errhandler

expect 0 passed -n 2 $program kinds mpi,system
expect 0 passed -n 2 -memory-alloc-kinds cuda,level_zero $program kinds mpi,system
expect 0 passed -n 2 -memory-alloc-kinds mpi,mpi:win_allocate:alloc_mem,cuda:host $program \
  kinds mpi,system,mpi:win_allocate:alloc_mem
expect 0 passed -n 1 -memory-alloc-kinds 'system, mpi:alloc_mem,system:none,mpi:bogus' $program \
  kinds mpi,system,mpi:alloc_mem

expect 0 passed -n 1 $program sets 2 0 : -n 2 $program sets 2 1
expect 0 passed -n 1 $program sets 3 0 : -n 2 $program sets 3 1 : -n 3 $program sets 3 2
expect 0 passed -n 1 $program sets 0 0 # one program is mpi://WORLD

expect 0 passed -n 2 $program checks yes
expect 0 passed -n 2 --param check_arguments=yes $program checks yes
expect 0 passed -n 2 --param check_arguments=no $program checks no
expect 0 passed -n 1 env REMIT_CHECK_ARGUMENTS=no $program checks no
expect some 'check_arguments.*perhaps\|REMIT_CHECK_ARGUMENTS.*perhaps' -n 1 \
  env REMIT_CHECK_ARGUMENTS=perhaps $program checks yes
expect some check_argument -n 1 --param check_argument=no $program checks yes
exit $failed
