#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# bindings_wrappers.sh: mpicc and mpicxx in the build folder and installed, pkg-config, and a CMake
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

unset MPI_CC MPI_CXX
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
  expect "-showme:compile" "-I$inc" "$("$mpicc" -showme:compile)"
  expect "--showme:compile" "-I$inc" "$("$mpicc" --showme:compile)"
  expect "-showme:link" "$flags" "$("$mpicc" -showme:link)"
  expect "-showme:incdirs" "$inc" "$("$mpicc" -showme:incdirs)"
  expect "-showme:libdirs" "$lib" "$("$mpicc" -showme:libdirs)"
  expect "-showme:libs" mpi_abi "$("$mpicc" -showme:libs)"
  expect "-show-incdir" "$inc" "$("$mpicc" -show-incdir)"
  expect "-show-libdir" "$lib" "$("$mpicc" -show-libdir)"
  expect "-show-libs" mpi_abi "$("$mpicc" -show-libs)"
  for form in -compile_info -compile-info -show-compile-info; do
    expect "$form" "$cc -I$inc" "$("$mpicc" $form)"
  done
  for form in -link_info -link-info -show-link-info; do
    expect "$form" "$cc $flags" "$("$mpicc" $form)"
  done
  expect_has "-showme:version" "mpicc: Remit " "$("$mpicc" -showme:version)"
  expect_has "-showme:version" "(Language: C++)" "$("$1/mpicxx" -showme:version)"
  expect_has "-help" "-showme:WHAT" "$("$mpicc" -help)"
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
  if "$mpicc" -showme:nonsense >/dev/null 2>&1; then expect "-showme:nonsense" failure success; fi
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
if [ $plain = yes ]; then check_printing "$build/bin" "$srcdir/include" "$build/.libs"; fi
check_compiling "$build/bin"

echo "2. installed, staged by DESTDIR"
stage=$tmp/stage
MAKEFLAGS='' ${MAKE:-make} -s install-libLTLIBRARIES install-abi-links install-includeHEADERS \
  install-binSCRIPTS install-pkgconfigDATA "DESTDIR=$stage" >"$tmp/install.log" 2>&1 ||
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
expect_lacks "the installed mpicc" "$build" "$(cat "$bin/mpicc")"

echo "3. moved elsewhere as a whole: to a folder with a space, then called through links"
mv "${bin%/bin}" "$tmp/a folder"
if [ $plain = yes ]; then
  expect "quoting" "'-I$tmp/a folder/include'" "$("$tmp/a folder/bin/mpicc" -showme:compile)"
fi
check_compiling "$tmp/a folder/bin"
moved=$tmp/moved
mv "$tmp/a folder" "$moved"
lib=$(dirname "$(find "$moved" -name libmpi_abi.so.1)")
mkdir "$tmp/links"
for name in mpicc mpicxx mpic++ mpicc_abi mpicxx_abi; do
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
else
  echo "   left out: no cmake here (apt-get install cmake)"
fi

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all as wanted"
