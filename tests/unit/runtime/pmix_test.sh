#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# The PMIx client under real servers: our mpirun, and Open MPI's if it is installed.
ranks=./runtime_pmix_ranks
output=runtime_pmix_test.$$
trap 'rm -f "$output"' EXIT
failures=0

fail() {
  echo "FAIL: $*"
  cat "$output"
  failures=$((failures + 1))
}

# exchange COUNT LAUNCHER...: every rank must print its line, each rank once.
exchange() {
  count=$1
  shift
  timeout 120 "$@" -n "$count" $ranks >"$output" 2>&1 || fail "$* -n $count: status $?"
  for rank in $(seq 0 $((count - 1))); do
    grep -q "^rank $rank of $count .* ok$" "$output" || fail "$* -n $count: no word of rank $rank"
  done
}

aborts() {
  timeout 120 "$@" -n 3 $ranks abort >"$output" 2>&1
  status=$?
  [ $status -eq 7 ] || fail "$*: status $status after an abort with 7"
  grep -q "on purpose" "$output" || fail "$*: message of the abort is missing"
}

# shares RANKS:CORES LAUNCHER...: what every rank counts.
shares() {
  counts=$1
  shift
  timeout 120 "$@" >"$output" 2>&1 || fail "$*: status $?"
  if ! grep -q " ok$" "$output" || grep " ok$" "$output" | grep -vq " ranks:cores $counts "; then
    fail "$*: not $counts"
  fi
}

launchers=0
if [ -x ./mpirun ]; then
  launchers=$((launchers + 1))
  for count in 1 2 5 16; do exchange $count ./mpirun; done
  aborts ./mpirun
  # Who shares the cores of a rank: those that are bound to the same ones, or as many as somebody
  # says who knows of other jobs. What is said of one job is not of another inside of it.
  one="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"
  shares 3:1 $one ./mpirun -n 3 --bind-to none $ranks
  shares 9:1 $one ./mpirun -n 2 --param core_sharers=9 $ranks
  if [ "$(nproc)" -ge 2 ]; then shares 1:1 ./mpirun -n 2 --bind-to hwthread $ranks; fi
  shares 3:1 ./mpirun -n 1 --bind-to hwthread ./mpirun -n 3 $ranks
fi
foreign=$(command -v mpirun.openmpi)
if [ -n "$foreign" ]; then
  launchers=$((launchers + 1))
  root=
  [ "$(id -u)" -ne 0 ] || root=--allow-run-as-root
  for count in 1 4; do exchange $count "$foreign" $root --oversubscribe; done
  aborts "$foreign" $root --oversubscribe
fi

# A server that is announced and is not there: never rank 0 of 1.
env PMIX_NAMESPACE=gone PMIX_RANK=0 timeout 60 $ranks >"$output" 2>&1 &&
  fail "ran although its server is not there"
grep -q "cannot be reached" "$output" || fail "no explanation for a missing server"

[ $launchers -gt 0 ] || exit 77
[ $failures -eq 0 ]
