# The start of jobs in virtual time: the launcher's tree and messages, and the processes and engines of
# virtual ranks on the simulated device.
noinst_PROGRAMS += benchmarks/start/simulate
start_sources = benchmarks/start/simulate.cpp \
	benchmarks/start/daemons.cpp benchmarks/start/daemons.hpp \
	benchmarks/start/events.hpp \
	benchmarks/start/measure.cpp benchmarks/start/measure.hpp \
	benchmarks/start/ranks.cpp benchmarks/start/ranks.hpp \
	benchmarks/logp/optimal.hpp
start_groups = together/start-1.cpp
if TOGETHER
together += $(start_groups)
nodist_benchmarks_start_simulate_SOURCES = $(start_groups)
else
benchmarks_start_simulate_SOURCES = $(start_sources)
endif
benchmarks_start_simulate_CPPFLAGS = $(liblauncher_la_CPPFLAGS)
benchmarks_start_simulate_LDADD = libcollectives.la liblauncher.la -lpthread
