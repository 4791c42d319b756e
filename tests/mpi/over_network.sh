#!/bin/bash
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# over_network.sh DEVICE [LISTS]: the runs of tests/mpi/runs (of lists whose names match LISTS) over the
# device (tcp, ofi) on the loopback; no packet leaves the machine. Each has to succeed, and by its
# counters the device carried its messages and shared memory none. Then: a rank that dies ends the job.
# Runs of two and three ranks, which bounds the time. Runs in the top build folder.
set -u
device=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
lists=${1:-^(arguments|buffers|coll|coll_reduce|comm|intercomm|memory|neighbors|new_comms|nonblocking|partitioned|progress|pt2pt|reduce_ops|requests|rma|rma_random|session|stress|threads|topology|types|wakeups|examples)$}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export REMIT_INTERFACE=lo RUN_MPI_LINES=1000 RUN_MPI_VERBOSE=yes
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
  REMIT_DEVICES=$device REMIT_STATISTICS=yes "$here/run_mpi.sh" "$scratch/run" >"$scratch/said" 2>&1 ||
    { fail "$*"; return; }
  if grep -q 'statistics: shm' "$scratch/said"; then fail "$*: shared memory was used"; return; fi
  # Counted by rank: a program that opens MPI several times says it each time.
  used=$(grep -E "statistics: $device: .*(sends|puts|gets) [1-9]" "$scratch/said" |
    grep -o 'rank [0-9]*' | sort -u | wc -l)
  case $* in *hello* | *threads\ 2 | *unsupported*) used=$ranks ;; esac
  [ "$ranks" -eq 1 ] || [ "$used" -eq "$ranks" ] ||
    { fail "$*: $used of $ranks ranks used $device"; return; }
  grep '^ok ' "$scratch/said"
  runs=$((runs + 1))
}

for list in "$here"/runs/*.mpi; do
  [[ $(basename "$list" .mpi) =~ $lists ]] || continue
  while read -r ranks words; do
    case $ranks in '#'* | '') continue ;; esac
    case $words in *REMIT_SHM_COPY* | *REMIT_DEVICES*) continue ;; esac
    [ "$ranks" -ge 2 ] && [ "$ranks" -le 3 ] || continue
    # shellcheck disable=SC2086 # words are to be split
    carried $ranks $words
  done <"$list"
done

# Every way of a long message and of waiting, and what a provider of libfabric may lack.
variables=(REMIT_RENDEZVOUS=get REMIT_RENDEZVOUS=put REMIT_RENDEZVOUS=pipelined REMIT_WAIT=sleep)
[ "$device" != ofi ] ||
  variables+=(REMIT_OFI_MASK=cq_data REMIT_OFI_MASK=rma 'REMIT_OFI_PROVIDER=tcp;ofi_rxm')
for variable in "${variables[@]}"; do
  carried 2 "$variable" tests/mpi/pt2pt
done

# One rank aborts while the others wait: the job ends, with its status.
REMIT_DEVICES=$device timeout -k 5 60 ./mpirun -n 3 tests/mpi/errors abort >"$scratch/said" 2>&1 </dev/null
status=$?
[ $status -eq 42 ] || fail "errors abort: exit status $status instead of 42"
echo "$runs runs over $device"
[ $runs -ge 10 ] || [ -n "${1:-}" ] || failed=1
exit $failed
