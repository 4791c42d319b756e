# The ABI: the header against its tables, in C and in C++, and what the library exports.
ABI_TABLES = tests/unit/abi/constants.tsv tests/unit/abi/types.tsv tests/unit/abi/functions.tsv \
	tests/unit/abi/fint.tsv
EXTRA_DIST += $(ABI_TABLES) tests/unit/bindings_abi.awk \
	tests/mpi/profile_tool.c tests/mpi/profile_program.c \
	tests/unit/bindings_fint_program.c tests/unit/bindings_fint_sentinels.c

bindings_abi_programs = bindings_abi_c bindings_abi_cxx bindings_fint_c bindings_fint_cxx
check_PROGRAMS += $(bindings_abi_programs)
TESTS += $(bindings_abi_programs)
nodist_bindings_abi_c_SOURCES = tests/unit/bindings_abi_c.c
bindings_abi_c_CFLAGS = $(AM_CFLAGS) -std=c11
nodist_bindings_abi_cxx_SOURCES = tests/unit/bindings_abi_cxx.cpp
nodist_bindings_fint_c_SOURCES = tests/unit/bindings_fint_c.c
bindings_fint_c_CFLAGS = $(AM_CFLAGS) -std=c11
nodist_bindings_fint_cxx_SOURCES = tests/unit/bindings_fint_cxx.cpp
CLEANFILES += tests/unit/bindings_abi_c.c tests/unit/bindings_abi_cxx.cpp \
	tests/unit/bindings_fint_c.c tests/unit/bindings_fint_cxx.cpp

# $(1) is the language; $(2), whether mpi_fint.h is examined; $(3), its table.
make_abi_test = $(MKDIR_P) tests/unit && cd $(srcdir)/tests/unit && \
	$(AWK) -v lang=$(1) -v fint=$(2) -f bindings_abi.awk \
	abi/constants.tsv abi/types.tsv abi/functions.tsv $(3)
abi_test_sources = $(ABI_TABLES) tests/unit/bindings_abi.awk
tests/unit/bindings_abi_c.c: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c,no)) >$@.tmp && mv $@.tmp $@
tests/unit/bindings_abi_cxx.cpp: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c++,no)) >$@.tmp && mv $@.tmp $@
tests/unit/bindings_fint_c.c: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c,yes,abi/fint.tsv)) >$@.tmp && mv $@.tmp $@
tests/unit/bindings_fint_cxx.cpp: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c++,yes,abi/fint.tsv)) >$@.tmp && mv $@.tmp $@

# remit_info
check_PROGRAMS += bindings_info_test
TESTS += bindings_info_test
bindings_info_test_SOURCES = tests/unit/bindings_info_test.cpp \
	programs/info_report.cpp programs/info_report.hpp
bindings_info_test_CPPFLAGS = $(UNIT_CPPFLAGS)
bindings_info_test_LDADD = libcollectives.la $(UNIT_LIBS)

check_PROGRAMS += bindings_handle_int
TESTS += bindings_handle_int
bindings_handle_int_SOURCES = tests/unit/bindings_handle_int.c
bindings_handle_int_LDADD = libmpi_abi.la -ldl
check_PROGRAMS += bindings_handle_int_threads
TESTS += bindings_handle_int_threads
bindings_handle_int_threads_SOURCES = tests/unit/bindings_handle_int_threads.c
bindings_handle_int_threads_LDADD = libmpi_abi.la -lpthread

# Scripts: they run in the top build folder and find the sources by $srcdir.
bindings_scripts = \
	tests/mpi/profile_tool.sh \
	tests/unit/bindings_abi_names.sh \
	tests/unit/bindings_conformance.sh \
	tests/unit/bindings_fint.sh \
	tests/unit/bindings_remit_info.sh \
	tests/unit/bindings_symbols.sh \
	tests/unit/bindings_wrappers.sh \
	tests/unit/check_exceptions \
	tests/unit/check_includes
dist_check_SCRIPTS += $(bindings_scripts)
TESTS += $(bindings_scripts)

# The lock of MPI_THREAD_MULTIPLE
check_PROGRAMS += bindings_lock_test
TESTS += bindings_lock_test
bindings_lock_test_SOURCES = tests/unit/bindings_lock_test.cpp bindings/mpi_lock.hpp \
	bindings/process/presence.hpp
bindings_lock_test_CPPFLAGS = $(UNIT_CPPFLAGS)
bindings_lock_test_LDADD = $(UNIT_LIBS) -lpthread

# New numbers for the processes of a topology
check_PROGRAMS += bindings_reorder_test
TESTS += bindings_reorder_test
bindings_reorder_test_SOURCES = tests/unit/bindings_reorder_test.cpp \
	communicators/reorder.cpp communicators/reorder.hpp \
	communicators/virtual_topology.cpp communicators/virtual_topology.hpp
bindings_reorder_test_CPPFLAGS = $(UNIT_CPPFLAGS)
bindings_reorder_test_LDADD = libruntime.la $(UNIT_LIBS)

# Windows and files before anything can make them: the test makes the objects.
check_PROGRAMS += bindings_handled_test
TESTS += bindings_handled_test
bindings_handled_test_SOURCES = tests/unit/bindings_handled_test.cpp bindings/objects.hpp
bindings_handled_test_CPPFLAGS = $(UNIT_CPPFLAGS)
bindings_handled_test_LDADD = libmpi_abi.la libcollectives.la $(UNIT_LIBS)

# Exceptions at the boundary of C, in a program in C++.
check_PROGRAMS += bindings_caught_test
TESTS += bindings_caught_test
bindings_caught_test_SOURCES = tests/unit/bindings_caught_test.cpp
bindings_caught_test_CPPFLAGS = $(UNIT_CPPFLAGS)
bindings_caught_test_LDADD = libmpi_abi.la $(UNIT_LIBS)
