# Programs under mpirun. One test is one list of runs (tests/mpi/runs), which names its programs, ranks
# and variables. The programs run in place (-no-install), without libtool's wrapper scripts.
# .py, too, for else there would be no rule for tests that are named on the command line only.
TEST_EXTENSIONS = .mpi .py
MPI_LOG_COMPILER = $(srcdir)/tests/mpi/run_mpi.sh
PY_LOG_COMPILER = $(LOG_COMPILER)
AM_PY_LOG_FLAGS = $(AM_LOG_FLAGS)

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
	tests/mpi/runs/fork.mpi \
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
	tests/mpi/runs/session.mpi \
	tests/mpi/runs/spawn.mpi \
	tests/mpi/runs/stress.mpi \
	tests/mpi/runs/threads.mpi \
	tests/mpi/runs/topology.mpi \
	tests/mpi/runs/type_contents.mpi \
	tests/mpi/runs/types.mpi \
	tests/mpi/runs/wakeups.mpi

mpi_scripts = tests/mpi/benchmarks.py tests/mpi/coll_algorithms.py tests/mpi/coll_table.sh \
	tests/mpi/copy_trap.sh tests/mpi/cut_short.py tests/mpi/errors.sh tests/mpi/host_facts.sh \
	tests/launcher/launch_options.sh tests/mpi/ofi.sh tests/mpi/tcp.sh

if TESTS_ENABLED
MPI_TEST_FLAGS = -no-install
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
	tests/mpi/fork \
	tests/mpi/freed_arrays \
	tests/mpi/garbage_counts \
	tests/mpi/intercomm \
	tests/mpi/intercomm_coll \
	tests/mpi/intercomm_random \
	tests/mpi/kept_session \
	tests/mpi/large_forms \
	tests/mpi/late_session \
	tests/launcher/launch_options \
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
	tests/mpi/session \
	tests/mpi/spawn \
	tests/mpi/stress \
	tests/launcher/stuck \
	tests/mpi/threads \
	tests/mpi/topology \
	tests/mpi/type_contents \
	tests/mpi/type_kinds \
	tests/mpi/type_large \
	tests/mpi/types \
	tests/mpi/unsupported \
	tests/mpi/wakeups \
	tests/mpi/wrong_arguments
check_PROGRAMS += $(mpi_programs)

tests_mpi_buffers_SOURCES = tests/mpi/buffers.c tests/mpi/check.h
tests_mpi_buffers_LDADD = libmpi_abi.la
tests_mpi_buffers_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_coll_SOURCES = tests/mpi/coll.c tests/mpi/forms.h tests/mpi/check.h
tests_mpi_coll_LDADD = libmpi_abi.la
tests_mpi_coll_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_coll_forms_SOURCES = tests/mpi/coll_forms.c tests/mpi/check.h
tests_mpi_coll_forms_LDADD = libmpi_abi.la
tests_mpi_coll_forms_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_coll_huge_SOURCES = tests/mpi/coll_huge.c tests/mpi/check.h
tests_mpi_coll_huge_LDADD = libmpi_abi.la
tests_mpi_coll_huge_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_coll_random_SOURCES = tests/mpi/coll_random.c tests/mpi/random_coll.h \
	tests/mpi/forms.h tests/mpi/check.h
