# On the loopback: no packet leaves the machine.
check_PROGRAMS += device_ofi_test
TESTS += device_ofi_test
device_ofi_test_SOURCES = tests/unit/rdma_btl/ofi/device_test.cpp $(device_suite)
device_ofi_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_ofi_test_LDADD = librdma_btl.la $(GTEST_LIBS)
