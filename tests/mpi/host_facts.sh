#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# host_facts.sh: what a host's processors are like is measured when a communicator first has a board,
# by ranks that have a core each, and kept; a cache folder that cannot be written costs nothing else.
set -eu
unset REMIT_SHM_COPY_TABLE  # tests set it, so that they keep nothing
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
fail() {
  printf 'FAIL: %s\n' "$*"
  exit 1
}
# run FOLDER RANKS PROGRAM...: a job with this cache folder; what it says is in $tmp/said.
run() {
  folder=$1 ranks=$2
  shift 2
  XDG_CACHE_HOME=$folder timeout 60 ./mpirun -n "$ranks" "$@" >"$tmp/said" 2>&1 ||
    fail "$ranks ranks, $*: $(tail -n 5 "$tmp/said")"
}
facts() { cat "$1"/remit/facts-* 2>/dev/null || true; }
program="benchmarks/suite/allreduce -s 8 -i 20 -x 0"

if [ "$(nproc)" -lt 2 ]; then
  echo "SKIP: one core"
  exit 77
fi

# More ranks than cores measure nothing.
# shellcheck disable=SC2086 # the words are to be split
run "$tmp/shared" $(($(nproc) + 1)) $program
[ -z "$(facts "$tmp/shared")" ] || fail "measured by ranks that share cores: $(facts "$tmp/shared")"

# Two with a core each do, once.
# shellcheck disable=SC2086
run "$tmp/own" 2 $program
for fact in day kernel_64k_ns kernel_trap take_lines_to loops; do
  facts "$tmp/own" | grep -q "^$fact " || fail "no $fact in: $(facts "$tmp/own")"
done
before=$(stat -c %i "$tmp"/own/remit/facts-*)
# shellcheck disable=SC2086
run "$tmp/own" 2 $program
[ "$before" = "$(stat -c %i "$tmp"/own/remit/facts-*)" ] || fail "measured again"
XDG_CACHE_HOME=$tmp/own ./remit_info --copies | grep -q "not measured)" && fail "remit_info does not show it"

# Old facts are measured again.
sed -i 's/^day .*/day 1/' "$tmp"/own/remit/facts-*
# shellcheck disable=SC2086
run "$tmp/own" 2 $program
grep -q '^day 1$' "$tmp"/own/remit/facts-* && fail "old facts were believed"

# Nowhere to keep them: nobody hears of it, and a job that does not communicate measures nothing.
: >"$tmp/file"
# shellcheck disable=SC2086
run "$tmp/file" 2 $program
grep -qi 'cache\|facts' "$tmp/said" && fail "said: $(cat "$tmp/said")"
run "$tmp/hello" 2 benchmarks/suite/hello
[ ! -e "$tmp/hello" ] || fail "a job that sent nothing has measured"
echo "facts are measured once, and kept"
