check_PROGRAMS += pt2pt_engine_test
TESTS += pt2pt_engine_test
pt2pt_engine_test_SOURCES = tests/unit/pt2pt_engine_test.cpp tests/unit/pt2pt_world.hpp \
	tests/unit/test_seed.hpp
pt2pt_engine_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_engine_test_LDADD = libpt2pt.la $(UNIT_LIBS) $(FMT_LIBS)
