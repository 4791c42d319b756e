# How communicators come to be: contexts, agreements, messages among groups, ports, topologies.
noinst_LTLIBRARIES += libcommunicators.la
communicators_sources = \
	communicators/placement.cpp communicators/placement.hpp \
	communicators/process_sets.cpp communicators/process_sets.hpp \
	communicators/reorder.cpp communicators/reorder.hpp \
	communicators/virtual_topology.cpp communicators/virtual_topology.hpp
communicators_groups = together/communicators-1.cpp
if TOGETHER
together += $(communicators_groups)
nodist_libcommunicators_la_SOURCES = $(communicators_groups)
else
libcommunicators_la_SOURCES = $(communicators_sources)
endif
libcommunicators_la_LIBADD = libcollectives.la
