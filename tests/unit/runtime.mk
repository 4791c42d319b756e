check_PROGRAMS += runtime_containers_test
TESTS += runtime_containers_test
runtime_containers_test_SOURCES = tests/unit/runtime_containers_test.cpp
runtime_containers_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_containers_test_LDADD = libruntime.la $(UNIT_LIBS)
