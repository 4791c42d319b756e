# One-sided communication: windows, their operations and their synchronization.
noinst_LTLIBRARIES += libonesided.la
onesided_sources = \
	onesided/accumulate.hpp \
	onesided/control.hpp \
	onesided/copy_pieces.cpp onesided/copy_pieces.hpp \
	onesided/epochs.hpp \
	onesided/host_segment.hpp \
	onesided/member_memory.hpp \
	onesided/members.hpp \
	onesided/one_sided.hpp \
	onesided/process_memory.cpp onesided/process_memory.hpp \
	onesided/regions.cpp onesided/regions.hpp \
	onesided/remote_access.hpp \
	onesided/ticket_lock.hpp \
	onesided/window.hpp \
	onesided/window_spec.hpp
onesided_groups = together/onesided-1.cpp
if TOGETHER
together += $(onesided_groups)
nodist_libonesided_la_SOURCES = $(onesided_groups)
else
libonesided_la_SOURCES = $(onesided_sources)
endif
libonesided_la_LIBADD = libcommunicators.la
