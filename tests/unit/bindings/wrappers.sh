#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# wrappers.sh: mpicc, mpicxx and mpifort in the build folder and installed, pkg-config, and a CMake
# project with find_package(MPI), each against an installation that was staged and moved.
set -eu
srcdir=$(cd "${srcdir:-.}" && pwd)
build=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

# expect WHAT WANTED GOT: the two texts are the same.
expect() {
  if [ "$2" != "$3" ]; then
    printf 'FAIL %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}
# expect_has WHAT PIECE TEXT, expect_lacks WHAT PIECE TEXT
expect_has() {
  case $3 in *"$2"*) ;; *) expect "$1" "... $2 ..." "$3" ;; esac
}
expect_lacks() {
  case $3 in *"$2"*) expect "$1" "(without $2)" "$3" ;; esac
}

unset MPI_CC MPI_CXX OMPI_CC OMPI_CXX MPICH_CC MPICH_CXX I_MPI_CC I_MPI_CXX OMPI_CPPFLAGS OMPI_CFLAGS \
  OMPI_CXXFLAGS OMPI_LDFLAGS OMPI_LIBS I_MPI_CFLAGS I_MPI_CXXFLAGS I_MPI_LDFLAGS I_MPI_OTHERLIBS MPI_FC OMPI_FC MPICH_FC I_MPI_FC
MPI_RPATH=yes  # whatever configure was told
export MPI_RPATH
cat >"$tmp/program.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#ifndef GREETING
#define GREETING "hello"
#endif
int main(void) {
  int major = 0, minor = 0, length = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Abi_get_version(&major, &minor);
  MPI_Get_library_version(version, &length);
  printf("%s %d.%d %.5s\n", GREETING, major, minor, version);
  return 0;
}
END
cp "$tmp/program.c" "$tmp/program.cpp"

