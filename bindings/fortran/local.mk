# libmpifort_abi.so.1: Fortran's routines over any libmpi_abi, in C++ alone, so that one library serves
# every compiler. What compilers read is made beside it: modules and mpif.h (abi/fortran_modules.py).
lib_LTLIBRARIES += libmpifort_abi.la
fortran_sources = \
	bindings/fortran/entries.hpp \
	bindings/fortran/environment.cpp bindings/fortran/environment.hpp \
	bindings/fortran/fortran_only.cpp \
	bindings/fortran/marshal.cpp bindings/fortran/marshal.hpp \
	bindings/fortran/removed.cpp \
	bindings/fortran/sentinels.hpp \
	bindings/fortran/spawn.cpp bindings/fortran/spawn.hpp \
	bindings/fortran/strings.cpp bindings/fortran/strings.hpp
# The definitions of sentinels must not be seen beside their uses; c_names.cpp defines what others take
# from mpi_fint.h in line.
libmpifort_abi_la_SOURCES = bindings/fortran/sentinels.cpp bindings/fortran/c_names.cpp \
	$(fortran_entries)
fortran_groups = together/fortran-1.cpp
if TOGETHER
together += $(fortran_groups)
nodist_libmpifort_abi_la_SOURCES = $(fortran_groups)
else
libmpifort_abi_la_SOURCES += $(fortran_sources)
endif
# A tool that walks up the stack from MPI_X finds one frame of this library, then the program's line.
libmpifort_abi_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-omit-frame-pointer
libmpifort_abi_la_LIBADD = libfortran_parts.la libmpi_abi.la $(STATIC_LIBSTDCXX)
libmpifort_abi_la_LDFLAGS = -version-info 1:0:0 -no-undefined -Wl,-rpath,'$$ORIGIN' \
	-Wl,--version-script=$(srcdir)/bindings/fortran/exports.map -Wl,--as-needed
libmpifort_abi_la_DEPENDENCIES = libfortran_parts.la libmpi_abi.la bindings/fortran/exports.map
EXTRA_DIST += bindings/fortran/exports.map
if !SANITIZED
libmpifort_abi_la_LDFLAGS += -Wl,-z,defs
endif

# For programs: mpif.h beside mpi.h, the sources of the modules for every compiler that comes later.
nodist_include_HEADERS = bindings/generated/fortran/mpif.h
fortrandir = $(pkglibdir)/fortran/source
nodist_fortran_DATA = \
	bindings/generated/fortran/remit_mpi_types.f90 \
	bindings/generated/fortran/remit_mpi_base.f90 \
	bindings/generated/fortran/mpi.f90 \
	bindings/generated/fortran/mpi_f08.f90
fortranplaindir = $(fortrandir)/plain
nodist_fortranplain_DATA = \
	bindings/generated/fortran/plain/mpi.f90 \
	bindings/generated/fortran/plain/mpi_f08.f90
fortranexternaldir = $(fortrandir)/external
nodist_fortranexternal_DATA = bindings/generated/fortran/external/mpif.h

# The modules for the compiler that configure found, which the wrapper makes as it does later for others.
fortran/modules: $(nodist_fortran_DATA) $(nodist_fortranplain_DATA) config.status \
		bindings/wrappers/wrapper.in
	$(AM_V_GEN)$(MKDIR_P) fortran && bin/mpifort -make-modules >$@.tmp && mv $@.tmp $@
if FORTRAN
fortran_modules = fortran/modules
endif
all-local: $(fortran_modules)
install-data-hook: install-fortran-modules
install-fortran-modules: $(fortran_modules)
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)/fortran'
	for list in $(fortran_modules); do \
	  cp -R "`cat $$list`" '$(DESTDIR)$(pkglibdir)/fortran/' || exit 1; done
uninstall-hook: uninstall-fortran-modules
uninstall-fortran-modules:
	rm -rf '$(DESTDIR)$(pkglibdir)/fortran'
clean-local: clean-fortran-modules
clean-fortran-modules:
	rm -rf fortran
.PHONY: install-fortran-modules uninstall-fortran-modules clean-fortran-modules
