# Collective algorithms, their selection and drivers.
noinst_LTLIBRARIES += libcollectives.la
# Without what needs an engine of flesh and blood; benchmarks/logp has these for its machine.
collective_algorithms = \
	collectives/agreement.cpp \
	collectives/algorithms.hpp \
	collectives/allgather.cpp \
	collectives/allreduce.cpp \
	collectives/alltoall.cpp \
	collectives/barrier.cpp \
	collectives/bcast.cpp \
	collectives/board.hpp \
	collectives/buffers.hpp \
	collectives/collectives.hpp \
	collectives/context.hpp \
	collectives/copy_pace.cpp collectives/copy_pace.hpp \
	collectives/direct.cpp collectives/direct.hpp \
	collectives/gather.cpp \
	collectives/grouping.hpp \
	collectives/hierarchy.cpp collectives/hierarchy.hpp \
	collectives/in_memory.cpp \
	collectives/inter.cpp \
	collectives/neighbor.cpp \
	collectives/overlapped.cpp collectives/overlapped.hpp \
	collectives/peers.hpp \
	collectives/pipelined.cpp \
	collectives/reduce.cpp \
	collectives/reduce_scatter.cpp \
	collectives/request_array.hpp \
	collectives/scan.cpp \
	collectives/scatter.cpp \
	collectives/selection.cpp \
	collectives/tuning.cpp collectives/tuning.hpp
collectives_sources = $(collective_algorithms) \
	collectives/board.cpp \
	collectives/board_choice.cpp \
	collectives/board_probe.cpp collectives/board_probe.hpp \
	collectives/board_setup.cpp \
	collectives/board_reduce.cpp \
	collectives/board_short.cpp \
	collectives/driver.cpp
collectives_groups = together/collectives-1.cpp together/collectives-2.cpp together/collectives-3.cpp
if TOGETHER
together += $(collectives_groups)
nodist_libcollectives_la_SOURCES = $(collectives_groups)
else
libcollectives_la_SOURCES = $(collectives_sources)
endif
libcollectives_la_LIBADD = libpt2pt.la
