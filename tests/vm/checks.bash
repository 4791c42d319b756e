# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# What the sets of tests here share: named tests that print a line each and are counted. Sourced.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
good=0 bad=0
limit=120  # seconds a test may take

# check NAME COMMAND...: the command, which may be a function, succeeds; what it said is in
# $scratch/output, and shown if it fails.
check() {
  local start=$EPOCHREALTIME status
  "${@:2}" >"$scratch/output" 2>&1 </dev/null
  status=$?
  local tenths=$(((${EPOCHREALTIME/./} - ${start/./}) / 100000))
  local took="($((tenths / 10)).$((tenths % 10)) s)"
  if [ "$status" -eq 0 ]; then
    good=$((good + 1))
    echo "PASS: $1 $took"
  else
    bad=$((bad + 1))
    echo "FAIL: $1 $took: exit status $status"
    tail -n 300 "$scratch/output" | sed 's/^/    /'
  fi
}

# run NAME COMMAND...: the program succeeds within $limit seconds.
run() { check "$1" timeout -k 5 "$limit" "${@:2}"; }

# said PATTERN: the test before this one printed that.
said() {
  mv "$scratch/output" "$scratch/previous"
  check "  it says '$1'" grep -e "$1" "$scratch/previous"
  mv "$scratch/previous" "$scratch/output"
}

# ends STATUS COMMAND...: the command, which may be a function, ends with this exit status.
ends() {
  "${@:2}"
  local status=$?
  [ "$status" -eq "$1" ] || { echo "ended with $status, not $1"; return 1; }
}

# two PROGRAM...: rank 0 uses rxe0, rank 1 rxe1, so that their messages take the link between these.
two() {
  REMIT_DEVICES=verbs timeout -k 5 "$limit" ./mpirun -n 1 -x REMIT_VERBS_DEVICE=rxe0 "$@" : \
    -n 1 -x REMIT_VERBS_DEVICE=rxe1 "$@"
}

# complains COMMAND...: it fails, in time, with one line in all (besides "ready", of tests/vm/talk).
complains() {
  timeout -k 5 "$limit" "$@" >"$scratch/complaint" 2>&1
  complained $?
}
complained() {
  cat "$scratch/complaint"
  [ "$1" -ne 0 ] && [ "$1" -lt 124 ] || { echo "ended with $1"; return 1; }
  [ "$(grep -c -v '^ready$' "$scratch/complaint")" -eq 1 ] || { echo "not one line"; return 1; }
}

# broken BREAK JOB...: two ranks of tests/vm/talk; when they are ready, BREAK happens, and they
# complain.
broken() {
  local pid start tries=0
  : >"$scratch/complaint"
  "${@:2}" >>"$scratch/complaint" 2>&1 &
  pid=$!
  until grep -q ready "$scratch/complaint"; do
    sleep 0.2
    [ $((tries += 1)) -lt 300 ] || break
  done
  $1
  start=$SECONDS
  wait "$pid"
  local status=$?
  echo "ended with $status, $((SECONDS - start)) s later"
  complained "$status"
}

# The client of rping, with the server's address behind it. rping's own exit status says nothing: now and
# then it closes while one of its threads still waits for events.
pings=(bash -c 'rping -c -a "$0" -C 10 -v | grep rdma-ping-9')

# both SERVER -- CLIENT: the two commands, the second a moment later, succeed.
both() {
  local server=() pid status
  while [ "$1" != -- ]; do
    server+=("$1")
    shift
  done
  shift
  timeout -k 5 "$limit" "${server[@]}" &
  pid=$!
  sleep 1
  timeout -k 5 "$limit" "$@"
  status=$?
  wait "$pid" && return "$status"
}

# finish: the last line, and the exit status.
finish() {
  echo "$(basename "$0"): $good passed, $bad failed"
  [ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
}
