# Windows without any MPI function.
unit_tests += onesided_remote_test
# Its virtual ranks are threads that take turns.
onesided_remote_test_SOURCES = tests/unit/onesided/remote_access_test.cpp \
	tests/unit/onesided/remote_locks_test.cpp
EXTRA_DIST += tests/unit/onesided/window_ranks.hpp
onesided_remote_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
