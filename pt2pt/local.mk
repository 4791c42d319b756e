noinst_LTLIBRARIES += libpt2pt.la
pt2pt_sources = \
	pt2pt/communicator.cpp pt2pt/communicator.hpp \
	pt2pt/context_ids.cpp pt2pt/context_ids.hpp \
	pt2pt/counters.hpp \
	pt2pt/engine.cpp pt2pt/engine.hpp \
	pt2pt/engine_report.cpp pt2pt/engine_report.hpp \
	pt2pt/flow_control.cpp pt2pt/flow_control.hpp \
	pt2pt/matching.cpp pt2pt/matching.hpp \
	pt2pt/memory_pool.hpp \
	pt2pt/message_dispatch.cpp pt2pt/message_dispatch.hpp \
	pt2pt/message_events.cpp pt2pt/message_events.hpp \
	pt2pt/messenger.cpp pt2pt/messenger.hpp \
	pt2pt/partitioned.cpp pt2pt/partitioned.hpp \
	pt2pt/peer.hpp \
	pt2pt/protocol.cpp pt2pt/protocol.hpp \
	pt2pt/receiver.cpp pt2pt/receiver.hpp pt2pt/receiver_deliver.hpp \
	pt2pt/rendezvous.cpp pt2pt/rendezvous.hpp \
	pt2pt/request.hpp \
	pt2pt/sender.cpp pt2pt/sender.hpp \
	pt2pt/transfer.hpp \
	pt2pt/transfer_memory.cpp pt2pt/transfer_memory.hpp \
	pt2pt/transfer_table.hpp \
	pt2pt/unexpected_store.hpp \
	pt2pt/wire.hpp
pt2pt_groups = together/pt2pt-1.cpp together/pt2pt-2.cpp
if TOGETHER
together += $(pt2pt_groups)
nodist_libpt2pt_la_SOURCES = $(pt2pt_groups)
else
libpt2pt_la_SOURCES = $(pt2pt_sources)
endif
libpt2pt_la_LIBADD = liblinks.la
