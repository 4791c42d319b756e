check_PROGRAMS += pt2pt_matching_test pt2pt_protocol_test pt2pt_engine_test pt2pt_flow_test
TESTS += pt2pt_matching_test pt2pt_protocol_test pt2pt_engine_test pt2pt_flow_test
pt2pt_matching_test_SOURCES = tests/unit/pt2pt/matching_test.cpp tests/unit/test_seed.hpp
pt2pt_matching_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_matching_test_LDADD = libpt2pt.la $(UNIT_LIBS)
pt2pt_protocol_test_SOURCES = tests/unit/pt2pt/protocol_test.cpp tests/unit/test_seed.hpp
pt2pt_protocol_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_protocol_test_LDADD = libpt2pt.la $(UNIT_LIBS)
pt2pt_engine_test_SOURCES = tests/unit/pt2pt/engine_test.cpp tests/unit/pt2pt/world.hpp \
	tests/unit/test_seed.hpp
pt2pt_engine_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_engine_test_LDADD = libpt2pt.la $(UNIT_LIBS)
pt2pt_flow_test_SOURCES = tests/unit/pt2pt/flow_test.cpp tests/unit/pt2pt/world.hpp \
	tests/unit/test_seed.hpp
pt2pt_flow_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_flow_test_LDADD = libpt2pt.la $(UNIT_LIBS)
check_PROGRAMS += pt2pt_lists_test
TESTS += pt2pt_lists_test
pt2pt_lists_test_SOURCES = tests/unit/pt2pt/lists_test.cpp tests/unit/pt2pt/world.hpp \
	tests/unit/test_seed.hpp
pt2pt_lists_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_lists_test_LDADD = libpt2pt.la $(UNIT_LIBS)
check_PROGRAMS += pt2pt_shm_test
TESTS += pt2pt_shm_test
pt2pt_shm_test_SOURCES = tests/unit/pt2pt/shm_test.cpp tests/unit/test_seed.hpp
pt2pt_shm_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_shm_test_LDADD = libpt2pt.la $(UNIT_LIBS)
check_PROGRAMS += pt2pt_context_ids_test
TESTS += pt2pt_context_ids_test
pt2pt_context_ids_test_SOURCES = tests/unit/pt2pt/context_ids_test.cpp tests/unit/test_seed.hpp
pt2pt_context_ids_test_CPPFLAGS = $(UNIT_CPPFLAGS)
pt2pt_context_ids_test_LDADD = libpt2pt.la $(UNIT_LIBS)
