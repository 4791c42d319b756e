# What every device passes.
device_suite = tests/unit/rdma_btl/device_suite.cpp tests/unit/rdma_btl/device_asking.hpp
check_PROGRAMS += device_sim_test device_sim_suite_test
TESTS += device_sim_test device_sim_suite_test
device_sim_test_SOURCES = tests/unit/rdma_btl/sim/device_test.cpp tests/unit/rdma_btl/device_world.hpp \
	tests/unit/test_seed.hpp
device_sim_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_sim_test_LDADD = librdma_btl.la $(UNIT_LIBS)
device_sim_suite_test_SOURCES = tests/unit/rdma_btl/sim/suite_test.cpp $(device_suite)
device_sim_suite_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_sim_suite_test_LDADD = librdma_btl.la $(UNIT_LIBS)
