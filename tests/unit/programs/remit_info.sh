#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# remit_info.sh: remit_info shows the devices, parameters and protocols of this library,
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
# What tables say that they are of: processors, kernel, C library.
host=$(./remit_info --copies | sed -n 's/^  host  *//p')
expect_has "the host of tables" "$(nproc --all) processors " "$host"
expect_has "the host of tables" ", $(uname -srm), glibc " "$host"
cat >"$tables/some" <<TABLE
remit copy table 3
$host
65536 free 20.0 8 12.5 8 30.0 8
65536 trap 40.0 8 32.5 8 10.0 8
TABLE
expect_has "a table" "12.5       30.0   together" \
  "$(REMIT_SHM_COPY_TABLE=$tables/some ./remit_info --copies)"
cat >"$tables/some.facts" <<FACTS
remit host facts 2
$host
day 1
kernel_64k_ns 1234 quick
kernel_trap yes
take_lines_to all
loops 32 4096
FACTS
facts=$(REMIT_SHM_COPY_TABLE=$tables/some ./remit_info --copies)
expect_has "the kernel" "1234 ns, quicker than two in user space" "$facts"
expect_has "the trap" "its detours 1 to 31 bytes ahead          taken" "$facts"
expect_has "lines" "the reader takes the lines               always" "$facts"
expect_has "vectors" "vectors 1 to 31 bytes ahead modulo 4096  32 bytes" "$facts"
expect_has "pieces" "elsewhere in pieces of 2 KiB             to 4 KiB" "$facts"
expect_has "what is not known" "always (not measured)" \
  "$(./remit_info --copies --param shm_copy_table=none --param shm_take_lines=yes)"
expect_has "a class of alignment" "1 to 31       40.0       32.5       10.0   ring" \
  "$(REMIT_SHM_COPY_TABLE=$tables/some ./remit_info --copies)"
# How ranks wait: nproc counts the cores of the mask, as Remit does.
cores=$(nproc)
expect_has "everything" "Waiting
  cores of this process: $cores
  ranks that share them: $cores; " "$all"
expect_has "too many ranks" "more ranks than cores
  so a waiting rank yields its core up to 300 times, then sleeps" \
  "$(./remit_info --waiting $((cores + 1)))"
expect_has "other jobs" "4096, as core_sharers says; there are more ranks than cores
  so a waiting rank yields" "$(REMIT_CORE_SHARERS=4096 ./remit_info --waiting 1)"
expect_has "a wish" "a waiting rank spins and never sleeps" \
  "$(./remit_info --waiting 4096 --param wait=spin)"
expect_has "fewer cores" "cores of this process: 1
" "$(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" ./remit_info --waiting 2)"
expect_has "waiting in JSON" '"spin": false' "$(./remit_info --json --waiting 4096)"
# Windows: what a job with these settings would have (tests/mpi/window_ways.sh compares).
expect_has "everything" "
Windows
" "$all"
window=$(./remit_info --window)
expect_has "allocations" "allocations are shared     yes
" "$window"
expect_has "mapped" "  allocate        this host  loads and stores                    in place, under a lock nobody" "$window"
expect_has "other hosts" "  messages to others by      " "$window"
window=$(REMIT_SHM_ALLOC=no ./remit_info --window)
expect_has "no allocations" "allocations are shared     no: REMIT_SHM_ALLOC=no
" "$window"
expect_has "no sharing" "not faster, allocate here, allocate_shared here, create here, create_dynamic here: " "$window"
expect_has "one device" "messages to others by      none: REMIT_DEVICES=shm
" "$(./remit_info --window --param devices=shm)"
expect_has "the device tcp" "messages to others by      tcp: put, get
" "$(./remit_info --window --param devices=shm,tcp --param interface=lo)"
expect_has "no shared memory" "messages on this host by   tcp: put, get
" "$(./remit_info --window --param devices=tcp --param interface=lo)"
expect_has "no thread" "for progress_thread=no" "$(./remit_info --window --param progress_thread=no)"
expect_has "a thread" "the progress thread, which starts" "$(./remit_info --window --param progress_thread=yes)"
expect_has "windows in JSON" '"allocations_shared": false' \
  "$(REMIT_SHM_ALLOC=no ./remit_info --json --window)"
expect_has "--collectives" "Collectives among 8 ranks on " "$(./remit_info --collectives 8)"
expect_has "--collectives" "  allreduce  " "$(./remit_info --collectives)"
expect_has "the model" "binomial" "$(./remit_info --collectives 1000 --place network)"
expect_has "a forced algorithm" "  allreduce                   4 B   1 GiB      recursive_doubling" \
  "$(./remit_info --collectives 100 --place host \
     --param coll_algorithms=allreduce=recursive_doubling)"
cat >"$tables/coll" <<TABLE
remit collective table 1
$host
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

# Files: the one that is there, the folder of one that is not, hints.
echo some >"$tables/file"
file=$(./remit_info --file "$tables/file" --hint cb_nodes=100 --hint romio_ds_write=perhaps)
case $(stat -f -c %T "$tables") in
  ext2/ext3) system="ext4: tests of Remit run on it" ;;
  tmpfs) system="tmpfs: tests of Remit run on it" ;;
  *) system="not met" ;;
esac
expect_has "--file" "File $tables/file
  file system                    " "$file"
expect_has "--file" "$system" "$file"
expect_has "a hint" "cb_nodes=100 -> 64: 64 of a host" "$file"
expect_has "a wrong hint" "romio_ds_write=perhaps -> disable: it must be enable" "$file"
expect_has "a file that is not there" "of the folder $tables
" "$(./remit_info --file "$tables/none")"
expect_has "a file in the working folder" "of the folder .
" "$(./remit_info --file none)"
expect_has "a prefix" "without the prefix ufs" "$(./remit_info --file "ufs:$tables/file")"
echo "cb_buffer_size 65536" >"$tables/hints"
expect_has "hints of a file" "an owner moves at a time       64 KiB: " \
  "$(ROMIO_HINTS=$tables/hints ./remit_info --file "$tables/file")"
