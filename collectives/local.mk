# Collective algorithms, their selection and drivers.
noinst_LTLIBRARIES += libcollectives.la
# Without what needs an engine of flesh and blood; benchmarks/logp has these for its machine.
collective_algorithms = \
	collectives/algorithms/agreement.cpp \
	collectives/algorithms.hpp \
	collectives/algorithms/allgather.cpp \
	collectives/algorithms/allreduce.cpp \
	collectives/algorithms/alltoall.cpp \
	collectives/algorithms/barrier.cpp \
	collectives/algorithms/bcast.cpp \
	collectives/board/board.hpp \
	collectives/algorithms/buffers.hpp \
	collectives/collectives.hpp \
	collectives/context.hpp \
	collectives/board/copy_pace.cpp collectives/board/copy_pace.hpp \
	collectives/algorithms/direct.cpp collectives/algorithms/direct.hpp \
	collectives/algorithms/gather.cpp \
	collectives/algorithms/grouping.hpp \
	collectives/hierarchy.cpp collectives/hierarchy.hpp \
	collectives/algorithms/in_memory.cpp \
	collectives/algorithms/inter.cpp \
	collectives/algorithms/neighbor.cpp \
	collectives/algorithms/overlapped.cpp collectives/algorithms/overlapped.hpp \
	collectives/algorithms/peers.hpp \
	collectives/algorithms/pipelined.cpp \
	collectives/algorithms/reduce.cpp \
	collectives/algorithms/reduce_scatter.cpp \
	collectives/algorithms/request_array.hpp \
	collectives/algorithms/scan.cpp \
	collectives/algorithms/scatter.cpp \
	collectives/choice/selection.cpp \
	collectives/choice/tuning.cpp collectives/choice/tuning.hpp
collectives_sources = $(collective_algorithms) \
	collectives/board/board.cpp \
	collectives/board/board_choice.cpp \
	collectives/board/board_probe.cpp collectives/board/board_probe.hpp \
	collectives/board/board_setup.cpp \
	collectives/board/board_reduce.cpp \
	collectives/board/board_short.cpp \
	collectives/driver.cpp \
	collectives/wait_record.cpp collectives/wait_record.hpp
collectives_groups = together/collectives-1.cpp together/collectives-2.cpp together/collectives-3.cpp
if TOGETHER
together += $(collectives_groups)
nodist_libcollectives_la_SOURCES = $(collectives_groups)
else
libcollectives_la_SOURCES = $(collectives_sources)
endif
libcollectives_la_LIBADD = libpt2pt.la