# Runs every form that prints; $1 is the folder of the wrappers, $2 and $3 where the header and the
# library must be.
check_printing() {
  mpicc=$1/mpicc inc=$2 lib=$3
  flags="-L$lib -Wl,-rpath,$lib -Wl,--enable-new-dtags -lmpi_abi"
  cc=$("$mpicc" -showme:command)
  expect "-show" "$cc -I$inc $flags" "$("$mpicc" -show)"
  expect "-showme" "$cc -I$inc $flags" "$("$mpicc" -showme)"
  expect "-show file" "$cc -I$inc a.c -o a $flags" "$("$mpicc" -show a.c -o a)"
  expect "-show -c" "$cc -I$inc -c a.c" "$("$mpicc" -show -c a.c)"
  expect "-show quotes" "$cc -I$inc -c '-DA=\"b c\"' 'it'\''s.c'" \
    "$("$mpicc" -show -c '-DA="b c"' "it's.c")"
  for form in -showme: --showme: -show: --show: -show- --show- -showme-; do
    for name in compile compile-info; do
      expect "$form$name" "-I$inc" "$("$mpicc" "$form$name")"
    done
    for name in link link-info; do expect "$form$name" "$flags" "$("$mpicc" "$form$name")"; done
    for name in incdirs incdir; do expect "$form$name" "$inc" "$("$mpicc" "$form$name")"; done
    for name in libdirs libdir; do expect "$form$name" "$lib" "$("$mpicc" "$form$name")"; done
    for name in libs lib; do expect "$form$name" mpi_abi "$("$mpicc" "$form$name")"; done
    expect "${form}command" "$cc" "$("$mpicc" "${form}command")"
    expect "${form}version" "$("$mpicc" -showme:version)" "$("$mpicc" "${form}version")"
    expect "${form}help" "$("$mpicc" -help)" "$("$mpicc" "${form}help")"
  done
  for form in -compile_info -compile-info --compile_info --compile-info; do
    expect "$form" "$cc -I$inc" "$("$mpicc" $form)"
  done
  for form in -link_info -link-info --link_info --link-info; do
    expect "$form" "$cc $flags" "$("$mpicc" $form)"
  done
  for form in -showme:nonsense -show:nonsense -show_env -showme:compile_info --shows --show: -show=link -showlink; do
    status=0
    words=$("$mpicc" "$form" "$tmp/program.c" 2>&1) || status=$?
    expect "the status of $form" 2 $status
    expect_has "$form" "$form is not known; known are -show, -showme:WHAT" "$words"
  done
  expect_has "-showme:version" "mpicc: Remit " "$("$mpicc" -showme:version)"
  expect_has "-showme:version" "(Language: C++)" "$("$1/mpicxx" -showme:version)"
  expect_has "-help" "-showme:WHAT" "$("$mpicc" -help)"
  # Scripts know a compiler by its --help.
  # shellcheck disable=SC2086
  expect "--help" "$($cc --help)

$("$mpicc" -help)" "$("$mpicc" --help)"
  expect_has "-showme:help" "-cc=COMPILER" "$("$mpicc" -showme:help)"
  expect_has "-v" "mpicc for Remit " "$("$mpicc" -v 2>/dev/null)"
  expect "-cc=" some-cc "$("$mpicc" -cc=some-cc -showme:command)"
  expect "MPI_CC" other-cc "$(MPI_CC=other-cc "$mpicc" -showme:command)"
  expect "-cc= before MPI_CC" some-cc "$(MPI_CC=other-cc "$mpicc" -cc=some-cc -showme:command)"
  expect "-cxx=" some-cxx "$("$1/mpicxx" -cxx=some-cxx -showme:command)"
  expect "MPI_CXX" "other cxx" "$(MPI_CXX='other cxx' "$1/mpicxx" -showme:command)"
  expect "mpic++" "$("$1/mpicxx" -show)" "$("$1/mpic++" -show)"
  expect "mpicc_abi" "$("$mpicc" -show)" "$("$1/mpicc_abi" -show)"
  expect "mpicxx_abi" "$("$1/mpicxx" -show)" "$("$1/mpicxx_abi" -show)"
  expect "-norpath" "-L$lib -lmpi_abi" "$("$mpicc" -norpath -showme:link)"
  expect "MPI_RPATH=no" "-L$lib -lmpi_abi" "$(MPI_RPATH=no "$mpicc" -showme:link)"
  default="-L$lib -lmpi_abi"
  if grep -q '^WRAPPER_RPATH = yes' Makefile; then default=$flags; fi
  expect "the default of configure" "$default" "$(unset MPI_RPATH && "$mpicc" -showme:link)"
}

