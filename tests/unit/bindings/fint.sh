#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# fint.sh: with plain mpicc and mpicxx, programs use what mpi_fint.h has, as configure
# scripts look for it; what they convert, they can with any library of the ABI; a library for
# Fortran defines the sentinels of statuses, and a tool the conversions.
set -eu
if grep -q '^REMIT_SANITIZE = ..*' Makefile; then
  echo "SKIP: compilers and linkers find the same with a sanitizer"
  exit 77
fi
srcdir=$(cd "${srcdir:-.}" && pwd)
here=$srcdir/tests/unit/bindings
build=$(pwd)
mpicc=$build/bin/mpicc mpicxx=$build/bin/mpicxx
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

fail() {
  printf 'FAIL %s\n' "$1"
  failures=$((failures + 1))
}
# expect WHAT WANTED COMMAND...: what the command prints.
expect() {
  what=$1 wanted=$2
  shift 2
  got=$(timeout 60 "$@" 2>&1) || true
  [ "$got" = "$wanted" ] || fail "$what
  wanted: $wanted
  got:    $got"
}
# names KIND: of fint.tsv.
names() { awk -F '\t' -v kind="$1" '$2 == kind { print $1 }' "$srcdir/abi/fint.tsv"; }

echo "1. a program, in C90 to C17 and C++98 to C++20"
strict="-pedantic -Wall -Wextra -Werror"
# compiled_as WRAPPER LANGUAGE STANDARD...
compiled_as() {
  wrapper=$1 language=$2
  shift 2
  for standard in "$@"; do
    for optimize in -O0 -O2; do
      # shellcheck disable=SC2086
      "$wrapper" "-std=$standard" $strict $optimize -o "$tmp/program" -x "$language" \
        "$here/fint_program.c" || fail "as $standard"
      expect "as $standard $optimize" "all right" "$tmp/program"
    done
  done
}
compiled_as "$mpicc" c c90 c99 c17
compiled_as "$mpicxx" c++ c++98 c++11 c++20

echo "2. what configure scripts ask"
# links TEXT: it compiles and links.
links() { printf '%s\n' "$1" | "$mpicc" -x c - -o "$tmp/conftest" 2>"$tmp/conftest.log"; }
for name in $(names function); do
  for function in "$name" "P$name"; do
    links "char $function(void); int main(void) { return $function(); }" ||
      fail "AC_CHECK_FUNC($function): $(cat "$tmp/conftest.log")"
    links "#include <mpi.h>
int main(int argc, char** argv) { return argv == 0 ? 0 : ((int*)&$function)[argc]; }" ||
      fail "check_symbol_exists($function): $(cat "$tmp/conftest.log")"
  done
done
links '#include <mpi.h>
int main(void) { static int ok[1 - 2 * !(sizeof(MPI_Fint) == 4)]; return ok[0]; }' ||
  fail "AC_CHECK_SIZEOF(MPI_Fint), as FFTW does: $(cat "$tmp/conftest.log")"
links '#include <mpi.h>
int main(void) { if (MPI_Comm_f2c((MPI_Fint)0)) {} if (MPI_Comm_c2f(MPI_COMM_WORLD)) {} return 0; }' ||
  fail "as PETSc does: $(cat "$tmp/conftest.log")"
links '#include "mpi.h"
int main(void) { MPI_Fint i = 0; MPI_Request r; r = MPI_Request_f2c(i); return r == 0; }' ||
  fail "as mpiP does: $(cat "$tmp/conftest.log")"
links 'char MPI_Comm_f2d(void); int main(void) { return MPI_Comm_f2d(); }' &&
  fail "a function that there is not links"
if command -v autoconf >/dev/null; then
  mkdir "$tmp/autoconf"
  cat >"$tmp/autoconf/configure.ac" <<'TEXT'
