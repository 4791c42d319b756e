# Files without any MPI function.
unit_tests += files_test
files_test_SOURCES = \
	tests/unit/files/transferred_test.cpp
files_test_LDADD = libfiles.la $(UNIT_LIBS) -lpthread
