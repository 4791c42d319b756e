#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# window_ways.sh: REMIT_STATISTICS=yes says of each window which ways it had and why not faster ones, and
# remit_info --window has said so before. Runs in the top build folder.
set -eu
failures=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# run VARIABLE=value... -- ARGUMENT...: what each of two ranks says of its windows.
run() {
  settings=
  while [ "$1" != -- ]; do
    settings="$settings $1"
    shift
  done
  shift
  # shellcheck disable=SC2086 # the words are to be split
  env REMIT_STATISTICS=yes $settings timeout 60 ./mpirun -n 2 tests/mpi/window_ways "$@" \
    >"$tmp/all" 2>&1 || { echo "FAIL$settings $*"; cat "$tmp/all"; exit 1; }
  sed -n 's/^.*statistics: \(windows*[ :].*\)$/\1/p' "$tmp/all" |
    sed 's/; locks that were not free [0-9]*//' >"$tmp/said"  # a matter of chance
}
# expect COUNT REGEX: so many lines are like that, from their beginning.
expect() {
  count=$(grep -Ec "^$2" "$tmp/said" || true)
  [ "$count" -eq "$1" ] && return
  echo "FAIL: $count lines, not $1, are like: $2"
  cat "$tmp/said"
  failures=$((failures + 1))
}
# What remit_info says with these settings of one kind of window here: passive or not.
foretold() {
  kind=$1
  shift
  env "$@" ./remit_info --window --json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["windows"]["rows"]:
    if (row["window"], row["target"]) == (sys.argv[1], "this host"):
        print("passive" if row["passive"] else "served by the progress thread" if row["possible"] else "none")
' "$kind"
}
atomic="atomic by the processor"

run --
expect 10 "window [0-9]+"
expect 2 "window [0-9]+ \\(halo\\): MPI_Win_allocate, 2 members: 2 mapped; passive; $atomic$"
expect 2 "window [0-9]+: MPI_Win_allocate_shared, 2 members: 2 mapped; passive; $atomic$"
expect 2 "window [0-9]+: MPI_Win_allocate, 1 member: 1 mapped; passive; $atomic; not freed$"
[ "$(foretold MPI_Win_allocate)" = passive ] || { echo "FAIL: allocated windows are not foretold"; failures=1; }
# How many there are of each depends on whether the other rank polls.
copies="kernel copies [0-9]+" handed="operations handed to polling targets [0-9]+"
unmapped="($copies, $handed|$copies|$handed)"
way=$(foretold MPI_Win_create)
if [ "$way" = passive ]; then
  expect 2 "window [0-9]+: MPI_Win_create, 2 members: 1 mapped, 1 by kernel copies; passive; $atomic; $unmapped; memory of MPI_Win_create is not shared, so that the kernel copies it: "
  expect 2 "window [0-9]+: MPI_Win_create_dynamic, 2 members: 1 mapped, 1 by kernel copies; passive; .*; attached memory is not shared, "
else
  expect 2 "window [0-9]+: MPI_Win_create, 2 members: 1 mapped, 1 by messages; $way; $atomic; messages [1-9][0-9]*; rank [01] is reached by messages: memory of MPI_Win_create is not shared, and "
fi

for setting in REMIT_SHM_ALLOC=no REMIT_DEVICES=tcp; do
  run $setting REMIT_INTERFACE=lo WINDOW_WAYS_UNSHARED=yes --
  expect 8 "window [0-9]+: |window [0-9]+ \\(halo\\): "
  for kind in MPI_Win_allocate MPI_Win_create MPI_Win_create_dynamic; do
    way=$(foretold $kind $setting REMIT_INTERFACE=lo)
    expect 2 "window [0-9]+( \\(halo\\))?: $kind, 2 members: 1 mapped, 1 by messages; $way; $atomic; messages [1-9][0-9]*; rank [01] is reached by messages: memory of this host is not shared: $setting$"
  done
  [ "$(foretold MPI_Win_allocate_shared $setting REMIT_INTERFACE=lo)" = none ] ||
    { echo "FAIL: $setting: shared windows are foretold"; failures=1; }
done

run REMIT_SHM_ALLOC=no REMIT_PROGRESS_THREAD=no WINDOW_WAYS_UNSHARED=yes --
expect 6 "window .*, 2 members: .*; served only while the target is in a call of MPI \\(there is no progress thread\\); "

# Many windows are counted only.
run -- 20
expect 32 "window [0-9]+"
expect 2 "windows: 9 more$"
run REMIT_STATISTICS=no -- 1
expect 0 ""
[ $failures -eq 0 ]
