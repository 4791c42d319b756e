# The benchmark suite (any mpicc compiles it: benchmarks/compare does), the machine's own limits, and
# the script that sets several MPIs side by side.
benchmark_plain = benchmarks/suite/bench_memory.c benchmarks/suite/bench_memory.h \
	benchmarks/suite/bench_neighbour.c benchmarks/suite/bench_neighbour.h \
	benchmarks/suite/bench_options.c benchmarks/suite/bench_options.h
benchmark_calls = benchmarks/suite/calls.c benchmarks/suite/calls.h
benchmark_common = $(benchmark_plain) benchmarks/suite/bench_common.c benchmarks/suite/bench_common.h
benchmark_pairs = $(benchmark_common) benchmarks/suite/pairs.c benchmarks/suite/pairs.h
benchmark_typed = $(benchmark_common) benchmarks/suite/typed.c benchmarks/suite/typed.h
benchmark_collective = $(benchmark_common) $(benchmark_calls) benchmarks/suite/collective.c benchmarks/suite/collective.h \
	benchmarks/suite/collectives.c
benchmark_exposed = $(benchmark_common) benchmarks/suite/exposed.c benchmarks/suite/exposed.h
benchmark_transfers = $(benchmark_exposed) benchmarks/suite/transfers.c
benchmark_synchronization = $(benchmark_exposed) benchmarks/suite/synchronization.c
benchmark_arrival = $(benchmark_exposed) benchmarks/suite/arrival.c benchmarks/suite/notified_calls.h

noinst_PROGRAMS += benchmarks/raw_limits
benchmarks_raw_limits_SOURCES = benchmarks/raw_limits.c
benchmarks_raw_limits_LDFLAGS = $(AM_LDFLAGS) -pthread
benchmarks_raw_limits_LDADD =

# Remit's copy functions beside raw loops (benchmarks/copies).
noinst_PROGRAMS += benchmarks/copy_loops
benchmarks_copy_loops_SOURCES = benchmarks/copy_loops.cpp
benchmarks_copy_loops_LDADD = libruntime.la

# What mpirun --profile adds to a call.
noinst_PROGRAMS += benchmarks/profile_cost
benchmarks_profile_cost_SOURCES = benchmarks/profile_cost.c

noinst_PROGRAMS += benchmarks/raw_collectives
benchmarks_raw_collectives_SOURCES = benchmarks/raw_collectives.c benchmarks/raw_copies.c benchmarks/raw_copies.h \
	$(benchmark_calls) $(benchmark_plain)
benchmarks_raw_collectives_LDADD =

noinst_PROGRAMS += benchmarks/raw_tcp
benchmarks_raw_tcp_SOURCES = benchmarks/raw_tcp.c
benchmarks_raw_tcp_LDADD =
noinst_PROGRAMS += benchmarks/raw_in_turn
benchmarks_raw_in_turn_SOURCES = benchmarks/raw_in_turn.c
benchmarks_raw_in_turn_LDADD =

# Files, with any MPI, and with none.
benchmark_file_cases = benchmarks/suite/file_cases.c benchmarks/suite/file_cases.h
noinst_PROGRAMS += benchmarks/suite/file_patterns
benchmarks_suite_file_patterns_SOURCES = benchmarks/suite/file_patterns.c $(benchmark_file_cases)
noinst_PROGRAMS += benchmarks/raw_files
benchmarks_raw_files_SOURCES = benchmarks/raw_files.c $(benchmark_file_cases)
benchmarks_raw_files_LDFLAGS = $(AM_LDFLAGS) -pthread
benchmarks_raw_files_LDADD =

noinst_PROGRAMS += benchmarks/suite/latency
benchmarks_suite_latency_SOURCES = benchmarks/suite/latency.c $(benchmark_pairs)

noinst_PROGRAMS += benchmarks/suite/multi_lat
benchmarks_suite_multi_lat_SOURCES = benchmarks/suite/multi_lat.c $(benchmark_pairs)

noinst_PROGRAMS += benchmarks/suite/bw
benchmarks_suite_bw_SOURCES = benchmarks/suite/bw.c $(benchmark_pairs)

noinst_PROGRAMS += benchmarks/suite/bibw
benchmarks_suite_bibw_SOURCES = benchmarks/suite/bibw.c $(benchmark_pairs)