tests_mpi_coll_random_LDADD = libmpi_abi.la
tests_mpi_coll_random_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_coll_reduce_SOURCES = tests/mpi/coll_reduce.c tests/mpi/forms.h tests/mpi/check.h
tests_mpi_coll_reduce_LDADD = libmpi_abi.la
tests_mpi_coll_reduce_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_coll_sums_SOURCES = tests/mpi/coll_sums.c tests/mpi/check.h
tests_mpi_coll_sums_LDADD = libmpi_abi.la -lm
tests_mpi_coll_sums_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_comm_SOURCES = tests/mpi/comm.c tests/mpi/check.h
tests_mpi_comm_LDADD = libmpi_abi.la
tests_mpi_comm_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_cut_short_SOURCES = tests/mpi/cut_short.c tests/mpi/check.h
tests_mpi_cut_short_LDADD = libmpi_abi.la -lpthread
tests_mpi_cut_short_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_environment_SOURCES = tests/mpi/environment.c tests/mpi/check.h
tests_mpi_environment_LDADD = libmpi_abi.la -lpthread
tests_mpi_environment_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_errors_SOURCES = tests/mpi/errors.c tests/mpi/check.h
tests_mpi_errors_LDADD = libmpi_abi.la
tests_mpi_errors_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_fork_SOURCES = tests/mpi/fork.c tests/mpi/check.h
tests_mpi_fork_LDADD = libmpi_abi.la
tests_mpi_fork_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_freed_arrays_SOURCES = tests/mpi/freed_arrays.c tests/mpi/two_groups.h \
	tests/mpi/forms.h tests/mpi/check.h
tests_mpi_freed_arrays_LDADD = libmpi_abi.la
tests_mpi_freed_arrays_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_garbage_counts_SOURCES = tests/mpi/garbage_counts.c tests/mpi/check.h
tests_mpi_garbage_counts_LDADD = libmpi_abi.la
tests_mpi_garbage_counts_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_intercomm_SOURCES = tests/mpi/intercomm.c tests/mpi/check.h
tests_mpi_intercomm_LDADD = libmpi_abi.la
tests_mpi_intercomm_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_intercomm_coll_SOURCES = tests/mpi/intercomm_coll.c tests/mpi/two_groups.h \
	tests/mpi/forms.h tests/mpi/check.h
tests_mpi_intercomm_coll_LDADD = libmpi_abi.la
tests_mpi_intercomm_coll_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_intercomm_random_SOURCES = tests/mpi/intercomm_random.c tests/mpi/random_coll.h \
	tests/mpi/two_groups.h tests/mpi/forms.h tests/mpi/check.h
