check_PROGRAMS += registration_map_test registration_cache_test
TESTS += registration_map_test registration_cache_test
registration_map_test_SOURCES = tests/unit/registration_map_test.cpp tests/unit/test_seed.hpp
registration_map_test_CPPFLAGS = $(UNIT_CPPFLAGS)
registration_map_test_LDADD = librdma_btl.la -lrapidcheck $(UNIT_LIBS) $(FMT_LIBS)
registration_cache_test_SOURCES = tests/unit/registration_cache_test.cpp \
	tests/unit/registration_fakes.hpp tests/unit/test_seed.hpp
registration_cache_test_CPPFLAGS = $(UNIT_CPPFLAGS)
registration_cache_test_LDADD = librdma_btl.la $(UNIT_LIBS) $(FMT_LIBS)
