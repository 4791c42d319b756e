# How communicators come to be, without any MPI function.
communicators_tests = communicators_creation_test communicators_ports_test \
	communicators_topology_test
check_PROGRAMS += $(communicators_tests)
TESTS += $(communicators_tests)
communicators_creation_test_SOURCES = tests/unit/communicators/creation_test.cpp \
	tests/unit/communicators/calling_ranks.hpp
communicators_creation_test_CPPFLAGS = $(UNIT_CPPFLAGS)
communicators_creation_test_LDADD = libcommunicators.la $(UNIT_LIBS) -lpthread
communicators_ports_test_SOURCES = tests/unit/communicators/ports_test.cpp \
	tests/unit/communicators/calling_ranks.hpp
communicators_ports_test_CPPFLAGS = $(UNIT_CPPFLAGS)
communicators_ports_test_LDADD = libcommunicators.la $(UNIT_LIBS) -lpthread
communicators_topology_test_SOURCES = tests/unit/communicators/virtual_topology_test.cpp
communicators_topology_test_CPPFLAGS = $(UNIT_CPPFLAGS)
communicators_topology_test_LDADD = libcommunicators.la $(UNIT_LIBS)
