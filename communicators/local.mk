# How communicators come to be: contexts, agreements, messages among groups, ports, topologies.
noinst_LTLIBRARIES += libcommunicators.la
communicators_sources = \
	communicators/agreement.cpp communicators/agreement.hpp \
	communicators/bridge.cpp communicators/bridge.hpp \
	communicators/comm_process.cpp communicators/comm_process.hpp \
	communicators/creation.cpp communicators/creation.hpp \
	communicators/dist_graph.cpp communicators/dist_graph.hpp \
	communicators/group_encoding.cpp communicators/group_encoding.hpp \
	communicators/group_mail.cpp communicators/group_mail.hpp \
	communicators/hardware_split.cpp communicators/hardware_split.hpp \
	communicators/inner_collectives.cpp communicators/inner_collectives.hpp \
	communicators/intercomm.cpp communicators/intercomm.hpp \
	communicators/placement.cpp communicators/placement.hpp \
	communicators/ports.cpp communicators/ports.hpp \
	communicators/process_sets.cpp communicators/process_sets.hpp \
	communicators/reorder.cpp communicators/reorder.hpp \
	communicators/root_outcome.cpp communicators/root_outcome.hpp \
	communicators/socket_exchange.cpp communicators/socket_exchange.hpp \
	communicators/spawn.cpp communicators/spawn.hpp \
	communicators/split.cpp communicators/split.hpp \
	communicators/virtual_topology.cpp communicators/virtual_topology.hpp \
	communicators/waits.cpp communicators/waits.hpp
communicators_groups = together/communicators-1.cpp together/communicators-2.cpp
if TOGETHER
together += $(communicators_groups)
nodist_libcommunicators_la_SOURCES = $(communicators_groups)
else
libcommunicators_la_SOURCES = $(communicators_sources)
endif
libcommunicators_la_LIBADD = libcollectives.la
