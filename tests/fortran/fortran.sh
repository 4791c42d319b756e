#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# fortran.sh: programs of the three interfaces by each compiler of FORTRAN_COMPILERS (default: the one
# that configure found), with optimization, on 1 to 4 processes; the modules for compilers without
# descriptors, by force; examples; C beside Fortran; a tool that intercepts C's functions; sentinels with
# each linker, PIE or not, and in plug-ins; what mpifort refuses. In the top build folder.
# FORTRAN_OTHER_MPIS: prefixes of libraries with bin/mpiexec and lib/libmpi_abi.so.1, over which the
# same programs run as well (pip install impi-rt, or mpich).
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
here=$srcdir/tests/fortran
build=$(pwd)
compilers=${FORTRAN_COMPILERS:-$(sed -n 's/^FC = //p' Makefile)}
if [ "$compilers" = no ]; then
  echo "left out: configure found no Fortran compiler (apt-get install gfortran)"
  exit 77
fi
if grep -q '^REMIT_SANITIZE = .*-fsanitize' Makefile; then
  echo "left out: a Fortran compiler links another run-time library of the sanitizers than this build has"
  exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
failures=0
fail() {
  printf 'FAIL %s\n' "$1"
  failures=$((failures + 1))
}
# compile OUTPUT ARGUMENT...
compile() {
  output=$1
  shift
  timeout 300 "$build/bin/mpifort" "-fc=$fc" -O2 -o "$output" "$here/checks.f90" "$@" \
    >"$output.log" 2>&1 && return
  fail "$fc: $*"
  sed -n '1,20p' "$output.log"
  return 1
}
# wanted RANKS PROGRAM ARGUMENT...: its last line is "as wanted", or that of $last; started by $start.
last='as wanted'
start=$build/mpirun
wanted() {
  ranks=$1
  shift
  timeout 120 "$start" -n "$ranks" "$@" >out 2>&1 && [ "$(tail -n 1 out)" = "$last" ] && return
  fail "$fc: $* on $ranks by $start"
  sed -n '1,20p' out
}

programs() {
  for program in include_file.f old_module.f90 new_module.f90; do
    if compile "$program.x" "$here/$program"; then
      for ranks in 2 4; do wanted $ranks "./$program.x"; done
    fi
  done
  for program in include_file.f old_module.f90; do wanted 1 "./$program.x"; done
  # The same in free form.
  sed 's/^     &/\&/; s/,$/, \&/' "$here/include_file.f" >free.f90
  if compile free "$tmp/free.f90"; then wanted 2 ./free; fi
  if compile hello "$srcdir/examples/hello_f08.f90"; then
    timeout 60 "$build/mpirun" -n 3 ./hello | sort >out
    [ "$(tail -n 1 out)" = "hello from rank 2 of 3" ] || fail "$fc: examples/hello_f08.f90"
  fi
  last=correct
  if compile heat "$srcdir/examples/heat2d_f08.f90"; then
    for ranks in 1 3 4; do wanted $ranks ./heat 60 50; done
  fi
  last='as wanted'
}

# The same programs over another libmpi_abi.
other_libraries() {
  "$build/bin/mpicc" -shared -fPIC "$here/wrong_numbers.c" -o wrong_numbers.so
  for program in include_file.f old_module.f90 new_module.f90; do
    wanted 2 env "LD_PRELOAD=$tmp/wrong_numbers.so" "./$program.x"
  done
  for prefix in ${FORTRAN_OTHER_MPIS:-}; do
    start="$prefix/bin/mpiexec"
    abi="LD_PRELOAD=$prefix/lib/libmpi_abi.so.1"
    for program in include_file.f old_module.f90 new_module.f90; do
      for ranks in 2 4; do wanted $ranks env "$abi" "./$program.x"; done
    done
    for program in include_file.f old_module.f90; do wanted 1 env "$abi" "./$program.x"; done
    last=correct
    wanted 4 env "$abi" ./heat 60 50
    last='as wanted'
    start=$build/mpirun
  done
}

# Modules of the kind for other compilers.
plain_modules() {
  "$build/bin/mpifort" "-fc=$fc" "-modules=$tmp/plain-$1" -make-modules=plain >out 2>&1 ||
    { fail "$fc: plain modules"; cat out; return; }
  sed '/Sizeof/,/MPI_Sizeof/d' "$here/old_module.f90" >old_plain.f90
  for program in "$tmp/old_plain.f90" "$here/plain_f08.f90"; do
    if compile plain_program "-modules=$tmp/plain-$1" "$program"; then wanted 2 ./plain_program; fi
  done
}