# What was set for the wrappers of other MPIs; $1 to $3 as above.
check_environment() {
  mpicc=$1/mpicc inc=$2 lib=$3
  cc=$("$mpicc" -showme:command) cxx=$("$1/mpicxx" -showme:command)
  for mpi in OMPI MPICH I_MPI; do
    expect "${mpi}_CC" other-cc "$(env ${mpi}_CC=other-cc "$mpicc" -showme:command 2>&1)"
    expect "${mpi}_CXX" "other cxx" "$(env ${mpi}_CXX='other cxx' "$1/mpicxx" -showme:command 2>&1)"
    expect "${mpi}_CC for C++" "$cxx" "$(env ${mpi}_CC=other-cc "$1/mpicxx" -showme:command 2>&1)"
    expect "MPI_CC before ${mpi}_CC" own-cc "$(env ${mpi}_CC=other-cc MPI_CC=own-cc "$mpicc" -showme:command)"
    expect "-cc= before ${mpi}_CC" some-cc "$(env ${mpi}_CC=other-cc "$mpicc" -cc=some-cc -showme:command)"
  done
  expect "OMPI_CC before MPICH_CC" one "$(OMPI_CC=one MPICH_CC=two I_MPI_CC=three "$mpicc" -showme:command)"
  expect "OMPI_*FLAGS of C" "$cc -I$inc -DA -O1 a.c -L$lib -Lx -lmpi_abi -ly" \
    "$(OMPI_CPPFLAGS=-DA OMPI_CFLAGS=-O1 OMPI_CXXFLAGS=-O2 OMPI_LDFLAGS=-Lx OMPI_LIBS=-ly \
      "$mpicc" -norpath -show a.c)"
  expect "I_MPI_*FLAGS of C++" "$cxx -I$inc -O2 a.cpp -L$lib -Lx -lmpi_abi -ly" \
    "$(I_MPI_CFLAGS=-O1 I_MPI_CXXFLAGS=-O2 I_MPI_LDFLAGS=-Lx I_MPI_OTHERLIBS=-ly \
      "$1/mpicxx" -norpath -show a.cpp)"
  expect "OMPI_CFLAGS and -showme:compile" "-I$inc -DA -O1" \
    "$(OMPI_CPPFLAGS=-DA OMPI_CFLAGS=-O1 "$mpicc" -showme:compile 2>&1)"
  expect "OMPI_LDFLAGS and -showme:link" "-L$lib -Lx -lmpi_abi" \
    "$(OMPI_CPPFLAGS=-DA OMPI_LDFLAGS=-Lx "$mpicc" -norpath -showme:link 2>&1)"
  # The note, where something is compiled: not in a check of Autoconf, which may take it for a failure.
  cp "$tmp/program.c" "$tmp/conftest.c"
  note="mpicc: note: uses OMPI_CC=$cc OMPI_CFLAGS=-O1 from the environment"
  expect "the note" "$note" \
    "$(OMPI_CC=$cc OMPI_CFLAGS=-O1 "$mpicc" -c "$tmp/program.c" -o "$tmp/noted.o" 2>&1)"
  expect "no note for MPI_CC" "" "$(MPI_CC=$cc "$mpicc" -c "$tmp/program.c" -o "$tmp/noted.o" 2>&1)"
  expect "no note for conftest.c" "" \
    "$(OMPI_CC=$cc "$mpicc" -c "$tmp/conftest.c" -o "$tmp/conftest.o" 2>&1)"
  expect "no note without files" "$($cc -dumpmachine)" "$(OMPI_CC=$cc "$mpicc" -dumpmachine 2>&1)"
  expect_has "a wrapper that calls itself" "calls itself: the compiler to call ($mpicc) is a wrapper" \
    "$(OMPI_CC=$mpicc timeout 20 "$mpicc" -c "$tmp/conftest.c" -o "$tmp/conftest.o" 2>&1 || true)"
}

