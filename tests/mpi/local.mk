# Programs under mpirun. One test is one list of runs (tests/mpi/runs), which names its programs, ranks
# and variables.
# .py, too, for else there would be no rule for tests that are named on the command line only.
TEST_EXTENSIONS = .mpi .py
MPI_LOG_COMPILER = $(srcdir)/tests/mpi/run_mpi.sh
PY_LOG_COMPILER = $(LOG_COMPILER)
AM_PY_LOG_FLAGS = $(AM_LOG_FLAGS)

# A new test is a line here: a program, whose source is NAME.c, or a list of runs.
mpi_programs = \
	tests/mpi/buffers \
	tests/mpi/coll \
	tests/mpi/coll_forms \
	tests/mpi/coll_huge \
	tests/mpi/coll_random \
	tests/mpi/coll_reduce \
	tests/mpi/coll_sums \
	tests/mpi/comm \
	tests/mpi/cut_short \
	tests/mpi/environment \
	tests/mpi/errors \
	tests/mpi/file_atomic \
	tests/mpi/file_datareps \
	tests/mpi/file_deaths \
	tests/mpi/file_errors \
	tests/mpi/file_kinds \
	tests/mpi/file_memory \
	tests/mpi/file_modes \
	tests/mpi/file_nonblocking \
	tests/mpi/file_progress \
	tests/mpi/file_random \
	tests/mpi/file_refused \
	tests/mpi/file_shared \
	tests/mpi/file_staged \
	tests/mpi/file_threads \
	tests/mpi/file_views \
	tests/mpi/fork \
	tests/mpi/fortran_callbacks \
	tests/mpi/fortran_sections \
	tests/mpi/freed_arrays \
	tests/mpi/garbage_counts \
	tests/mpi/intercomm \
	tests/mpi/intercomm_coll \
	tests/mpi/intercomm_random \
	tests/mpi/kept_session \
	tests/mpi/large_forms \
	tests/mpi/late_session \
	tests/mpi/logicals \
	tests/mpi/memory \
	tests/mpi/neighbors \
	tests/mpi/new_comms \
	tests/mpi/nonblocking \
	tests/mpi/partitioned \
	tests/mpi/ports \
	tests/mpi/progress \
	tests/mpi/pt2pt \
	tests/mpi/queries \
	tests/mpi/reduce_ops \
	tests/mpi/requests \
	tests/mpi/rma_arguments \
	tests/mpi/rma_at_once \
	tests/mpi/rma_attributes \
	tests/mpi/rma_basic \
	tests/mpi/rma_notify \
	tests/mpi/rma_passive \
	tests/mpi/rma_random \
	tests/mpi/rma_requests \
	tests/mpi/rma_sync \
	tests/mpi/rma_threads \
	tests/mpi/rma_types \
	tests/mpi/rma_unfreed \
	tests/mpi/session \
	tests/mpi/spawn \
	tests/mpi/stress \
	tests/mpi/threads \
	tests/mpi/tool_events \
	tests/mpi/tool_sessions \
	tests/mpi/tool_threads \
	tests/mpi/tool_variables \
	tests/mpi/topology \
	tests/mpi/type_contents \
	tests/mpi/type_kinds \
	tests/mpi/type_large \
	tests/mpi/types \
	tests/mpi/wakeups \
	tests/mpi/window_deaths \
	tests/mpi/window_ways \
	tests/mpi/wrong_arguments
mpi_runs = \
	tests/mpi/runs/arguments.mpi \
	tests/mpi/runs/benchmarks.mpi \
	tests/mpi/runs/buffers.mpi \
	tests/mpi/runs/coll.mpi \
	tests/mpi/runs/coll_random.mpi \
	tests/mpi/runs/coll_reduce.mpi \
	tests/mpi/runs/comm.mpi \
	tests/mpi/runs/environment.mpi \
	tests/mpi/runs/errors.mpi \
	tests/mpi/runs/examples.mpi \
	tests/mpi/runs/files.mpi \
	tests/mpi/runs/fork.mpi \
	tests/mpi/runs/fortran.mpi \
	tests/mpi/runs/freed_arrays.mpi \
	tests/mpi/runs/garbage_counts.mpi \
	tests/mpi/runs/intercomm.mpi \
	tests/mpi/runs/logicals.mpi \
	tests/mpi/runs/memory.mpi \
	tests/mpi/runs/neighbors.mpi \
	tests/mpi/runs/new_comms.mpi \
	tests/mpi/runs/nonblocking.mpi \
	tests/mpi/runs/partitioned.mpi \
	tests/mpi/runs/paths_pt2pt.mpi \
	tests/mpi/runs/paths_stress.mpi \
	tests/mpi/runs/ports.mpi \
	tests/mpi/runs/programs.mpi \
	tests/mpi/runs/progress.mpi \
	tests/mpi/runs/pt2pt.mpi \
	tests/mpi/runs/reduce_ops.mpi \
	tests/mpi/runs/requests.mpi \
	tests/mpi/runs/rma.mpi \
	tests/mpi/runs/rma_notify.mpi \
	tests/mpi/runs/rma_passive.mpi \
	tests/mpi/runs/rma_random.mpi \
	tests/mpi/runs/rma_threads.mpi \
	tests/mpi/runs/session.mpi \
	tests/mpi/runs/spawn.mpi \
	tests/mpi/runs/stress.mpi \
	tests/mpi/runs/threads.mpi \
	tests/mpi/runs/tool.mpi \
	tests/mpi/runs/topology.mpi \
	tests/mpi/runs/type_contents.mpi \
	tests/mpi/runs/types.mpi \
	tests/mpi/runs/wakeups.mpi
