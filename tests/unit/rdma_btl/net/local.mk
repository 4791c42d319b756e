# On the loopback: no packet leaves the machine.
check_PROGRAMS += device_tcp_test net_interfaces_test
TESTS += device_tcp_test net_interfaces_test
device_tcp_test_SOURCES = tests/unit/rdma_btl/tcp/device_test.cpp tests/unit/rdma_btl/device_ip_suite.hpp \
	$(device_suite)
device_tcp_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_tcp_test_LDADD = librdma_btl.la $(GTEST_LIBS)
net_interfaces_test_SOURCES = tests/unit/rdma_btl/net/interfaces_test.cpp
net_interfaces_test_CPPFLAGS = $(UNIT_CPPFLAGS)
net_interfaces_test_LDADD = librdma_btl.la $(UNIT_LIBS)
