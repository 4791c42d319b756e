#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# coll_table.sh: the table of collectives decides what ranks do; a broken or old one is said once and
# ignored; benchmarks/tune writes one that is used.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
here=$(cd "$(dirname "$0")/../.." && pwd)
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
    echo "$(nproc --all) processors, $(uname -srm)"
    for line in "$@"; do echo "$line"; done
  } >"$folder/$name"
}
# messages TABLE: how many all ranks send together in 20 calls of MPI_Allreduce, 256 KiB, four ranks
messages() {
  REMIT_COLL_TABLE=$folder/$1 REMIT_STATISTICS=yes timeout 100 ./mpirun -n 4 \
    benchmarks/suite/allreduce -s 262144 -i 20 -x 0 2>"$folder/errors" >"$folder/output"
  sed -n 's/.*statistics: messages: eager \([0-9]*\),* rendezvous \([0-9]*\).*/\1 \2/p' \
    "$folder/errors" | awk '{ sum += $1 + $2 } END { print sum + 0 }'
}

# 16 messages a call against 48.
table doubling "choice allreduce host 4 0 recursive_doubling" \
  "choice allreduce host_shared 4 0 recursive_doubling"
table ring "choice allreduce host 4 0 ring" "choice allreduce host_shared 4 0 ring"
doubling=$(messages doubling)
ring=$(messages ring)
[ "$doubling" -gt 100 ] || fail "$doubling messages counted"
[ $((ring - doubling)) -ge 200 ] || fail "the table changes nothing: $doubling, $ring messages"
grep -q "table of collectives" "$folder/errors" && fail "said something about a good table"

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

# What tune writes is read.
if command -v python3 >/dev/null; then
  if ! timeout 300 "$here/benchmarks/tune" --build . --ranks 2 --collectives barrier,bcast \
    --sizes 8,32K --rounds 1 --iterations 5 --output "$folder/tuned" >"$folder/output" 2>&1; then
    fail "tune: $(cat "$folder/output")"
  fi
  for piece in "choice barrier " "choice bcast " "model host"; do
    grep -q "^$piece" "$folder/tuned" || fail "tune wrote no '$piece'"
  done
  REMIT_COLL_TABLE=$folder/tuned ./remit_info --collectives 2 >"$folder/output"
  grep -q "table: $folder/tuned" "$folder/output" || fail "the tuned table is not used"
  grep -q "  measured" "$folder/output" || fail "the tuned table chooses nothing"
fi
[ $failures -eq 0 ]
