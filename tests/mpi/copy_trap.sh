#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# copy_trap.sh [LIST...]: no copy of 1 KB and more is at a distance at which the processor's string
# instruction may be slow (runtime/copy.hpp). Runs programs with a library that counts such calls of
# memcpy, memmove, process_vm_readv and process_vm_writev: those below, or the runs of tests/mpi/runs/
# that are named ("all": each of them; make check-trap).
set -eu
here=${srcdir:-.}/tests/mpi
# As where the kernel is slow there, whatever this host is like.
export REMIT_SHM_DETOURS=yes
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if grep -q '^REMIT_SANITIZE = ..*' Makefile; then
  echo "SKIP: sanitizers replace the functions that are counted"
  exit 77
fi

compile=${CC:-gcc}
$compile -O2 -fno-builtin -shared -fPIC "$here/trap_counter.c" -o "$tmp/counter.so" -ldl
$compile -O2 -fno-builtin "$here/trap_control.c" -o "$tmp/control"

fail() {
  printf 'FAIL: %s\n' "$*"
  exit 1
}

# It counts what it is meant to count, and only that.
said=$(LD_PRELOAD=$tmp/counter.so TRAP_COUNTER_CALLER='' "$tmp/control" 2>&1) || fail "control: $said"
case $said in
  "trap counter: 6 calls, 3 in the trap, first at "*"/control") ;;
  *) fail "the counter does not count: $said" ;;
esac

failures=0
complaints=
complain() {
  printf 'FAIL: %s\n' "$*"
  failures=$((failures + 1))
  complaints="$complaints
$*"
}

# run RANKS [VARIABLE=VALUE...] PROGRAM...: the output is in $tmp/output.
run() {
  env LD_PRELOAD="$tmp/counter.so" timeout 300 sh -c '
    ranks=$1
    shift
    while case $1 in *=*) true ;; *) false ;; esac; do
      export "$1"
      shift
    done
    exec ./mpirun -n "$ranks" "$@"' run "$@" >"$tmp/output" 2>&1 </dev/null || {
    tail -n 20 "$tmp/output"
    return 1
  }
}

# places: where in the code the first copy in the trap was, of each rank that has counted one.
places() { sed -n 's/^trap counter: .* first at //p' "$tmp/output" | sort -u; }

# checked RANKS [VARIABLE=VALUE...] PROGRAM...: what all ranks have counted is right. A table of the library's
# own that grows is copied once, from and to wherever the heap has room, so that one in 130 of these copies
# is in the trap: a finding is what comes again from the same place of the code, in two runs of three.
checked() {
  : >"$tmp/known"
  for attempt in 1 2 3; do
    run "$@" || { complain "of $1 ranks: $*"; return 0; }
    counted=$(grep -c '^trap counter: ' "$tmp/output") || true
    [ "$counted" -ge "$1" ] || complain "of $1 ranks: $*: $counted have counted"
    places >"$tmp/places"
    [ -s "$tmp/places" ] || break
    if grep -F -x -f "$tmp/known" "$tmp/places"; then complain "of $1 ranks, attempt $attempt: $*"; return 0; fi
    cat "$tmp/places" >>"$tmp/known"
  done
  calls=$((calls + $(awk '/^trap counter: / { n += $3 } END { print n + 0 }' "$tmp/output")))
  ranks=$1
  shift
  echo "ok $ranks ranks: $*"
}

# one_sided OFFSETS: puts, gets and accumulates on memory that is mapped, that the kernel copies, and that only
# messages reach. Numbers of accumulates lie at multiples of their size.
one_sided() {
  words=1024,2048,4096,8192,12304,20000,32768,65536,100000,262144,1048576
  programs='put_latency get_latency put_bw put_bibw get_bw put_flag put_notify put_signal'
  case $1 in
    *1,* | *,1) ;;
    *) programs="$programs acc_latency get_acc_latency" ;;
  esac
  for program in $programs; do
    for window in allocate create; do
      checked 2 benchmarks/suite/$program -w $window --offset "$1" -s $words -i 2 -x 1
    done
    checked 2 REMIT_SHM_ALLOC=no benchmarks/suite/$program -w allocate --offset "$1" -s $words -i 2 -x 1
  done
}

calls=0
if [ $# -gt 0 ]; then
  [ "$1" != all ] || set -- "$here"/runs/*.mpi
  for list in "$@"; do
    [ -f "$list" ] || list=$here/runs/$list.mpi
    while read -r ranks words; do
      case $ranks in '' | '#'*) continue ;; esac
      # shellcheck disable=SC2086 # the words are to be split
      checked "$ranks" $words
    done <"$list"
  done
else
  sizes=1024,2048,4096,8192,12300,20000,32768,65536,100000,262144,1048576
  for offset in 0 1 8 16 24; do
    for program in latency bw bcast reduce allreduce gather scatter allgather alltoall alltoallv; do
      checked 2 benchmarks/suite/$program --offset "$offset" -s $sizes -i 2 -x 1
    done
    checked 2 benchmarks/suite/latency --offset "$offset,0" -s $sizes -i 2 -x 1
    checked 2 benchmarks/suite/latency --offset "0,$offset" -s $sizes -i 2 -x 1
    checked 2 REMIT_SHM_COPY=cma benchmarks/suite/latency --offset "0,$offset" -s $sizes -i 2 -x 1
    checked 2 REMIT_SHM_COPY=pipelined benchmarks/suite/bw --offset "0,$offset" -s $sizes -i 2 -x 1
    checked 3 benchmarks/suite/allreduce --offset "$offset,0" -s $sizes -i 2 -x 1
    one_sided "$offset,0"
    one_sided "0,$offset"
  done
  checked 2 tests/mpi/types
  checked 3 tests/mpi/pt2pt
  checked 4 tests/mpi/coll_random
fi
[ "$calls" -gt 1000 ] || fail "only $calls calls were counted: does the library call anything else?"
[ "$failures" -eq 0 ] || fail "$failures runs:$complaints"
echo "$calls copies, none in the trap"
