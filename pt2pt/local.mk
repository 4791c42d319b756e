noinst_LTLIBRARIES += libpt2pt.la
pt2pt_sources = \
	pt2pt/communicator.cpp pt2pt/communicator.hpp \
	pt2pt/context_ids.cpp pt2pt/context_ids.hpp \
	pt2pt/engine.cpp pt2pt/engine.hpp pt2pt/engine_post.hpp \
	pt2pt/engine_awaited.cpp \
	pt2pt/engine_credits.cpp \
	pt2pt/engine_failure.cpp \
	pt2pt/engine_receive.cpp \
	pt2pt/engine_pinning.cpp \
	pt2pt/engine_rendezvous.cpp \
	pt2pt/engine_send.cpp \
	pt2pt/engine_statistics.cpp \
	pt2pt/matching.cpp pt2pt/matching.hpp \
	pt2pt/memory_pool.hpp \
	pt2pt/partitioned.cpp pt2pt/partitioned.hpp \
	pt2pt/peer.hpp \
	pt2pt/protocol.cpp pt2pt/protocol.hpp \
	pt2pt/request.hpp \
	pt2pt/transfer.hpp \
	pt2pt/wire.hpp
pt2pt_groups = together/pt2pt-1.cpp together/pt2pt-2.cpp
if TOGETHER
together += $(pt2pt_groups)
nodist_libpt2pt_la_SOURCES = $(pt2pt_groups)
else
libpt2pt_la_SOURCES = $(pt2pt_sources)
endif
libpt2pt_la_LIBADD = liblinks.la
