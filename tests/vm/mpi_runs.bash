# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# The runs of tests/mpi/runs over verbs, each a test of its own. Sourced by sets, after checks.bash.
most=3                     # ranks: the machine has two processors, which are emulated
export RUN_MPI_LIMIT=300   # seconds
export RUN_MPI_LINES=1000  # of output, in which the ranks' counters are

# carried RANKS WORDS...: the run succeeds, verbs carried its messages, and shared memory none.
carried() {
  local ranks=$1 sends
  echo "$*" >"$scratch/run"
  REMIT_DEVICES=verbs REMIT_STATISTICS=yes RUN_MPI_VERBOSE=yes \
    "$here/../mpi/run_mpi.sh" "$scratch/run" >"$scratch/said" 2>&1
  local status=$?
  grep -v 'statistics: ' "$scratch/said"
  [ "$status" -eq 0 ] || return "$status"
  if grep -q 'statistics: shm' "$scratch/said"; then echo "shared memory was used"; return 1; fi
  [ "$ranks" -gt 1 ] || return 0
  # Counted by rank: a program that opens MPI several times says it each time. Ranks may start more.
  sends=$(grep -E 'statistics: verbs: .*(sends|puts|gets) [1-9]' "$scratch/said" |
    grep -o 'rank [0-9]*' | sort -u | wc -l)
  case $* in *hello* | *benchmarks/suite/init* | *threads\ 2 | *unsupported*) return 0 ;; esac
  [ "$sends" -ge "$ranks" ] || { echo "$sends of $ranks ranks used verbs"; return 1; }
}

# over_verbs LINES [LISTS]: the runs that match the pattern LINES, of lists whose names match LISTS,
# of 2 to $most ranks; it says which are left out for having more. What only shared memory has is none
# of them.
over_verbs() {
  local list line ranks
  for list in "$here"/../mpi/runs/*.mpi; do
    [[ $(basename "$list" .mpi) =~ ${2:-.} ]] || continue
    while read -r line; do
      ranks=${line%% *}
      case $line in '#'* | '' | *REMIT_SHM_COPY*) continue ;; esac
      [ "$ranks" -ge 2 ] && [[ $line =~ $1 ]] || continue
      if [ "$ranks" -gt "$most" ]; then
        echo "left out, of more than $most ranks: $line"
        continue
      fi
      # shellcheck disable=SC2086 # words are to be split
      check "${REMIT_VERBS_MASK:+$REMIT_VERBS_MASK: }$line" carried $line
    done <"$list"
  done
}
