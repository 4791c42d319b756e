# One-sided communication: windows, their epochs and locks, puts, gets and accumulates.
noinst_LTLIBRARIES += libonesided.la
onesided_sources = \
	onesided/accumulate.cpp onesided/accumulate.hpp \
	onesided/control.hpp \
	onesided/element_walk.cpp onesided/element_walk.hpp \
	onesided/granule.cpp onesided/granule.hpp \
	onesided/member_memory.hpp \
	onesided/process_memory.hpp \
	onesided/ticket_lock.hpp
onesided_groups = together/onesided-1.cpp
if TOGETHER
together += $(onesided_groups)
nodist_libonesided_la_SOURCES = $(onesided_groups)
else
libonesided_la_SOURCES = $(onesided_sources)
endif
libonesided_la_LIBADD = libcommunicators.la