expect_has "no hints of a file" "hints of a file are missing: $tables/no" \
  "$(ROMIO_HINTS=$tables/no ./remit_info --file "$tables/file")"
expect_has "a file in JSON" '"is_there": true' "$(./remit_info --json --file "$tables/file")"
expect_failure "no folder" "$tables/no: cannot look at the folder: No such file" \
  ./remit_info --file "$tables/no/file"
expect_failure "no value of a hint" "--hint cb_nodes: write key=value" \
  ./remit_info --file "$tables/file" --hint cb_nodes
expect_failure "--hint alone" "--file" ./remit_info --hint cb_nodes=1
rm -r "$tables"

# What decides beside the number of ranks: hosts, the operation, places, groups.
hosts=$(./remit_info --collectives 16 --hosts 4)
expect_has "hosts" "Collectives among 16 ranks on 4 hosts" "$hosts"
expect_has "hosts" "hierarchical" "$hosts"
expect_has "hosts" "hierarchical" "$(./remit_info --collectives 16 --hosts 4 --bytes 8 | grep chosen)"
case $(./remit_info --collectives 16 --hosts 4 --param coll_cells=none) in
  *hierarchical*) echo "FAIL cells although there are none"; failures=$((failures + 1)) ;;
esac
# Uneven cells have no hierarchical allgather.
expect_has "even hosts" "hierarchical" "$(./remit_info --collectives 16 --hosts 4 --bytes 8 | grep ' allgather ')"
case $(./remit_info --collectives 16 --hosts 3 --bytes 8 | grep ' allgather ') in
  *hierarchical*) echo "FAIL uneven hosts: hierarchical"; failures=$((failures + 1)) ;;
esac
expect_has "one host" "fewer processors than ranks" "$(./remit_info --collectives 100000 --hosts 1)"
expect_has "rounded sums" "grouped" \
  "$(./remit_info --collectives 1000 --place network --bytes 8 | grep 'allreduce.*chosen')"
expect_has "exact sums" "overlapped" \
  "$(./remit_info --collectives 1000 --place network --op exact --bytes 8 | grep 'allreduce.*chosen')"
expect_has "the order of ranks" "in_order" \
  "$(./remit_info --collectives 100 --place network --op ordered --bytes 8 | grep ' reduce .*chosen')"
expect_has "not in place" "spread_out" "$(./remit_info --collectives 8 --place network --bytes 8)"
case $(./remit_info --collectives 8 --place network --bytes 8 --in-place) in
  *spread_out*) echo "FAIL in place: spread_out"; failures=$((failures + 1)) ;;
esac
sizes=$(./remit_info --collectives 8 --place network --bytes 8,0,64 | grep 'chosen')
expect_has "each of the sizes" 3 "$(echo "$sizes" | grep -c '^  allreduce ')"
expect_has "no sizes" 1 "$(echo "$sizes" | grep -c '^  barrier ')"
expect_has "as many ranks as there may be" "Collectives among 2147483647 ranks" \
  "$(./remit_info --collectives 2147483647 --place network)"
expect_has "the same without cells" "Collectives among 2147483647 ranks" \
  "$(./remit_info --collectives 2147483647 --hosts 2 --param coll_cells=none)"
inter=$(./remit_info --collectives 8 --inter)
expect_has "two groups" "between two groups" "$inter"
expect_has "two groups" "inter_leaders" "$inter"
expect_has "JSON says the question" '"hosts": 4' "$(./remit_info --json --collectives 16 --hosts 4)"
variables=$(./remit_info --variables)
expect_has "--variables has parameters" "REMIT_EAGER_LIMIT = " "$variables"
expect_has "--variables has counters" "  messages_eager (counter)" "$variables"
expect_has "--variables has those of objects" "  file_locks (counter; of a file)" "$variables"
expect_has "--variables has events" "  message_arrived (peer, context, tag, bytes, expected)" "$variables"
expect_has "events in JSON" '"name": "window_lock_waited"' "$(./remit_info --json --variables)"
algorithms=$(./remit_info --algorithms)
expect_has "--algorithms" "  allreduce=ring
" "$algorithms"
for algorithm in $algorithms; do
  case $algorithm in *=*) ;; *) continue ;; esac
  ./remit_info --collectives 4 --param "coll_algorithms=$algorithm" >/dev/null ||
    { echo "FAIL $algorithm is listed and refused"; failures=$((failures + 1)); }
done
expect_failure "more hosts than ranks" "--hosts 5" ./remit_info --collectives 4 --hosts 5
expect_failure "places that contradict" "--place host" ./remit_info --collectives 4 --hosts 2 --place host
expect_failure "--hosts alone" "--collectives" ./remit_info --hosts 2
expect_failure "no such operation" "--op" ./remit_info --collectives 4 --op product
expect_failure "too many ranks in cells" "--hosts 1000: cells" ./remit_info --collectives 2147483647 --hosts 1000
for option in --in-place "--op exact" "--place host" "--hosts 2"; do
  # shellcheck disable=SC2086 # two words
  expect_failure "between groups" "${option% *} excludes --inter" ./remit_info --collectives 4 --inter $option
done

expect_failure "--bytes alone" "--collectives" ./remit_info --bytes 8
expect_failure "one rank" "--collectives" ./remit_info --collectives 1
expect_failure "no ranks" "--waiting" ./remit_info --waiting 0
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