# Fortran, where there is a compiler for it; $1 is the folder of the wrappers, $2 and $3 where mpif.h and
# the libraries must be.
fc=$(sed -n 's/^FC = //p' Makefile)
# Fortran's compiler would link another run-time library of the sanitizers.
if grep -q '^REMIT_SANITIZE = .*-fsanitize' Makefile; then fc=no; fi
check_fortran() {
  [ "$fc" != no ] || return 0
  mpifort=$1/mpifort inc=$2 lib=$3
  modules=$("$mpifort" -showme:incdirs)
  # A build outside of an unpacked source package names the same folder by another way to it.
  [ ! "${modules%% *}" -ef "$inc" ] || inc=${modules%% *}
  modules=${modules#"$inc "}
  expect "the modules" yes "$([ -f "$modules/mpi_f08.mod" ] && echo yes || echo no)"
  for option in -mpif-external -fallow-argument-mismatch -std=legacy; do
    without=$("$mpifort" $option -showme:incdirs)
    without=${without%% *}
    expect "mpif.h with $option" 0 "$(grep -ci interface "$without/mpif.h")"
    expect_has "compiling with $option" "-I$without " "$("$mpifort" $option -show -c a.f90)"
    expect "a C compiler with $option" "$("$1/mpicc" -showme:incdirs)" "$("$1/mpicc" $option -showme:incdirs)"
  done
  if [ $plain = yes ]; then
    flags="-L$lib -lmpifort_abi -lmpi_abi -L$modules -lremit_types"
    expect "mpifort -show" "$fc -I$modules -I$inc a.f90 $flags" "$("$mpifort" -norpath -show a.f90)"
    expect "mpifort -showme:link" "$flags" "$("$mpifort" -norpath -showme:link)"
    expect "mpifort -showme:libs" "mpifort_abi mpi_abi" "$("$mpifort" -showme:libs)"
    expect "mpif90 -show" "$("$mpifort" -show)" "$("$1/mpif90" -show)"
    expect "mpif77 -show" "$("$mpifort" -show)" "$("$1/mpif77" -show)"
    expect "-fc=" some-fc "$("$mpifort" -fc=some-fc -showme:command 2>/dev/null)"
    expect "MPI_FC" other-fc "$(MPI_FC=other-fc "$mpifort" -showme:command 2>/dev/null)"
    expect "MPICH_FC" other-fc "$(MPICH_FC=other-fc "$mpifort" -showme:command 2>/dev/null)"
  fi
  printf 'program p\n  use mpi_f08\n  integer :: a, b\n  call MPI_Abi_get_version(a, b)\n  print "(i0, a, i0)", a, ".", b\nend\n' \
    >"$tmp/program.f90"
  "$mpifort" "$tmp/program.f90" -o "$tmp/fortran_program"
  expect "a Fortran program" 1.0 "$("$tmp/fortran_program")"
  printf '#!/bin/sh\ncase $1 in --version) echo "flang version 99.1" ;; *) exit 1 ;; esac\n' >"$tmp/flang-99"
  chmod +x "$tmp/flang-99"
  expect_has "a compiler without modules" "make them by: $mpifort -fc='$tmp/flang-99' -make-modules" \
    "$("$mpifort" -fc="$tmp/flang-99" "$tmp/program.f90" 2>&1 || true)"
  "$mpifort" -modules="$tmp/modules" -make-modules >/dev/null
  "$mpifort" -modules="$tmp/modules" "$tmp/program.f90" -o "$tmp/fortran_program"
  expect "modules elsewhere" 1.0 "$("$tmp/fortran_program")"
  rm -rf "$tmp/modules"
}

# Compiles, links and runs C and C++; $1 is the folder of the wrappers.
check_compiling() {
  "$1/mpicc" "$tmp/program.c" -o "$tmp/c_program"
  expect "mpicc in one step" "hello 1.0 Remit" "$("$tmp/c_program")"
  "$1/mpicxx" "$tmp/program.cpp" -o "$tmp/cxx_program"
  expect "mpicxx in one step" "hello 1.0 Remit" "$("$tmp/cxx_program")"
  "$1/mpicc" -c '-DGREETING="it'\''s $HOME; two  words"' "$tmp/program.c" -o "$tmp/program.o"
  "$1/mpicc" "$tmp/program.o" -o "$tmp/a program"
  expect "spaces and quotes" "it's \$HOME; two  words 1.0 Remit" "$("$tmp/a program")"
  expect "MPI dependencies" libmpi_abi.so.1 \
    "$(readelf -d "$tmp/a program" | sed -n 's/.*(NEEDED).*\[\(lib[mp].*\)\]/\1/p' | grep -v '^libm\.')"
  expect_has "-E" MPI_Abi_get_version "$("$1/mpicc" -E "$tmp/program.c")"
  "$1/mpicc" --version >"$tmp/version"
  "$1/mpicc" -norpath "$tmp/program.o" -o "$tmp/no_rpath"
  expect "-norpath" "" "$(readelf -d "$tmp/no_rpath" | grep -E 'R(UN)?PATH' || true)"
}

# A sanitizer's flags are in every printed line; then only what runs is checked.
sanitize=$(sed -n 's/^REMIT_SANITIZE = //p' Makefile)
plain=yes
if [ -n "$sanitize" ]; then plain=no; fi

echo "1. in the build folder"
if [ $plain = yes ]; then
  check_printing "$build/bin" "$srcdir/include" "$build/.libs"
  check_environment "$build/bin" "$srcdir/include" "$build/.libs"
fi
check_compiling "$build/bin"
generated=$build
[ -f "$generated/bindings/generated/fortran/mpif.h" ] || generated=$srcdir
check_fortran "$build/bin" "$generated/bindings/generated/fortran" "$build/.libs"

echo "2. installed, staged by DESTDIR"
stage=$tmp/stage
MAKEFLAGS='' ${MAKE:-make} -s install-libLTLIBRARIES install-abi-links install-includeHEADERS \
  install-binSCRIPTS install-pkgconfigDATA install-nodist_includeHEADERS install-nodist_fortranDATA \
  install-nodist_fortranplainDATA install-nodist_fortranexternalDATA install-fortran-modules \
  "DESTDIR=$stage" >"$tmp/install.log" 2>&1 ||
  { cat "$tmp/install.log"; exit 1; }
bin=$(dirname "$(find "$stage" -name mpicc)")
lib=$(dirname "$(find "$stage" -name libmpi_abi.so.1)")
inc=$(dirname "$(find "$stage" -name mpi.h)")
for link in libmpi_abi.so libmpi_abi.so.0 libmpi.so; do
  expect "$link" "$lib/libmpi_abi.so.1.0.0" "$(readlink -f "$lib/$link")"
done
expect "what libtool passes on" "dependency_libs=''" "$(grep '^dependency_libs=' "$lib/libmpi_abi.la")"
if [ $plain = yes ]; then check_printing "$bin" "$inc" "$lib"; fi
check_compiling "$bin"
check_fortran "$bin" "$inc" "$lib"
expect_lacks "the installed mpicc" "$build" "$(cat "$bin/mpicc")"

echo "3. moved elsewhere as a whole: to a folder with a space, then called through links"
mv "${bin%/bin}" "$tmp/a folder"
if [ $plain = yes ]; then
  expect "quoting" "'-I$tmp/a folder/include'" "$("$tmp/a folder/bin/mpicc" -showme:compile)"
fi
check_compiling "$tmp/a folder/bin"
[ "$fc" = no ] || { "$tmp/a folder/bin/mpifort" "$tmp/program.f90" -o "$tmp/fortran_program" &&
  expect "Fortran in a folder with a space" 1.0 "$("$tmp/fortran_program")"; }
moved=$tmp/moved
mv "$tmp/a folder" "$moved"
lib=$(dirname "$(find "$moved" -name libmpi_abi.so.1)")
mkdir "$tmp/links"
for name in mpicc mpicxx mpic++ mpicc_abi mpicxx_abi mpifort mpif90 mpif77; do
  ln -s "$moved/bin/$name" "$tmp/links/$name"
done
if [ $plain = yes ]; then
  check_printing "$moved/bin" "$moved/include" "$lib"
  check_printing "$tmp/links" "$moved/include" "$lib"
fi
plain_path=$PATH
PATH=$tmp/links:$PATH
export PATH
if [ $plain = yes ]; then
  expect "found by PATH" "-I$moved/include" "$(mpicc -showme:compile)"
fi

echo "4. pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$moved" -name mpi-c.pc)")
export PKG_CONFIG_PATH
for pair in "mpi-c $tmp/program.c" "mpi-cxx $tmp/program.cpp" "remit $tmp/program.c"; do
  package=${pair%% *}
  case $pair in *.cpp) compiler=$(mpicxx -showme:command) ;; *) compiler=$(mpicc -showme:command) ;; esac
  flags=$(pkg-config --define-variable=includedir="$moved/include" \
    --define-variable=libdir="$lib" --cflags --libs "$package")
  # shellcheck disable=SC2086
  $compiler $sanitize "${pair#* }" $flags -o "$tmp/by_pkg_config"
  expect "a program by $package" "hello 1.0 Remit" \
    "$(LD_LIBRARY_PATH=$lib "$tmp/by_pkg_config")"
