# Skips itself (77) where there is no RDMA device; tests/vm runs it where there is one.
check_PROGRAMS += device_verbs_test
TESTS += device_verbs_test
device_verbs_test_SOURCES = tests/unit/rdma_btl/verbs/device_test.cpp tests/unit/rdma_btl/verbs/nodes.hpp \
	tests/unit/rdma_btl/device_nodes.hpp $(device_suite)
device_verbs_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_verbs_test_LDADD = librdma_btl.la $(GTEST_LIBS)

check_PROGRAMS += device_verbs_credits_test
TESTS += device_verbs_credits_test
device_verbs_credits_test_SOURCES = tests/unit/rdma_btl/verbs/credits_test.cpp
device_verbs_credits_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_verbs_credits_test_LDADD = librdma_btl.la $(GTEST_LIBS)

check_PROGRAMS += device_verbs_faults_test
TESTS += device_verbs_faults_test
device_verbs_faults_test_SOURCES = tests/unit/rdma_btl/verbs/faults_test.cpp
device_verbs_faults_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_verbs_faults_test_LDADD = librdma_btl.la $(GTEST_LIBS)
