# The coroutines of collectives/ on a LogGP machine, whose header stands in for pt2pt/engine.hpp.
LOGP_CPPFLAGS = -iquote $(srcdir)/benchmarks/logp $(AM_CPPFLAGS)
noinst_LTLIBRARIES += liblogp.la
logp_sources = $(collective_algorithms) benchmarks/logp/machine.cpp \
	benchmarks/logp/parts.cpp pt2pt/communicator.cpp pt2pt/context_ids.cpp pt2pt/matching.cpp \
	benchmarks/logp/operation.hpp benchmarks/logp/pt2pt/engine.hpp
logp_groups = together/logp-1.cpp together/logp-2.cpp together/logp-3.cpp
if TOGETHER
together += $(logp_groups)
nodist_liblogp_la_SOURCES = $(logp_groups)
else
liblogp_la_SOURCES = $(logp_sources)
endif
liblogp_la_CPPFLAGS = $(LOGP_CPPFLAGS)
liblogp_la_LIBADD = libdatatype.la

noinst_PROGRAMS += benchmarks/logp/simulate
benchmarks_logp_simulate_SOURCES = benchmarks/logp/simulate.cpp benchmarks/logp/bounds.hpp \
	benchmarks/logp/optimal.hpp
benchmarks_logp_simulate_CPPFLAGS = $(LOGP_CPPFLAGS)
benchmarks_logp_simulate_LDADD = liblogp.la