noinst_PROGRAMS += benchmarks/suite/mbw_mr
benchmarks_suite_mbw_mr_SOURCES = benchmarks/suite/mbw_mr.c $(benchmark_pairs)

noinst_PROGRAMS += benchmarks/suite/pack
benchmarks_suite_pack_SOURCES = benchmarks/suite/pack.c $(benchmark_typed)

noinst_PROGRAMS += benchmarks/suite/unpack
benchmarks_suite_unpack_SOURCES = benchmarks/suite/unpack.c $(benchmark_typed)

noinst_PROGRAMS += benchmarks/suite/typed_latency
benchmarks_suite_typed_latency_SOURCES = benchmarks/suite/typed_latency.c $(benchmark_typed)

# One source: a program does what its name says.
noinst_PROGRAMS += benchmarks/suite/barrier
benchmarks_suite_barrier_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/bcast
benchmarks_suite_bcast_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/gather
benchmarks_suite_gather_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/gatherv
benchmarks_suite_gatherv_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/scatter
benchmarks_suite_scatter_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/scatterv
benchmarks_suite_scatterv_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/allgather
benchmarks_suite_allgather_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/allgatherv
benchmarks_suite_allgatherv_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/alltoall
benchmarks_suite_alltoall_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/alltoallv
benchmarks_suite_alltoallv_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/alltoallw
benchmarks_suite_alltoallw_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/reduce
benchmarks_suite_reduce_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/allreduce
benchmarks_suite_allreduce_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/reduce_scatter
benchmarks_suite_reduce_scatter_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/reduce_scatter_block
benchmarks_suite_reduce_scatter_block_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/scan
benchmarks_suite_scan_SOURCES = $(benchmark_collective)

noinst_PROGRAMS += benchmarks/suite/exscan
benchmarks_suite_exscan_SOURCES = $(benchmark_collective)

# One-sided communication, likewise.
noinst_PROGRAMS += benchmarks/suite/put_latency
benchmarks_suite_put_latency_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/get_latency
benchmarks_suite_get_latency_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/put_bw
benchmarks_suite_put_bw_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/put_bibw
benchmarks_suite_put_bibw_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/get_bw
benchmarks_suite_get_bw_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/acc_latency
benchmarks_suite_acc_latency_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/get_acc_latency
benchmarks_suite_get_acc_latency_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/fop_latency
benchmarks_suite_fop_latency_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/cas_latency
benchmarks_suite_cas_latency_SOURCES = $(benchmark_transfers)

noinst_PROGRAMS += benchmarks/suite/lock
benchmarks_suite_lock_SOURCES = $(benchmark_synchronization)

noinst_PROGRAMS += benchmarks/suite/lock_all
benchmarks_suite_lock_all_SOURCES = $(benchmark_synchronization)

noinst_PROGRAMS += benchmarks/suite/lock_contended
benchmarks_suite_lock_contended_SOURCES = $(benchmark_synchronization)

noinst_PROGRAMS += benchmarks/suite/fence
benchmarks_suite_fence_SOURCES = $(benchmark_synchronization)

noinst_PROGRAMS += benchmarks/suite/pscw
benchmarks_suite_pscw_SOURCES = $(benchmark_synchronization)

noinst_PROGRAMS += benchmarks/suite/win_create
benchmarks_suite_win_create_SOURCES = $(benchmark_synchronization)

noinst_PROGRAMS += benchmarks/suite/put_flag
benchmarks_suite_put_flag_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/put_notify
benchmarks_suite_put_notify_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/put_notify_polled
benchmarks_suite_put_notify_polled_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/put_signal
benchmarks_suite_put_signal_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/arrivals_message
benchmarks_suite_arrivals_message_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/arrivals_flag
benchmarks_suite_arrivals_flag_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/arrivals_notify
benchmarks_suite_arrivals_notify_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/arrivals_signal
benchmarks_suite_arrivals_signal_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/overlap_message
benchmarks_suite_overlap_message_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/overlap_flag
benchmarks_suite_overlap_flag_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/overlap_notify
benchmarks_suite_overlap_notify_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/overlap_signal
benchmarks_suite_overlap_signal_SOURCES = $(benchmark_arrival)

