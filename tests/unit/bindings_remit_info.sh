#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# bindings_remit_info.sh: remit_info shows the devices, parameters and protocols of this library,
# follows the environment and --param, and refuses what it does not know.
set -eu
failures=0
# expect_has WHAT PIECE TEXT
expect_has() {
  case $3 in
    *"$2"*) ;;
    *)
      printf 'FAIL %s: no "%s" in\n%s\n' "$1" "$2" "$3"
      failures=$((failures + 1)) ;;
  esac
}
# expect_failure WHAT PIECE COMMAND...: fails, and says so.
expect_failure() {
  what=$1 piece=$2
  shift 2
  if out=$("$@" 2>&1); then
    echo "FAIL $what: succeeded"
    failures=$((failures + 1))
  fi
  expect_has "$what" "$piece" "$out"
}

all=$(./remit_info)
expect_has "everything" "standard ABI 1.0" "$all"
expect_has "everything" "  shm " "$all"
expect_has "everything" "REMIT_EAGER_LIMIT = " "$all"
expect_has "everything" "REMIT_COLL_ALGORITHMS" "$all" # declared where nothing is called from
expect_has "everything" "any size" "$all"
# The libraries of the networks are there wherever Remit was built.
expect_has "networks" "  to other hosts, verbs: " "$all"
expect_has "networks" "  to other hosts, ofi: provider " "$(./remit_info --param interface=lo)"
expect_has "a wrong interface" "REMIT_INTERFACE names no interface" \
  "$(./remit_info --devices --param interface=none0)"
expect_has "--json" '"max_send_bytes": ' "$(./remit_info --json --devices)"
expect_has "--param" "REMIT_EAGER_LIMIT = 1 KiB (set; default " \
  "$(./remit_info --parameters --param eager_limit=1k)"
expect_has "the environment" "REMIT_EAGER_LIMIT = 2 KiB (set; default " \
  "$(REMIT_EAGER_LIMIT=2k ./remit_info --parameters)"
expect_has "the table follows" "1 KiB      eager" \
  "$(./remit_info --protocols --param eager_limit=1k)"
tables=$(mktemp -d)
expect_has "no table" "not measured yet: $tables/none" \
  "$(./remit_info --copies --param shm_copy_table="$tables/none")"
cat >"$tables/some" <<TABLE
remit copy table 1
$(nproc --all) processors, $(uname -srm)
65536 20.0 8 12.5 8 30.0 8
TABLE
expect_has "a table" "12.5       30.0   together" \
  "$(REMIT_SHM_COPY_TABLE=$tables/some ./remit_info --copies)"
expect_has "--collectives" "Collectives among 8 ranks on " "$(./remit_info --collectives 8)"
expect_has "--collectives" "  allreduce  " "$(./remit_info --collectives)"
expect_has "the model" "binomial" "$(./remit_info --collectives 1000 --place network)"
expect_has "a forced algorithm" "  allreduce                   4 B   1 GiB      recursive_doubling" \
  "$(./remit_info --collectives 100 --place host \
     --param coll_algorithms=allreduce=recursive_doubling)"
cat >"$tables/coll" <<TABLE
remit collective table 1
$(nproc --all) processors, $(uname -srm)
choice allreduce host 100 0 recursive_doubling
choice allreduce host 100 4096 ring
TABLE
coll=$(REMIT_COLL_TABLE=$tables/coll ./remit_info --collectives 100 --place host)
expect_has "a table of costs" "table: $tables/coll" "$coll"
expect_has "a measured range" "  allreduce                   4 B   4092 B     recursive_doubling" "$coll"
expect_has "a measured range" "                          4 KiB   1 GiB      ring" "$coll"
expect_has "a measured range" "  measured" "$coll"
expect_has "sizes" "64 KiB   ring " "$(REMIT_COLL_TABLE=$tables/coll ./remit_info --collectives 100 \
  --place host --bytes 8,64K | grep chosen)"
echo "choice allreduce host 100 5 fastest" >>"$tables/coll"
expect_has "a broken table" "allreduce=fastest" \
  "$(REMIT_COLL_TABLE=$tables/coll ./remit_info --collectives 100)"
expect_has "collectives in JSON" '"operation": "allreduce"' "$(./remit_info --json --collectives 4)"
rm -r "$tables"
expect_failure "--bytes alone" "--collectives" ./remit_info --bytes 8
expect_failure "one rank" "--collectives" ./remit_info --collectives 1
expect_failure "no such place" "--place" ./remit_info --collectives 4 --place moon
expect_failure "no such algorithm" "none of" \
  ./remit_info --collectives 4 --param coll_algorithms=bcast=fast
expect_failure "an unknown parameter" "eager_limit" ./remit_info --param eager_limt=1k
expect_failure "a malformed value" "banana" env REMIT_EAGER_LIMIT=banana ./remit_info
expect_failure "no value" "name=value" ./remit_info --param eager_limit
expect_failure "an unknown option" "remit_info: The following argument was not expected: --nonsense" \
  ./remit_info --nonsense
status=0
./remit_info --nonsense >/dev/null 2>&1 || status=$?
expect_has "the status of a wrong option" "2" "$status"
expect_has "--help" "--protocols" "$(./remit_info --help)"
expect_failure "too small" "parameter shm_area: '3' is not allowed; use 4 KiB to 1 GiB" \
  env REMIT_SHM_AREA=3 ./remit_info
expect_failure "too large" "REMIT_SHM_AREA" env REMIT_SHM_AREA=1T ./remit_info
expect_failure "negative" "REMIT_SPIN_POLLS" env REMIT_SPIN_POLLS=-1 ./remit_info
expect_failure "negative" "REMIT_CORE_SHARERS" env REMIT_CORE_SHARERS=-3 ./remit_info
expect_failure "no fragment" "REMIT_PIPELINE_FRAGMENT" env REMIT_PIPELINE_FRAGMENT=0 ./remit_info
expect_has "bounds in JSON" '"maximum": 1073741824' "$(./remit_info --json --parameters)"

# The doctor. What it says about an adapter is tested where there is one (tests/vm/sets).
if rdma=$(./remit_info --rdma); then
  expect_has "a healthy adapter" "loopback      OK: " "$rdma"
else
  expect_has "--rdma" "NOT OK: " "$rdma"
fi
if [ -z "$(ls /sys/class/infiniband 2>/dev/null)" ]; then
  expect_failure "no adapter" "adapter       NOT OK: " ./remit_info --rdma
  expect_failure "no adapter in JSON" '"ok": false' ./remit_info --rdma --json
  if [ "$(./remit_info --rdma | grep -c OK:)" -ne 1 ]; then
    echo "FAIL no adapter: more than one line"
    failures=$((failures + 1))
  fi
fi
case $(./remit_info) in
  *"Collectives among"*) echo "FAIL everything: with collectives"; failures=$((failures + 1)) ;;
  *"RDMA
  adapter"*) echo "FAIL everything: with the doctor"; failures=$((failures + 1)) ;;
esac

# What a program counted, on standard error.
counted=$(REMIT_STATISTICS=yes timeout 60 ./mpirun -n 2 examples/hello 2>&1 >/dev/null)
expect_has "statistics" "statistics: messages: eager " "$counted"
expect_has "statistics" "statistics: shm: cells_sent " "$counted"
if [ -n "$(timeout 60 ./mpirun -n 2 examples/hello 2>&1 >/dev/null)" ]; then
  echo "FAIL no statistics: something is said without being asked for"
  failures=$((failures + 1))
fi
[ $failures -eq 0 ]
