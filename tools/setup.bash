# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# What ./demo and ./run_tests share: messages, Debian packages, build folders. Sourced by both.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

build_packages=(autoconf automake libtool pkg-config gcc g++ make python3
  libpmix-dev libhwloc-dev libibverbs-dev librdmacm-dev libfabric-dev
  libfmt-dev libexpected-dev libcli11-dev libasio-dev libssl-dev nlohmann-json3-dev libpng-dev)
test_packages=(libgtest-dev librapidcheck-dev libbenchmark-dev cmake xz-utils gdb gfortran
  clang-16 libclang-rt-16-dev llvm-16 clang-tidy-16 clang-format-14)
# For tests/vm: the emulator, what its kernels are made ready with, and RDMA programs to run inside.
vm_packages=(qemu-system-x86 busybox-static kmod binutils
  iproute2 ibverbs-providers ibverbs-utils rdmacm-utils perftest)
# For tests/cluster: Slurm, whose daemons run in the tests alone.
cluster_packages=(slurmctld slurmd slurm-client munge iproute2)

say() { printf '\n=== %s\n' "$*"; }

# fail MESSAGE [LOG-FILE]: the end, with one message and the last lines of a log.
fail() {
  [ -z "${2:-}" ] || tail -n 30 "$2" >&2
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

# install_packages PACKAGE...: installs those that are missing, so that a machine that has them all
# needs neither root nor a network.
install_packages() {
  local missing=() package as_root=() log=$root/build/apt.log
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "Not a Debian system: configure names what is missing, by its Debian package"
    return
  fi
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "needs root to install packages; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} Debian packages and what they need: ${missing[*]}"
  mkdir -p "$root/build"
  # An update that fails may still leave lists that are good enough.
  "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update >"$log" 2>&1
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 install "${missing[@]}" >>"$log" 2>&1 ||
    fail "apt-get could not install the packages (the whole log: $log)" "$log"
}

# install_daemons PACKAGE...: the same for packages that Debian would start, now and with the system.
# In a shell of its own, which takes the prohibition back however it ends; a failure is not the end.
install_daemons() (
  policy=/usr/sbin/policy-rc.d as_root=() new=()
  command -v dpkg-query >/dev/null || return 0
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      new+=("$package")
  done
  [ ${#new[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  if [ ! -e $policy ]; then
    trap '"${as_root[@]}" rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null &&
      "${as_root[@]}" chmod 755 $policy || return
  fi
  install_packages "${new[@]}"
  dpkg -L "${new[@]}" | sed -n 's#^/etc/init.d/##p' | while read -r service; do
    "${as_root[@]}" update-rc.d "$service" disable
  done
)

# configure_build FOLDER [ARGUMENT...]: makes ./configure if need be, and configures build/FOLDER
# unless that was done with the same arguments. Uses ccache where there is one.
configure_build() {
  local folder=$root/build/$1 wanted="${*:2}"
  shift
  [ -x "$root/configure" ] || "$root/autogen.sh" >"$root/build/autogen.log" 2>&1 ||
    fail "autogen.sh failed" "$root/build/autogen.log"
  if [ -f "$folder/Makefile" ] && [ "$(cat "$folder/configured" 2>/dev/null)" = "$wanted" ]; then
    return 0
  fi
  rm -rf "$folder" && mkdir -p "$folder" || return 1
  (cd "$folder" && "$root/configure" "$@" >configure.log 2>&1) || {
    grep -h '^configure: error' "$folder/configure.log" >&2
    printf 'the whole log: %s\n' "$folder/configure.log" >&2
    return 1
  }
  printf '%s\n' "$wanted" >"$folder/configured"
}

# with_ccache COMPILER: the compiler behind ccache, if there is one.
with_ccache() { if command -v ccache >/dev/null; then echo "ccache $1"; else echo "$1"; fi; }
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