mpi_scripts = \
	tests/mpi/benchmarks.py \
	tests/mpi/coll_algorithms.py \
	tests/mpi/coll_table.sh \
	tests/mpi/copy_trap.sh \
	tests/mpi/cut_short.py \
	tests/mpi/errors.sh \
	tests/mpi/file_deaths.py \
	tests/mpi/fortran_descriptors.sh \
	tests/mpi/host_facts.sh \
	tests/mpi/notified_examples.py \
	tests/mpi/ofi.sh \
	tests/mpi/tcp.sh \
	tests/mpi/window_deaths.py \
	tests/mpi/window_ways.sh

if TESTS_ENABLED
check_PROGRAMS += $(mpi_programs)
tests_mpi_coll_sums_LDADD = $(LDADD) -lm
# What Fortran's routines stand on, in C++ and without a Fortran compiler.
tests_mpi_fortran_callbacks_SOURCES = tests/mpi/fortran_callbacks.cpp
tests_mpi_fortran_callbacks_LDADD = libfortran_parts.la $(LDADD)
tests_mpi_fortran_sections_SOURCES = tests/mpi/fortran_sections.cpp tests/mpi/fortran_arrays.hpp
tests_mpi_fortran_sections_LDADD = libfortran_parts.la $(LDADD)
TESTS += $(mpi_runs) $(mpi_scripts)

# The tests of this folder alone.
check-mpi:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(mpi_runs) $(mpi_scripts)'

# The whole product: each algorithm of each collective among 2 to 16 real ranks, and among 64 to 257
# virtual ones with every fault; and more elements than an int counts (10 GB of memory). About half an
# hour.
check-collectives: all tests/mpi/coll_huge tests/mpi/coll_random tests/mpi/coll_sums collectives_test \
		tests/unit/collectives/digest_engine tests/unit/collectives/digest_logp
	./mpirun -n 2 tests/mpi/coll_huge
	$(srcdir)/tests/mpi/coll_algorithms.py --all
	COLLECTIVES_ALL=yes ./collectives_test
	COLLECTIVES_DIGEST_ALL=yes $(srcdir)/tests/unit/collectives/digest.sh

# Millions of rounds, where the tests of every day have thousands: about ten minutes. ROUNDS=N for others.
ROUNDS = 1000000
check-wakeups: all tests/mpi/wakeups
	WAKEUPS_ROUNDS=$(ROUNDS) RUN_MPI_LIMIT=3600 RUN_MPI_VERBOSE=yes \
	  $(srcdir)/tests/mpi/run_mpi.sh $(srcdir)/tests/mpi/runs/wakeups.mpi
endif
# All runs of this folder with the counter of copies at slow distances.
check-trap: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	srcdir=$(srcdir) $(srcdir)/tests/mpi/copy_trap.sh all

.PHONY: check-trap check-collectives check-mpi check-soak check-wakeups
dist_check_SCRIPTS += tests/mpi/over_network.sh tests/mpi/run_mpi.sh $(mpi_scripts)
EXTRA_DIST += tests/mpi/trap_control.c tests/mpi/trap_counter.c tests/mpi/fortran_descriptors.cpp \
	tests/mpi/fortran_descriptors.f90
EXTRA_DIST += $(mpi_runs) tests/mpi/functions.py tests/mpi/check.h tests/mpi/check_threads.h tests/mpi/deaths.h tests/mpi/deaths.py tests/mpi/files.h tests/mpi/tool.h tests/mpi/survivor.h tests/mpi/forms.h tests/mpi/windows.h \
	tests/mpi/random_coll.h tests/mpi/two_groups.h
