# How communicators come to be, without any MPI function.
EXTRA_DIST += tests/unit/communicators/calling_ranks.hpp
unit_tests += communicators_test communicators_creation_test communicators_failures_test \
	communicators_ports_test
communicators_test_LDADD = libcommunicators.la $(UNIT_LIBS)
communicators_test_sources = \
	tests/unit/communicators/reorder_test.cpp \
	tests/unit/communicators/virtual_topology_test.cpp
communicators_test_groups = together/communicators_test-1.cpp
if TOGETHER
unit_groups += $(communicators_test_groups)
nodist_communicators_test_SOURCES = $(communicators_test_groups)
else
communicators_test_SOURCES = $(communicators_test_sources)
endif

# Their virtual ranks are threads that take turns.
communicators_creation_test_SOURCES = tests/unit/communicators/creation_test.cpp
communicators_creation_test_LDADD = libcommunicators.la $(UNIT_LIBS) -lpthread
communicators_ports_test_SOURCES = tests/unit/communicators/ports_test.cpp
communicators_ports_test_LDADD = libcommunicators.la $(UNIT_LIBS) -lpthread
# Their memory runs out where a test wants it to: a program of its own.
communicators_failures_test_SOURCES = tests/unit/communicators/failures_test.cpp
communicators_failures_test_LDADD = libcommunicators.la $(UNIT_LIBS) -lpthread