AC_INIT([asks], [1])
AC_PROG_CC
AC_CHECK_FUNCS([MPI_Comm_f2c MPI_Info_f2c MPI_Type_f2c])
AC_CHECK_SIZEOF([MPI_Fint], [], [[#include <mpi.h>]])
AC_CHECK_TYPES([MPI_Fint, MPI_F08_status], [], [], [[#include <mpi.h>]])
AC_CHECK_DECLS([MPI_Comm_f2c, MPI_F_STATUS_IGNORE], [], [], [[#include <mpi.h>]])
AC_CONFIG_HEADERS([config.h])
AC_OUTPUT
TEXT
  echo '#undef HAVE_MPI_COMM_F2C
#undef HAVE_MPI_INFO_F2C
#undef HAVE_MPI_TYPE_F2C
#undef SIZEOF_MPI_FINT
#undef HAVE_MPI_FINT
#undef HAVE_MPI_F08_STATUS
#undef HAVE_DECL_MPI_COMM_F2C
#undef HAVE_DECL_MPI_F_STATUS_IGNORE' >"$tmp/autoconf/config.h.in"
  (cd "$tmp/autoconf" && autoconf && ./configure CC="$mpicc") >"$tmp/autoconf.log" 2>&1 ||
    fail "autoconf: $(cat "$tmp/autoconf.log")"
  sed 's/^#undef SIZEOF_MPI_FINT/#define SIZEOF_MPI_FINT 4/; s/^#undef \(.*\)/#define \1 1/' \
    "$tmp/autoconf/config.h.in" >"$tmp/autoconf/wanted"
  expect "what autoconf found" "" sh -c "grep '^#def' '$tmp/autoconf/config.h' | diff '$tmp/autoconf/wanted' -"
else
  echo "   left out: no autoconf here"
fi

echo "3. handles are converted by the ABI's functions alone"
for optimize in -O0 -O2; do
  {
    echo '#include <mpi.h>'
    for name in $(names function); do
      case $name in
        MPI_Status_*) ;;
        *_c2f)
          awk -F '\t' -v name="$name" '$1 == name {
            split($4, words, " ")
            print "MPI_Fint f_" name "(" $4 ");"
            print "MPI_Fint f_" name "(" $4 ") { return " name "(" words[2] ") + P" name "(" words[2] "); }"
          }' "$srcdir/abi/fint.tsv"
          ;;
        *_f2c)
          awk -F '\t' -v name="$name" '$1 == name {
            split($4, words, " ")
            print $3 " f_" name "(" $4 ");"
            print $3 " f_" name "(" $4 ") { return " words[2] " ? " name "(" words[2] ") : P" name "(" words[2] "); }"
          }' "$srcdir/abi/fint.tsv"
          ;;
      esac
    done
  } >"$tmp/converts.c"
  "$mpicc" $optimize -c "$tmp/converts.c" -o "$tmp/converts.o"
  nm -u "$tmp/converts.o" | sed -n 's/^ *U \(P*MPI_.*\)/\1/p' >"$tmp/needed"
  count=$(wc -l <"$tmp/needed")
  [ "$count" -eq 44 ] || fail "$count of 44 functions are needed $optimize: $(cat "$tmp/needed")"
  while read -r name; do
    grep -q "^${name#P}	" "$srcdir/abi/functions.tsv" || fail "$name is not in the ABI ($optimize)"
  done <"$tmp/needed"
done

echo "4. sentinels of a library for Fortran"
sentinels=$here/fint_sentinels.c
seen="the program sees Fortran's sentinels
libmpi_abi sees Fortran's sentinels"
for how in DEFINES SETS; do
  "$mpicc" -DLIBRARY -D$how -shared -fPIC "$sentinels" -o "$tmp/lib$how.so"
done
for pie in -pie -no-pie; do
  fpie=-fPIE
  [ $pie = -pie ] || fpie=-fno-pie
  "$mpicc" $fpie $pie "$sentinels" -L"$tmp" -lDEFINES -Wl,-rpath,"$tmp" -o "$tmp/with_defines"
  expect "defined by a library $pie" "$seen" "$tmp/with_defines"
  "$mpicc" $fpie $pie "$sentinels" -L"$build/.libs" -lmpi_abi -L"$tmp" -lSETS \
    -Wl,-rpath,"$tmp" -o "$tmp/with_sets"
  expect "set by a library that comes last $pie" "$seen" "$tmp/with_sets"
  "$mpicc" -DDEFINES $fpie $pie "$sentinels" -o "$tmp/by_program"
  expect "defined by the program $pie" "$seen" "$tmp/by_program"
done

echo "5. a tool that defines conversions"
cat >"$tmp/tool.c" <<'TEXT'
#include <mpi.h>
#ifdef __cplusplus
extern "C" {
#endif
int seen;
MPI_Fint MPI_Comm_c2f(MPI_Comm comm) { ++seen; return PMPI_Comm_c2f(comm); }
int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  ++seen;
  return PMPI_Status_c2f(c_status, f_status);
}
#ifdef __cplusplus
}
#endif
TEXT
cat >"$tmp/asks.c" <<'TEXT'
#include <mpi.h>
#include <stdio.h>
extern int seen;
int main(void) {
  MPI_Status status = {0};
  MPI_Fint f_status[MPI_F_STATUS_SIZE];
  MPI_Fint (*volatile c2f)(MPI_Comm) = MPI_Comm_c2f;
  printf("%d", c2f(MPI_COMM_WORLD));
  MPI_Status_c2f(&status, f_status);
  printf(" %d\n", seen);
  return 0;
}
TEXT
"$mpicc" -c "$tmp/asks.c" -o "$tmp/asks.o"
# tool_sees WHAT COMMAND...: the command makes tool.o.
tool_sees() {
  what=$1
  shift
  "$@" -c "$tmp/tool.c" -o "$tmp/tool.o" || fail "$what does not compile"
  "$mpicc" "$tmp/asks.o" "$tmp/tool.o" -o "$tmp/with_tool"
  expect "$what" "257 2" "$tmp/with_tool"
}
tool_sees "a tool in C" "$mpicc"
tool_sees "a tool in C++" "$mpicxx" -x c++ -DREMIT_FINT_NO_INLINE

echo "6. without it all"
printf '#include <mpi.h>\ntypedef long MPI_Fint;\nlong MPI_Comm_f2c = 1;\nint main(void) { return 0; }\n' >"$tmp/bare.c"
"$mpicc" -DREMIT_ABI_ONLY "$tmp/bare.c" -o "$tmp/bare" || fail "REMIT_ABI_ONLY"

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all as wanted"
