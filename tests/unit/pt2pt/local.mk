EXTRA_DIST += tests/unit/pt2pt/waiting_ranks.hpp tests/unit/pt2pt/world.hpp
unit_tests += pt2pt_test
pt2pt_test_LDADD = libpt2pt.la $(UNIT_LIBS)
pt2pt_test_sources = \
	tests/unit/pt2pt/dispatch_test.cpp \
	tests/unit/pt2pt/engine_test.cpp \
	tests/unit/pt2pt/flow_test.cpp \
	tests/unit/pt2pt/lists_test.cpp \
	tests/unit/pt2pt/matching_test.cpp \
	tests/unit/pt2pt/parts_test.cpp \
	tests/unit/pt2pt/protocol_test.cpp \
	tests/unit/pt2pt/shm_test.cpp
pt2pt_test_groups = together/pt2pt_test-1.cpp
if TOGETHER
unit_groups += $(pt2pt_test_groups)
nodist_pt2pt_test_SOURCES = $(pt2pt_test_groups)
else
pt2pt_test_SOURCES = $(pt2pt_test_sources)
endif

# With an operator new of their own, and with memory monitors, which are the process's.
unit_tests += pt2pt_context_ids_test pt2pt_no_memory_test registration_engine_test
pt2pt_context_ids_test_SOURCES = tests/unit/allocated_bytes.cpp tests/unit/pt2pt/context_ids_test.cpp
pt2pt_context_ids_test_LDADD = libpt2pt.la $(UNIT_LIBS)
pt2pt_no_memory_test_SOURCES = tests/unit/allocated_bytes.cpp tests/unit/pt2pt/no_memory_test.cpp
pt2pt_no_memory_test_LDADD = libpt2pt.la $(UNIT_LIBS)
registration_engine_test_SOURCES = tests/unit/pt2pt/registration_test.cpp
registration_engine_test_LDADD = libpt2pt.la $(UNIT_LIBS) $(FMT_LIBS)
