# Windows without any MPI function.
EXTRA_DIST += tests/unit/onesided/child.hpp
# They fork.
unit_tests += onesided_process_memory_test onesided_regions_test onesided_copy_pieces_test
onesided_process_memory_test_SOURCES = tests/unit/onesided/process_memory_test.cpp
onesided_process_memory_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
onesided_regions_test_SOURCES = tests/unit/onesided/regions_test.cpp
onesided_regions_test_LDADD = libonesided.la $(UNIT_LIBS)
onesided_copy_pieces_test_SOURCES = tests/unit/onesided/copy_pieces_test.cpp
onesided_copy_pieces_test_LDADD = libonesided.la $(UNIT_LIBS)
