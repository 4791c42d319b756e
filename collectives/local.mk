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
	collectives/board/board_lines.hpp \
	collectives/board/board_meeting.hpp \
	collectives/board/board_pages.hpp \
	collectives/board/board_reduction.hpp \
	collectives/board/board_segment.hpp \
	collectives/board/board_wait.hpp \
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
	collectives/choice/board_limits.hpp \
	collectives/choice/collective_costs.hpp \
	collectives/choice/decision.cpp collectives/choice/decision.hpp \
	collectives/choice/forced.cpp collectives/choice/forced.hpp \
	collectives/choice/selection.cpp \
	collectives/choice/shape.cpp collectives/choice/shape.hpp \
	collectives/choice/tuning.cpp collectives/choice/tuning.hpp \
	collectives/part.cpp \
	collectives/state.cpp collectives/state.hpp
collectives_sources = $(collective_algorithms) \
	collectives/collective_watch.cpp collectives/collective_watch.hpp \
	collectives/board/board.cpp \
	collectives/board/board_copies.cpp collectives/board/board_copies.hpp \
	collectives/board/board_lines.cpp \
	collectives/board/board_meeting.cpp \
	collectives/board/board_operations.cpp collectives/board/board_operations.hpp \
	collectives/board/board_pages.cpp \
	collectives/board/board_probe.cpp collectives/board/board_probe.hpp \
	collectives/board/board_reduction.cpp \
	collectives/board/board_setup.cpp \
	collectives/board/board_short.cpp collectives/board/board_short.hpp \
	collectives/board/board_wait.cpp \
	collectives/choice/board_limits.cpp \
	collectives/choice/long_board.cpp collectives/choice/long_board.hpp \
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
