#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# run_mpi.sh FILE: makes the runs that FILE lists, in the top build folder, with the mpirun and the
# library built there. A line of FILE: ranks, then VARIABLE=value words, then a program and its
# arguments. Each run prints a line; it fails if its exit status is not zero, if it takes longer than
# RUN_MPI_LIMIT seconds (default 120), or if it leaves a process or a file in /dev/shm behind.
# RUN_MPI_VERBOSE shows the output of good runs, too: its last RUN_MPI_LINES (default 60) lines.
set -u

# A /dev/shm of its own, where mounts can be changed: what is left there is of these runs, whatever
# other programs of this machine do meanwhile.
mount='mount -t tmpfs -o mode=1777 none /dev/shm'
if [ -z "${RUN_MPI_OWN_SHM:-}" ] && unshare -m sh -c "$mount" 2>/dev/null; then
  RUN_MPI_OWN_SHM=yes exec unshare -m sh -c "$mount"' && exec "$0" "$@"' "$0" "$@"
fi

list=$1
mpirun=${MPIRUN:-./mpirun}
limit=${RUN_MPI_LIMIT:-120}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# Processes that inherited the mark of this run: what mpirun started, however far removed.
survivors() {
  grep -laz "^REMIT_TEST_RUN=$1\$" /proc/[0-9]*/environ 2>/dev/null |
    sed 's|/proc/\([0-9]*\)/.*|\1|'
}

# Names new in /dev/shm that nobody uses: where it is not these runs' own, others make files meanwhile.
shm_leaks() {
  ls -A /dev/shm | sort | comm -13 "$tmp/shm" - | while read -r name; do
    grep -qs "/dev/shm/$name" /proc/[0-9]*/maps || echo "$name"
  done
}

fail() {
  echo "FAIL $*"
  failed=1
}

number=0
while read -r ranks words; do
  case $ranks in '' | '#'*) continue ;; esac
  number=$((number + 1))
  mark=$$.$number
  ls -A /dev/shm | sort >"$tmp/shm"
  start=$(date +%s.%N)
  # shellcheck disable=SC2086 # the words are to be split
  env REMIT_TEST_RUN=$mark timeout -k 5 "$limit" sh -c '
    mpirun=$1 ranks=$2
    shift 2
    while case $1 in *=*) true ;; *) false ;; esac; do
      export "$1"
      shift
    done
    exec "$mpirun" -n "$ranks" "$@"' run_mpi "$mpirun" "$ranks" $words \
    >"$tmp/output" 2>&1 </dev/null
  status=$?
  time=$(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f s", $1 - $2 }')
  what="$ranks ranks: $words ($time)"
  if [ $status -eq 124 ] || [ $status -eq 137 ]; then
    fail "$what: no end within $limit s"
  elif [ $status -ne 0 ]; then
    fail "$what: exit status $status"
  else
    echo "ok   $what"
  fi
  if [ $status -ne 0 ] || [ -n "${RUN_MPI_VERBOSE:-}" ]; then
    tail -n "${RUN_MPI_LINES:-60}" "$tmp/output" | sed 's/^/     /'
  else
    # what replays a random test
    sed -n 's/^.*REMIT_TEST_SEED=/     REMIT_TEST_SEED=/p' "$tmp/output"
  fi
  tries=0
  while left=$(survivors "$mark") && [ -n "$left" ] && [ $tries -lt 50 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  if [ -n "$left" ]; then
    fail "$what: left processes:" $left
    for pid in $left; do
      tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null
      kill -9 "$pid" 2>/dev/null
    done
  fi
  leaked=$(shm_leaks)
  if [ -n "$leaked" ]; then fail "$what: left in /dev/shm:" $leaked; fi
done <"$list"
[ $number -gt 0 ] || fail "$list lists no run"
exit $failed
