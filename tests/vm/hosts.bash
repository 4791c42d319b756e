# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# Jobs whose ranks believe to be on several hosts, in one machine: a rank is on another host if it reads
# another boot id. Sourced by sets, after checks.bash.

# on_hosts DEVICES HOSTS PROGRAM...: HOSTS names each rank's host by a letter.
on_hosts() {
  REMIT_DEVICES=$1 HOSTS=$2 timeout -k 5 "$limit" ./mpirun -n "${#2}" \
    unshare -m "$scratch/on_host" "${@:3}"
}
cat >"$scratch/on_host" <<'SCRIPT'
#!/bin/bash
host=${HOSTS:$PMIX_RANK:1}
printf '%08d-0000-4000-8000-00000000000%d\n' "'$host" "$((36#$host % 10))" >"/run/boot.$PMIX_RANK"
mount --bind "/run/boot.$PMIX_RANK" /proc/sys/kernel/random/boot_id
exec "$@"
SCRIPT
chmod +x "$scratch/on_host"
