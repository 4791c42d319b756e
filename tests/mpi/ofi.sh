#!/bin/bash
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# ofi.sh [LISTS]: the runs of tests/mpi/runs (of lists whose names match LISTS) over the ofi device on
# the loopback; no packet leaves the machine. Each has to succeed, and by its counters libfabric carried
# its messages and shared memory none. Then: a rank that dies ends the job. Runs in the top build
# folder. OFI_MOST: ranks of a run, at most (default 3), which bounds the time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
most=${OFI_MOST:-3}
lists=${1:-^(arguments|buffers|coll|coll_reduce|comm|intercomm|memory|neighbors|new_comms|nonblocking|partitioned|progress|pt2pt|reduce_ops|requests|session|stress|threads|topology|types|wakeups|examples)$}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export REMIT_OFI_INTERFACE=lo RUN_MPI_LINES=1000 RUN_MPI_VERBOSE=yes
failed=0
runs=0

fail() {
  echo "FAIL $*"
  grep -v 'statistics: ' "$scratch/said" | tail -n 60 | sed 's/^/     /'
  failed=1
}

# carried RANKS WORDS...: one run.
carried() {
  local ranks=$1 used
  echo "$*" >"$scratch/run"
  REMIT_DEVICES=ofi REMIT_STATISTICS=yes "$here/run_mpi.sh" "$scratch/run" >"$scratch/said" 2>&1 ||
    { fail "$*"; return; }
  if grep -q 'statistics: shm' "$scratch/said"; then fail "$*: shared memory was used"; return; fi
  # Counted by rank: a program that opens MPI several times says it each time.
  used=$(grep -E 'statistics: ofi: .*(sends|puts|gets) [1-9]' "$scratch/said" |
    grep -o 'rank [0-9]*' | sort -u | wc -l)
  case $* in *hello* | *threads\ 2 | *unsupported*) used=$ranks ;; esac
  [ "$ranks" -eq 1 ] || [ "$used" -eq "$ranks" ] ||
    { fail "$*: $used of $ranks ranks used libfabric"; return; }
  grep '^ok ' "$scratch/said"
  runs=$((runs + 1))
}

for list in "$here"/runs/*.mpi; do
  [[ $(basename "$list" .mpi) =~ $lists ]] || continue
  while read -r ranks words; do
    case $ranks in '#'* | '') continue ;; esac
    case $words in *REMIT_SHM_COPY* | *REMIT_DEVICES*) continue ;; esac
    [ "$ranks" -ge 2 ] && [ "$ranks" -le "$most" ] || continue
    # shellcheck disable=SC2086 # words are to be split
    carried $ranks $words
  done <"$list"
done

# Every way of a long message, and what a provider may lack.
for variable in REMIT_RENDEZVOUS=get REMIT_RENDEZVOUS=put REMIT_RENDEZVOUS=pipelined \
  REMIT_OFI_MASK=cq_data REMIT_OFI_MASK=rma 'REMIT_OFI_PROVIDER=tcp;ofi_rxm' REMIT_WAIT=sleep; do
  carried 2 "$variable" tests/mpi/pt2pt
done

# One rank aborts while the others wait: the job ends, with its status.
REMIT_DEVICES=ofi timeout -k 5 60 ./mpirun -n 3 tests/mpi/errors abort >"$scratch/said" 2>&1 </dev/null
status=$?
[ $status -eq 42 ] || fail "errors abort: exit status $status instead of 42"
echo "$runs runs over libfabric"
[ $runs -ge 10 ] || [ -n "${1:-}" ] || failed=1
exit $failed
