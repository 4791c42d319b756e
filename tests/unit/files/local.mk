# Files without any MPI function.
EXTRA_DIST += tests/unit/files/faulty_calls.hpp tests/unit/files/temporary_file.hpp
unit_tests += files_test files_size_limit_test
files_test_sources = \
	tests/unit/files/access_mode_test.cpp \
	tests/unit/files/collective_plan_test.cpp \
	tests/unit/files/file_hints_test.cpp \
	tests/unit/files/file_system_test.cpp \
	tests/unit/files/host_meeting_test.cpp \
	tests/unit/files/io_threads_test.cpp \
	tests/unit/files/slice_message_test.cpp \
	tests/unit/files/storage_test.cpp \
	tests/unit/files/transferred_test.cpp \
	tests/unit/files/transfers_test.cpp
files_test_groups = together/files_test-1.cpp together/files_test-2.cpp
if TOGETHER
unit_groups += $(files_test_groups)
nodist_files_test_SOURCES = $(files_test_groups)
else
files_test_SOURCES = $(files_test_sources)
endif
files_test_LDADD = libfiles.la $(UNIT_LIBS) -lpthread
# It has a limit of its own.
files_size_limit_test_SOURCES = tests/unit/files/size_limit_test.cpp
files_size_limit_test_LDADD = libfiles.la $(UNIT_LIBS) -lpthread
# Where views and representations of data put bytes.
EXTRA_DIST += tests/unit/files/random_types.hpp
unit_tests += files_views_test
files_views_test_SOURCES = tests/unit/files/data_representation_test.cpp \
	tests/unit/files/file_view_test.cpp
files_views_test_LDADD = libfiles.la $(UNIT_LIBS) -lpthread
