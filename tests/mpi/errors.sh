#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# errors.sh: what must end a program ends it, and the whole job, with a status that is not zero and
# one message of mpirun that says why. Runs in the top build folder.
set -u
mpirun=${MPIRUN:-./mpirun}
program=tests/mpi/errors
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# expect HOW RANKS STATUS TEXT: `errors HOW` ends with the status ("some": any but zero), the output
# has the text, and mpirun has said one thing.
expect() {
  timeout -k 5 60 "$mpirun" -n "$2" "$program" "$1" >"$tmp/output" 2>&1 </dev/null
  status=$?
  problem=
  if [ "$3" = some ]; then
    case $status in 0 | 124 | 137) problem="exit status $status" ;; esac
  elif [ $status -ne "$3" ]; then
    problem="exit status $status instead of $3"
  fi
  grep -q "$4" "$tmp/output" || problem="$problem; no '$4'"
  said=$(grep -c '^mpirun: ' "$tmp/output")
  [ "$said" -eq 1 ] || problem="$problem; $said messages of mpirun"
  if [ -n "$problem" ]; then
    echo "FAIL $1 with $2 ranks: $problem"
    sed 's/^/     /' "$tmp/output"
    failed=1
  else
    echo "ok   $1 with $2 ranks"
  fi
}

for ranks in 1 3; do
  expect before $ranks some 'MPI_Comm_rank: called before MPI_Init'
  expect null $ranks some 'MPI_Initialized failed with MPI_ERR_ARG.*flag is a null pointer'
  expect after $ranks some 'MPI_Barrier: called after MPI_Finalize'
  expect twice $ranks some 'MPI_Init .*MPI_ERR_OTHER.*initialized already'
  expect fatal $ranks some 'MPI_Send on MPI_COMM_WORLD.*MPI_ERR_RANK.*dest is 1000'
  expect handle $ranks some 'MPI_Type_contiguous on MPI_COMM_SELF.*MPI_ERR_COUNT'
  expect abort $ranks 42 'MPI_Abort(MPI_COMM_WORLD, 42)'
done
# An exception that becomes an error is as fatal, and as clear, as any.
program=tests/mpi/garbage_counts
expect fatal 2 some 'MPI_Type_indexed_c on MPI_COMM_SELF.*MPI_ERR_NO_MEM.*far too large'
if ! grep -q '^REMIT_SANITIZE = ..*' Makefile; then  # they need terabytes of addresses
  for ranks in 2 3; do
    expect starved $ranks some 'rank 1 .*collective operation cannot be finished.*not memory enough'
  done
fi
exit $failed
