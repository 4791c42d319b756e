# Windows without any MPI function.
EXTRA_DIST += tests/unit/onesided/element_buffers.hpp
unit_tests += onesided_test onesided_processes_test
onesided_test_SOURCES = tests/unit/onesided/accumulate_test.cpp
onesided_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
# It forks.
onesided_processes_test_SOURCES = tests/unit/onesided/accumulate_processes_test.cpp
onesided_processes_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