done
expect "the version of mpi-c" 5.0 "$(pkg-config --modversion mpi-c)"
if [ "$fc" != no ]; then
  flags=$(pkg-config --define-variable=includedir="$moved/include" \
    --define-variable=libdir="$lib" --cflags --libs mpi-fort)
  # shellcheck disable=SC2086
  $fc $sanitize "$tmp/program.f90" $flags -o "$tmp/by_pkg_config"
  expect "a program by mpi-fort" 1.0 "$(LD_LIBRARY_PATH=$lib "$tmp/by_pkg_config")"
fi

# A project of C and Fortran finds Remit for both, though another MPI comes behind it in PATH and by
# pkg-config.
check_cmake_fortran() {
  [ "$fc" != no ] || return 0
  other=$tmp/other_mpi
  mkdir -p "$tmp/fortran" "$other/bin"
  printf '#!/bin/sh\ncase $1 in -showme:*) echo "-I%s -L%s -lother_mpi" ;; *) exit 1 ;; esac\n' \
    "$other" "$other" >"$other/bin/mpif90"
  chmod +x "$other/bin/mpif90"
  cp "$tmp/program.f90" "$tmp/program.c" "$tmp/fortran"
  cat >"$tmp/fortran/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(find_mpi C Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
add_executable(fortran_program program.f90)
target_link_libraries(fortran_program MPI::MPI_Fortran)
add_executable(c_program program.c)
target_link_libraries(c_program MPI::MPI_C)
message(STATUS "C: ${MPI_C_LIBRARIES}")
message(STATUS "Fortran: ${MPI_Fortran_LIBRARIES}, ${MPI_Fortran_HAVE_F77_HEADER} \
${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE}")
END
  log=$tmp/cmake_fortran.log
  FC=$fc PATH=$moved/bin:$other/bin:$plain_path FFLAGS=$sanitize \
    cmake -S "$tmp/fortran" -B "$tmp/fortran/build" >"$log" 2>&1 &&
    cmake --build "$tmp/fortran/build" >>"$log" 2>&1 || { cat "$log"; failures=$((failures + 1)); }
  expect_has "C beside Fortran" "C: $lib/libmpi_abi.so" "$(cat "$log")"
  expect_has "Fortran" "Fortran: $lib/libmpifort_abi.so;$lib/libmpi_abi.so" "$(cat "$log")"
  expect_has "all interfaces" "TRUE TRUE TRUE" "$(grep 'Fortran:' "$log")"
  expect "CMake's Fortran program" 1.0 "$("$tmp/fortran/build/fortran_program")"
}

