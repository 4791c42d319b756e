# What reads bytes of others, fed with any bytes (surface.hpp says how). With clang's
# libFuzzer and the address sanitizer it searches, FUZZ_SECONDS in all; elsewhere it replays seeds
# and random changes of them.
EXTRA_DIST += tests/fuzz/words.dict
dist_check_SCRIPTS += tests/fuzz/fuzz.py
if TESTS_ENABLED
check_PROGRAMS += tests/fuzz/fuzz
TESTS += tests/fuzz/fuzz.py
endif

# Compiled once more with what libFuzzer watches: the files under test. The rest is in the libraries.
fuzzed_sources = \
	collectives/choice/tuning.cpp \
	launcher/report/call_file.cpp \
	launcher/host/guardian.cpp \
	launcher/tree/host_clocks.cpp \
	launcher/pmix/host_exchange.cpp \
	launcher/report/host_inspection.cpp \
	launcher/plan/hosts.cpp \
	launcher/tree/job_wire.cpp \
	launcher/tree/tree_link.cpp \
	launcher/tree/message.cpp \
	launcher/cli/option_values.cpp \
	launcher/cli/options.cpp \
	launcher/report/rank_inspection.cpp \
	launcher/plan/rankfile.cpp \
	launcher/tree/remote_hosts.cpp \
	launcher/tree/secret.cpp \
	launcher/plan/slurm.cpp \
	launcher/tree/tree_node.cpp \
	launcher/report/wait_graph.cpp \
	launcher/cli/words.cpp \
	links/address_blob.cpp \
	links/passport.cpp \
	rdma_btl/shm/copies/copy_table.cpp \
	rdma_btl/tcp/congestion.cpp \
	rdma_btl/tcp/connections.cpp \
	rdma_btl/tcp/epoll_set.cpp \
	rdma_btl/tcp/handshakes.cpp \
	rdma_btl/tcp/hello_reader.cpp \
	rdma_btl/tcp/incoming.cpp \
	rdma_btl/tcp/outgoing.cpp \
	rdma_btl/tcp/placement.cpp \
	rdma_btl/tcp/read_scheduler.cpp \
	rdma_btl/tcp/reader.cpp \
	rdma_btl/tcp/requests.cpp \
	rdma_btl/tcp/sender.cpp \
	rdma_btl/tcp/tcp_device.cpp \
	runtime/call_status.cpp \
	runtime/params.cpp

fuzz_sources = \
	tests/fuzz/driver.cpp tests/fuzz/surface.hpp tests/fuzz/loopback.hpp \
	tests/fuzz/device_surfaces.cpp \
	tests/fuzz/greeting_surfaces.cpp \
	tests/fuzz/memory_watch.cpp tests/fuzz/memory_watch.hpp \
	tests/fuzz/rank_surfaces.cpp \
	tests/fuzz/text_surfaces.cpp \
	tests/fuzz/tree_surfaces.cpp \
	tests/fuzz/wire_samples.cpp tests/fuzz/wire_samples.hpp \
	tests/fuzz/wire_surfaces.cpp
fuzz_groups = together/fuzz-1.cpp
fuzzed_groups = together/fuzzed-1.cpp together/fuzzed-2.cpp together/fuzzed-3.cpp
if TOGETHER
together += $(fuzz_groups)
nodist_tests_fuzz_fuzz_SOURCES = $(fuzz_groups)
else
tests_fuzz_fuzz_SOURCES = $(fuzz_sources)
endif
tests_fuzz_fuzz_CPPFLAGS = $(liblauncher_la_CPPFLAGS)
tests_fuzz_fuzz_LDADD = liblauncher.la libcollectives.la -lpthread
if FUZZER
if TOGETHER
together += $(fuzzed_groups)
nodist_tests_fuzz_fuzz_SOURCES += $(fuzzed_groups)
else
tests_fuzz_fuzz_SOURCES += $(fuzzed_sources)
endif
tests_fuzz_fuzz_CPPFLAGS += -DREMIT_HAS_LIBFUZZER=1
tests_fuzz_fuzz_CXXFLAGS = $(AM_CXXFLAGS) -fsanitize=fuzzer-no-link,float-cast-overflow \
	-fno-sanitize-recover=float-cast-overflow
# A group of a library that brings other files brings these again: the first definition, which is
# the watched one, is taken.
tests_fuzz_fuzz_LDFLAGS = -fsanitize=fuzzer -Wl,-z,muldefs
else
fuzz_sources += tests/fuzz/replay.cpp
tests_fuzz_fuzz_CPPFLAGS += -DREMIT_HAS_LIBFUZZER=0
tests_fuzz_fuzz_CXXFLAGS = $(AM_CXXFLAGS)
endif

# FUZZ_SECONDS=3600 for an hour; FUZZ_SURFACES="link job" for some surfaces only.
check-fuzz: all tests/fuzz/fuzz
	$(srcdir)/tests/fuzz/fuzz.py
.PHONY: check-fuzz
