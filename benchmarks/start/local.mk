# The start of jobs in virtual time: the launcher's tree and messages, and the processes and engines of
# virtual ranks on the simulated device.
noinst_PROGRAMS += benchmarks/start/simulate
benchmarks_start_simulate_SOURCES = benchmarks/start/simulate.cpp \
	benchmarks/start/daemons.cpp benchmarks/start/daemons.hpp \
	benchmarks/start/events.hpp \
	benchmarks/start/measure.cpp benchmarks/start/measure.hpp \
	benchmarks/start/ranks.cpp benchmarks/start/ranks.hpp \
	benchmarks/logp/optimal.hpp
benchmarks_start_simulate_CPPFLAGS = $(liblauncher_la_CPPFLAGS)
benchmarks_start_simulate_LDADD = libcollectives.la liblauncher.la -lpthread
