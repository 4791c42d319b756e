check_PROGRAMS += registration_map_test registration_cache_test
TESTS += registration_map_test registration_cache_test
registration_map_test_SOURCES = tests/unit/rdma_btl/registration/map_test.cpp tests/unit/test_seed.hpp
registration_map_test_CPPFLAGS = $(UNIT_CPPFLAGS)
registration_map_test_LDADD = librdma_btl.la -lrapidcheck $(UNIT_LIBS)
registration_cache_test_SOURCES = tests/unit/rdma_btl/registration/cache_test.cpp \
	tests/unit/rdma_btl/registration/fakes.hpp tests/unit/rdma_btl/registration/lonely_device.hpp tests/unit/test_seed.hpp
registration_cache_test_CPPFLAGS = $(UNIT_CPPFLAGS)
registration_cache_test_LDADD = librdma_btl.la $(UNIT_LIBS)
# Some seconds; `./registration_torture 60` takes a minute for each run.
check_PROGRAMS += registration_torture
TESTS += registration_torture
registration_torture_SOURCES = tests/unit/rdma_btl/registration/torture.cpp tests/unit/rdma_btl/registration/pinning_device.hpp \
	tests/unit/rdma_btl/registration/fakes.hpp tests/unit/rdma_btl/registration/lonely_device.hpp tests/unit/test_seed.hpp \
	tests/unit/rdma_btl/verbs/pair.hpp
registration_torture_CPPFLAGS = $(UNIT_CPPFLAGS)
registration_torture_LDADD = librdma_btl.la $(UNIT_LIBS)
EXTRA_registration_torture_DEPENDENCIES = libremit_memory.la
check_PROGRAMS += registration_monitor_test
TESTS += registration_monitor_test
registration_monitor_test_SOURCES = tests/unit/rdma_btl/registration/monitor_test.cpp \
	tests/unit/rdma_btl/registration/fakes.hpp tests/unit/rdma_btl/registration/lonely_device.hpp
registration_monitor_test_CPPFLAGS = $(UNIT_CPPFLAGS)
registration_monitor_test_LDADD = librdma_btl.la $(UNIT_LIBS) $(FMT_LIBS)
check_PROGRAMS += registration_engine_test
TESTS += registration_engine_test
registration_engine_test_SOURCES = tests/unit/pt2pt/registration_test.cpp \
	tests/unit/pt2pt/world.hpp tests/unit/test_seed.hpp
registration_engine_test_CPPFLAGS = $(UNIT_CPPFLAGS)
registration_engine_test_LDADD = libpt2pt.la $(UNIT_LIBS) $(FMT_LIBS)