echo "5. CMake's find_package(MPI)"
if command -v cmake >/dev/null; then
  mkdir "$tmp/project"
  cp "$tmp/program.c" "$tmp/program.cpp" "$tmp/project"
  cat >"$tmp/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(find_mpi C CXX)
find_package(MPI 5.0 REQUIRED COMPONENTS C CXX)
add_executable(c_program program.c)
target_link_libraries(c_program MPI::MPI_C)
add_executable(cxx_program program.cpp)
target_link_libraries(cxx_program MPI::MPI_CXX)
message(STATUS "C library: ${MPI_C_LIBRARIES}")
END
  # FindMPI looks for mpiexec first, and for the compilers beside it. The launcher has tests of its
  # own, and is not installed here.
  printf '#!/bin/sh\nexit 1\n' >"$moved/bin/mpiexec"
  chmod +x "$moved/bin/mpiexec"
  CFLAGS=$sanitize CXXFLAGS=$sanitize
  export CFLAGS CXXFLAGS
  # Another compiler may not know the sanitizers' options.
  if [ -n "$sanitize" ]; then
    CC=$(mpicc -showme:command) CXX=$(mpicxx -showme:command)
    export CC CXX
  fi
  PATH=$plain_path cmake -S "$tmp/project" -B "$tmp/project/build" -DMPI_HOME="$moved" \
    >"$tmp/cmake.log" 2>&1 &&
    cmake --build "$tmp/project/build" >>"$tmp/cmake.log" 2>&1 ||
    { cat "$tmp/cmake.log"; failures=$((failures + 1)); }
  expect_has "what CMake found" "C library: $lib/libmpi_abi.so" "$(cat "$tmp/cmake.log")"
  for program in c_program cxx_program; do
    expect "CMake's $program" "hello 1.0 Remit" "$("$tmp/project/build/$program")"
    expect_has "its library" "$lib/libmpi_abi.so.1" "$(ldd "$tmp/project/build/$program")"
  done
  PATH=$moved/bin:$PATH cmake -S "$tmp/project" -B "$tmp/project/by_path" >"$tmp/cmake2.log" 2>&1 ||
    { cat "$tmp/cmake2.log"; failures=$((failures + 1)); }
  expect_has "what CMake found by PATH" "C library: $lib/libmpi_abi.so" "$(cat "$tmp/cmake2.log")"
  check_cmake_fortran
else
  echo "   left out: no cmake here (apt-get install cmake)"
fi

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all as wanted"