c_beside_fortran() {
  "$build/bin/mpicc" -c "$here/c_part.c" -o c_part.o
  if compile mixed "$here/fortran_part.f90" c_part.o; then wanted 2 ./mixed; fi
  if compile completed "$here/complete_in_c.f90" c_part.o; then
    for ranks in 2 3; do wanted $ranks ./completed; done
  fi
  "$build/bin/mpicc" -c "$srcdir/tests/mpi/profile_tool.c" -o tool.o
  if compile tooled "$here/fortran_part.f90" c_part.o tool.o; then
    timeout 60 "$build/mpirun" -n 1 ./tooled >out 2>&1 || true
    grep -q 'called MPI_Send 3 times' out || { fail "$fc: a tool in C"; cat out; }
  fi
}

# Two plug-ins that know nothing of each other, in a program that is no MPI program.
sentinels() {
  for linker in bfd gold lld; do
    command -v "ld.$linker" >/dev/null || continue
    for pie in -pie -no-pie; do
      compiled=$pie
      if [ $pie = -pie ]; then compiled=-fPIE; else compiled=-fno-pie; fi
      case $fc in *flang*) if [ $pie = -pie ]; then compiled=-fPIC; else compiled=-fno-pic; fi ;; esac
      for program in include_file.f new_module.f90; do
        if compile linked "-fuse-ld=$linker" $pie $compiled "$here/$program"; then wanted 2 ./linked; fi
        if grep -i warning linked.log; then fail "$fc: a warning of ld.$linker"; fi
      done
    done
    for number in 1 2; do
      sed "s/plug_in/plug_in_$number/" "$here/plug_in.f90" >"plug_in_$number.f90"
      compile "plug_in_$number.so" "-fuse-ld=$linker" -shared -fPIC "$tmp/plug_in_$number.f90" || return 0
    done
    $(sed -n 's/^CC = //p' "$build/Makefile") "$here/plug_in_user.c" -o user -ldl
    timeout 60 ./user ./plug_in_1.so ./plug_in_2.so >out 2>&1 || { fail "$fc: plug-ins by $linker"; cat out; }
  done
}

refusals() {
  for word in -fdefault-integer-8 -i8; do
    if "$build/bin/mpifort" "-fc=$fc" $word -c "$here/include_file.f" >out 2>&1 ||
      ! grep -q "makes INTEGER as long as 8 bytes" out; then
      fail "$fc: $word is not refused"
    fi
  done
  printf '      program p\n      include "mpif.h"\n      external mpi_send\n      integer e\n      call mpi_init(e)\n      call mpi_finalize(e)\n      end\n' >external.f
  if compile external -mpif-external "$(pwd)/external.f"; then
    timeout 60 "$build/mpirun" -n 1 ./external || fail "$fc: -mpif-external"
  fi
}

# A call with an argument too many, which the interfaces refuse. Its last argument is not looked at.
old_programs() {
  if ! "$fc" --version 2>&1 | grep -q 'GNU Fortran'; then return 0; fi
  cat >old.f <<'END'
      program p
      include "mpif.h"
      integer a,b,r,e
      call mpi_init(e)
      a=5
      call mpi_allreduce(a,b,1,MPI_INTEGER,MPI_SUM,MPI_COMM_SELF,r,e)
      if (b.ne.5) stop 1
      call mpi_finalize(e)
      end
END
  mismatch=-fallow-argument-mismatch
  for words in '' "$mismatch -fno-allow-argument-mismatch" '-std=legacy -std=gnu'; do
    # shellcheck disable=SC2086
    if "$build/bin/mpifort" "-fc=$fc" $words old.f -o old >out 2>&1; then
      fail "$fc $words: a call with too many arguments is not refused"
      cat out
    fi
  done
  for word in $mismatch -std=legacy; do
    if compile old "$word" "$(pwd)/old.f"; then timeout 60 "$build/mpirun" -n 1 ./old || fail "$fc: $word"; fi
  done
  if "$build/bin/mpifort" "-fc=$fc -std=legacy" old.f -o old >out 2>&1; then :; else
    fail "$fc: -std=legacy as a part of the compiler"
    cat out
  fi
}

for fc in $compilers; do
  if ! command -v "$fc" >/dev/null; then fail "no $fc here"; continue; fi
  [ -d "$("$build/bin/mpifort" "-fc=$fc" -showme:incdirs | sed 's/.* //')" ] ||
    "$build/bin/mpifort" "-fc=$fc" -make-modules >/dev/null || fail "$fc: modules"
  programs
  other_libraries
  plain_modules "$fc"
  c_beside_fortran
  sentinels
  refusals
  old_programs
done
[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "Fortran works: $compilers"
