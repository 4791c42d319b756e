check_PROGRAMS += links_test
TESTS += links_test
links_test_SOURCES = tests/unit/links/links_test.cpp tests/unit/test_seed.hpp
links_test_CPPFLAGS = $(UNIT_CPPFLAGS)
links_test_LDADD = liblinks.la $(UNIT_LIBS)