tests_mpi_intercomm_random_LDADD = libmpi_abi.la
tests_mpi_intercomm_random_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_kept_session_SOURCES = tests/mpi/kept_session.c tests/mpi/check.h
tests_mpi_kept_session_LDADD = libmpi_abi.la
tests_mpi_kept_session_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_large_forms_SOURCES = tests/mpi/large_forms.c tests/mpi/check.h
tests_mpi_large_forms_LDADD = libmpi_abi.la
tests_mpi_large_forms_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_late_session_SOURCES = tests/mpi/late_session.c tests/mpi/check.h
tests_mpi_late_session_LDADD = libmpi_abi.la -lpthread
tests_mpi_late_session_LDFLAGS = $(MPI_TEST_FLAGS)
tests_launcher_launch_options_SOURCES = tests/launcher/launch_options.c tests/mpi/check.h
tests_launcher_launch_options_LDADD = libmpi_abi.la
tests_launcher_launch_options_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_logicals_SOURCES = tests/mpi/logicals.c tests/mpi/check.h
tests_mpi_logicals_LDADD = libmpi_abi.la
tests_mpi_logicals_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_memory_SOURCES = tests/mpi/memory.c tests/mpi/check.h
tests_mpi_memory_LDADD = libmpi_abi.la
tests_mpi_memory_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_neighbors_SOURCES = tests/mpi/neighbors.c tests/mpi/forms.h tests/mpi/check.h
tests_mpi_neighbors_LDADD = libmpi_abi.la
tests_mpi_neighbors_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_new_comms_SOURCES = tests/mpi/new_comms.c tests/mpi/check.h
tests_mpi_new_comms_LDADD = libmpi_abi.la -lpthread
tests_mpi_new_comms_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_nonblocking_SOURCES = tests/mpi/nonblocking.c tests/mpi/check.h
tests_mpi_nonblocking_LDADD = libmpi_abi.la
tests_mpi_nonblocking_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_partitioned_SOURCES = tests/mpi/partitioned.c tests/mpi/check.h
tests_mpi_partitioned_LDADD = libmpi_abi.la -lpthread
tests_mpi_partitioned_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_ports_SOURCES = tests/mpi/ports.c tests/mpi/check.h
tests_mpi_ports_LDADD = libmpi_abi.la
tests_mpi_ports_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_progress_SOURCES = tests/mpi/progress.c tests/mpi/check.h
tests_mpi_progress_LDADD = libmpi_abi.la
tests_mpi_progress_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_pt2pt_SOURCES = tests/mpi/pt2pt.c tests/mpi/check.h
tests_mpi_pt2pt_LDADD = libmpi_abi.la
tests_mpi_pt2pt_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_queries_SOURCES = tests/mpi/queries.c tests/mpi/check.h
tests_mpi_queries_LDADD = libmpi_abi.la
tests_mpi_queries_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_reduce_ops_SOURCES = tests/mpi/reduce_ops.c tests/mpi/check.h
tests_mpi_reduce_ops_LDADD = libmpi_abi.la
tests_mpi_reduce_ops_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_requests_SOURCES = tests/mpi/requests.c tests/mpi/check.h
tests_mpi_requests_LDADD = libmpi_abi.la
tests_mpi_requests_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_session_SOURCES = tests/mpi/session.c tests/mpi/check.h
tests_mpi_session_LDADD = libmpi_abi.la
tests_mpi_session_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_spawn_SOURCES = tests/mpi/spawn.c tests/mpi/check.h
tests_mpi_spawn_LDADD = libmpi_abi.la
tests_mpi_spawn_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_stress_SOURCES = tests/mpi/stress.c tests/mpi/check.h
tests_mpi_stress_LDADD = libmpi_abi.la
tests_mpi_stress_LDFLAGS = $(MPI_TEST_FLAGS)
tests_launcher_stuck_SOURCES = tests/launcher/stuck.c
tests_launcher_stuck_LDADD = libmpi_abi.la -lpthread
tests_launcher_stuck_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_threads_SOURCES = tests/mpi/threads.c tests/mpi/check.h
tests_mpi_threads_LDADD = libmpi_abi.la -lpthread
tests_mpi_threads_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_topology_SOURCES = tests/mpi/topology.c tests/mpi/check.h
tests_mpi_topology_LDADD = libmpi_abi.la
tests_mpi_topology_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_type_contents_SOURCES = tests/mpi/type_contents.c tests/mpi/check.h
tests_mpi_type_contents_LDADD = libmpi_abi.la
tests_mpi_type_contents_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_type_kinds_SOURCES = tests/mpi/type_kinds.c tests/mpi/check.h
tests_mpi_type_kinds_LDADD = libmpi_abi.la
tests_mpi_type_kinds_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_type_large_SOURCES = tests/mpi/type_large.c tests/mpi/check.h
tests_mpi_type_large_LDADD = libmpi_abi.la
tests_mpi_type_large_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_types_SOURCES = tests/mpi/types.c tests/mpi/check.h
tests_mpi_types_LDADD = libmpi_abi.la
tests_mpi_types_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_unsupported_SOURCES = tests/mpi/unsupported.c tests/mpi/check.h
tests_mpi_unsupported_LDADD = libmpi_abi.la
tests_mpi_unsupported_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_wakeups_SOURCES = tests/mpi/wakeups.c tests/mpi/check.h
tests_mpi_wakeups_LDADD = libmpi_abi.la -lpthread
tests_mpi_wakeups_LDFLAGS = $(MPI_TEST_FLAGS)
tests_mpi_wrong_arguments_SOURCES = tests/mpi/wrong_arguments.c tests/mpi/check.h
tests_mpi_wrong_arguments_LDADD = libmpi_abi.la
tests_mpi_wrong_arguments_LDFLAGS = $(MPI_TEST_FLAGS)

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
EXTRA_DIST += tests/mpi/trap_control.c tests/mpi/trap_counter.c
EXTRA_DIST += $(mpi_runs) tests/mpi/functions.py tests/launcher/pmi1_client.py
