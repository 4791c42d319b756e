dnl Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
dnl wrapper_files.m4: makes the compiler wrappers, from a template that goes by its name, and the pkg-config
dnl files. bin/ works in the build folder as it does when installed.

dnl What the wrappers call: this build's compilers, without the builder's ccache.
AC_SUBST([WRAPPER_CC], [`AS_ECHO(["$CC"]) | sed 's|^[[^ ]]*ccache  *||'`])
AC_SUBST([WRAPPER_CXX], [`AS_ECHO(["$CXX"]) | sed 's|^[[^ ]]*ccache  *||'`])
AC_SUBST([WRAPPER_FC], [`AS_ECHO(["$REMIT_FC"]) | sed 's|^[[^ ]]*ccache  *||'`])

AC_CONFIG_FILES([bin/mpicc:bindings/wrappers/wrapper.in
                 bin/mpicxx:bindings/wrappers/wrapper.in
                 bin/mpic++:bindings/wrappers/wrapper.in
                 bin/mpicc_abi:bindings/wrappers/wrapper.in
                 bin/mpicxx_abi:bindings/wrappers/wrapper.in
                 bin/mpifort:bindings/wrappers/wrapper.in
                 bin/mpif90:bindings/wrappers/wrapper.in
                 bin/mpif77:bindings/wrappers/wrapper.in],
                [chmod +x "$ac_file"])
AC_CONFIG_FILES([bindings/wrappers/mpi-c.pc
                 bindings/wrappers/mpi-cxx.pc
                 bindings/wrappers/mpi-fort.pc
                 bindings/wrappers/remit.pc])
