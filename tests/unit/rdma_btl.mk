check_PROGRAMS += device_sim_test device_sim_suite_test
TESTS += device_sim_test device_sim_suite_test
device_sim_test_SOURCES = tests/unit/device_sim_test.cpp tests/unit/device_world.hpp \
	tests/unit/test_seed.hpp
device_sim_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_sim_test_LDADD = librdma_btl.la $(UNIT_LIBS)
device_sim_suite_test_SOURCES = tests/unit/device_sim_suite_test.cpp tests/unit/device_asking.hpp tests/unit/device_suite.hpp
device_sim_suite_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_sim_suite_test_LDADD = librdma_btl.la $(UNIT_LIBS)
