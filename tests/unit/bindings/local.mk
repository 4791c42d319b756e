# The ABI: the header against its tables, in C and in C++, and what the library exports.
EXTRA_DIST += tests/unit/bindings/abi.awk \
	tests/mpi/profile_tool.c tests/mpi/profile_program.c \
	tests/unit/bindings/fint_program.c tests/unit/bindings/fint_sentinels.c

bindings_abi_programs = bindings_abi_c bindings_abi_cxx bindings_fint_c bindings_fint_cxx
unit_tests += $(bindings_abi_programs)
nodist_bindings_abi_c_SOURCES = tests/unit/bindings/abi_c.c
bindings_abi_c_CFLAGS = $(AM_CFLAGS) -std=c11
nodist_bindings_abi_cxx_SOURCES = tests/unit/bindings/abi_cxx.cpp
nodist_bindings_fint_c_SOURCES = tests/unit/bindings/fint_c.c
bindings_fint_c_CFLAGS = $(AM_CFLAGS) -std=c11
nodist_bindings_fint_cxx_SOURCES = tests/unit/bindings/fint_cxx.cpp
CLEANFILES += tests/unit/bindings/abi_c.c tests/unit/bindings/abi_cxx.cpp \
	tests/unit/bindings/fint_c.c tests/unit/bindings/fint_cxx.cpp

# $(1) is the language; $(2), whether mpi_fint.h is examined; $(3), its table.
make_abi_test = $(MKDIR_P) $(@D) && cd $(srcdir) && \
	$(AWK) -v lang=$(1) -v fint=$(2) -f tests/unit/bindings/abi.awk \
	abi/constants.tsv abi/types.tsv abi/functions.tsv $(3)
abi_test_sources = $(ABI_TABLES) tests/unit/bindings/abi.awk
tests/unit/bindings/abi_c.c: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c,no)) >$@.tmp && mv $@.tmp $@
tests/unit/bindings/abi_cxx.cpp: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c++,no)) >$@.tmp && mv $@.tmp $@
tests/unit/bindings/fint_c.c: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c,yes,abi/fint.tsv)) >$@.tmp && mv $@.tmp $@
tests/unit/bindings/fint_cxx.cpp: $(abi_test_sources)
	$(AM_V_GEN)($(call make_abi_test,c++,yes,abi/fint.tsv)) >$@.tmp && mv $@.tmp $@

unit_tests += bindings_handle_int bindings_handle_int_threads
bindings_handle_int_SOURCES = tests/unit/bindings/handle_int.c
bindings_handle_int_LDADD = $(LDADD) -ldl
bindings_handle_int_threads_SOURCES = tests/unit/bindings/handle_int_threads.c

unit_scripts += tests/mpi/profile_tool.sh tests/unit/bindings/fint.sh tests/unit/bindings/wrappers.sh

# The lock of MPI_THREAD_MULTIPLE
unit_tests += bindings_lock_test
bindings_lock_test_SOURCES = tests/unit/bindings/lock_test.cpp bindings/mpi_lock.hpp bindings/word_lock.hpp \
	bindings/process/call_guard.cpp bindings/process/call_guard.hpp bindings/process/presence.hpp
bindings_lock_test_CPPFLAGS = $(AM_CPPFLAGS)
bindings_lock_test_LDADD = libruntime.la $(UNIT_LIBS)

unit_tests += bindings_stores_test
bindings_stores_test_SOURCES = tests/unit/bindings/stores_test.cpp \
	bindings/pt2pt/request_store.cpp bindings/pt2pt/request_store.hpp \
	bindings/types/plain_types.cpp bindings/types/plain_types.hpp
bindings_stores_test_CPPFLAGS = $(AM_CPPFLAGS)
bindings_stores_test_LDADD = libcollectives.la $(UNIT_LIBS)

unit_tests += bindings_fortran_words_test
bindings_fortran_words_test_SOURCES = tests/unit/bindings/fortran_words_test.cpp \
	bindings/env/fortran_words.cpp bindings/env/fortran_words.hpp
bindings_fortran_words_test_CPPFLAGS = $(AM_CPPFLAGS)
bindings_fortran_words_test_LDADD = $(UNIT_LIBS) -ldl

# Windows and files before anything can make them: the test makes the objects.
unit_tests += bindings_handled_test
bindings_handled_test_SOURCES = tests/unit/bindings/handled_test.cpp bindings/objects.hpp
bindings_handled_test_LDADD = $(LDADD) libcollectives.la $(UNIT_LIBS)

# Exceptions at the boundary of C, in a program in C++.
unit_tests += bindings_caught_test
bindings_caught_test_SOURCES = tests/unit/bindings/caught_test.cpp
bindings_caught_test_LDADD = $(LDADD) $(UNIT_LIBS)
