#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# coll_table.sh: the table of collectives decides what ranks do; a broken or old one is said once and
# ignored; benchmarks/tune writes one that is used.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
here=$(cd "$(dirname "$0")/../.." && pwd)
host=$(./remit_info --copies | sed -n 's/^  host  *//p')
failures=0
fail() {
  echo "FAIL $*"
  failures=$((failures + 1))
}
# table NAME LINE...: a table of this host
table() {
  name=$1
  shift
  {
    echo "remit collective table 1"
    echo "$host"
    for line in "$@"; do echo "$line"; done
  } >"$folder/$name"
}
# choices OPERATION ALGORITHM: a table of this name with that choice, for four ranks
choices() {
  table "$2" "choice $1 host 4 0 $2" "choice $1 host_shared 4 0 $2"
}
# messages TABLE PROGRAM SIZE: how many all ranks send together in 20 calls, four ranks
messages() {
  REMIT_COLL_TABLE=$folder/$1 REMIT_STATISTICS=yes timeout 100 ./mpirun -n 4 \
    "benchmarks/suite/$2" -s "$3" -i 20 -x 0 2>"$folder/errors" >"$folder/output"
  sed -n 's/.*statistics: messages: eager \([0-9]*\),* rendezvous \([0-9]*\).*/\1 \2/p' \
    "$folder/errors" | awk '{ sum += $1 + $2 } END { print sum + 0 }'
}

# 16 messages a call against 48.
choices allreduce recursive_doubling
choices allreduce ring
doubling=$(messages recursive_doubling allreduce 262144)
ring=$(messages ring allreduce 262144)
[ "$doubling" -gt 100 ] || fail "$doubling messages counted"
[ $((ring - doubling)) -ge 200 ] || fail "the table changes nothing: $doubling, $ring messages"
grep -q "table of collectives" "$folder/errors" && fail "said something about a good table"
# Where members know their own sizes only: 12 messages a call against none (on the board).
choices alltoallv pairwise
choices alltoallv board
pairwise=$(messages pairwise alltoallv 8)
board=$(messages board alltoallv 8)
[ $((pairwise - board)) -ge 200 ] || fail "no choice of alltoallv: $pairwise, $board messages"

# A broken and an old one: one line, and the job runs.
table broken "choice allreduce host 4 0 fastest"
echo "remit collective table 0" >"$folder/old"
for name in broken old missing; do
  if ! REMIT_COLL_TABLE=$folder/$name timeout 100 ./mpirun -n 4 benchmarks/suite/barrier -i 2 \
    >"$folder/output" 2>"$folder/errors"; then
    fail "$name: the job failed"
  fi
  [ "$(grep -c "the table of collectives $folder/$name is not used: " "$folder/errors")" -eq 1 ] ||
    fail "$name: not said once: $(cat "$folder/errors")"
  [ "$(wc -l <"$folder/errors")" -eq 1 ] || fail "$name: more lines: $(cat "$folder/errors")"
done

# What tune writes is read, by jobs and by remit_info; a spoilt one is not.
if command -v python3 >/dev/null; then
  operations=barrier,bcast,allgatherv,alltoallw,reduce_scatter_block,exscan
  if ! timeout 300 "$here/benchmarks/tune" --build . --ranks 2 --collectives $operations \
    --sizes 8,32K --rounds 1 --iterations 5 --output "$folder/tuned" >"$folder/output" 2>&1; then
    fail "tune: $(cat "$folder/output")"
  fi
  REMIT_COLL_TABLE=$folder/tuned ./remit_info --collectives 2 >"$folder/output"
  grep -q "table: $folder/tuned" "$folder/output" || fail "the tuned table is not used"
  for operation in $(echo $operations | tr , ' '); do
    best=$(sed -n "s/^choice $operation [a-z_]* 2 0 \([a-z0-9_]*\).*/\1/p" "$folder/tuned")
    grep -q "^ *$operation .* ${best:-none} .*  measured" "$folder/output" ||
      fail "of $operation tune chose '$best': $(grep " $operation" "$folder/output")"
  done
  grep -q "^model " "$folder/tuned" || fail "tune wrote no model"
  REMIT_COLL_TABLE=$folder/tuned timeout 100 ./mpirun -n 2 benchmarks/suite/alltoallw -c -s 8 -i 5 \
    >"$folder/output" 2>&1 || fail "a job with the tuned table: $(cat "$folder/output")"
  grep -q "table of collectives" "$folder/output" && fail "said something about the tuned table"
  sed 's/^choice exscan \(.*\) 0 /choice exscan \1 zero /' "$folder/tuned" >"$folder/spoilt"
  REMIT_COLL_TABLE=$folder/spoilt ./remit_info --collectives 2 >"$folder/output" 2>&1 || true
  tr -s '\n ' ' ' <"$folder/output" | grep -q "spoilt is not used: line [0-9]*: 'zero' is no number of bytes" ||
    fail "a spoilt table: $(head -5 "$folder/output")"
fi
[ $failures -eq 0 ]