noinst_PROGRAMS += benchmarks/suite/computing_target
benchmarks_suite_computing_target_SOURCES = benchmarks/suite/computing_target.c $(benchmark_exposed)

noinst_PROGRAMS += benchmarks/suite/matching
benchmarks_suite_matching_SOURCES = benchmarks/suite/matching.c

noinst_PROGRAMS += benchmarks/suite/thread_rate
benchmarks_suite_thread_rate_SOURCES = benchmarks/suite/thread_rate.c

noinst_PROGRAMS += benchmarks/suite/init
benchmarks_suite_init_SOURCES = benchmarks/suite/init.c $(benchmark_common)

noinst_PROGRAMS += benchmarks/suite/fresh
benchmarks_suite_fresh_SOURCES = benchmarks/suite/fresh.c $(benchmark_common)

noinst_PROGRAMS += benchmarks/suite/hello
benchmarks_suite_hello_SOURCES = benchmarks/suite/hello.c $(benchmark_common)

noinst_PROGRAMS += benchmarks/suite/one_message
benchmarks_suite_one_message_SOURCES = benchmarks/suite/one_message.c

noinst_PROGRAMS += benchmarks/suite/one_operation
benchmarks_suite_one_operation_SOURCES = benchmarks/suite/one_operation.c

noinst_PROGRAMS += benchmarks/suite/rest
benchmarks_suite_rest_SOURCES = benchmarks/suite/rest.c benchmarks/suite/resident.h

noinst_PROGRAMS += benchmarks/suite/pmix_client
benchmarks_suite_pmix_client_SOURCES = benchmarks/suite/pmix_client.c benchmarks/suite/resident.h
benchmarks_suite_pmix_client_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS)
benchmarks_suite_pmix_client_LDADD = $(PMIX_LIBS)

noinst_PROGRAMS += benchmarks/suite/pmix_lookup
benchmarks_suite_pmix_lookup_SOURCES = benchmarks/suite/pmix_lookup.c
benchmarks_suite_pmix_lookup_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS)
benchmarks_suite_pmix_lookup_LDADD = $(PMIX_LIBS) -lpthread

include benchmarks/programs/local.mk
include benchmarks/logp/local.mk
include benchmarks/start/local.mk

EXTRA_DIST += benchmarks/compare benchmarks/cases.py benchmarks/cells.py benchmarks/plots.py benchmarks/libraries.py benchmarks/instructions benchmarks/suite/one_message.F90 \
	benchmarks/suite/latency_f08.F90 benchmarks/suite/latency_f08.c \
	benchmarks/copies benchmarks/files benchmarks/checkpoints benchmarks/scale benchmarks/hosts benchmarks/startup benchmarks/startup_scale benchmarks/tune \
	benchmarks/registration benchmarks/verbs benchmarks/README.md

# The table of latencies, two ranks, with the library just built.
.PHONY: bench
bench: mpirun$(EXEEXT) benchmarks/suite/latency$(EXEEXT)
	./mpirun -n 2 benchmarks/suite/latency $(BENCH_ARGS)

# The library just built beside the other MPIs of this machine.
.PHONY: compare
compare: mpirun$(EXEEXT) libmpi_abi.la
	$(srcdir)/benchmarks/compare --remit . $(COMPARE_ARGS)

# Parts of the library alone, by Google Benchmark.
if BENCHMARKS_ENABLED
noinst_PROGRAMS += benchmarks/micro/microbench
micro_sources = benchmarks/micro/main.cpp benchmarks/micro/collective.cpp \
	benchmarks/micro/coroutines.cpp \
	benchmarks/micro/devices.cpp \
	benchmarks/micro/layouts.cpp benchmarks/micro/registration.cpp benchmarks/micro/rings.cpp
micro_groups = together/micro-1.cpp
if TOGETHER
together += $(micro_groups)
nodist_benchmarks_micro_microbench_SOURCES = $(micro_groups)
else
benchmarks_micro_microbench_SOURCES = $(micro_sources)
endif
benchmarks_micro_microbench_CPPFLAGS = $(LOGP_CPPFLAGS) $(BENCHMARK_CFLAGS)
benchmarks_micro_microbench_LDADD = liblogp.la $(BENCHMARK_LIBS)
endif
