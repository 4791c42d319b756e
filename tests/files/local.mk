# Files on a file system of the tests' own, which makes faults. Skipped where it may not be mounted.
file_tests = tests/files/faults.py
dist_check_SCRIPTS += $(file_tests)
if TESTS_ENABLED
TESTS += $(file_tests)
check_PROGRAMS += tests/files/faulty_mount tests/files/file_failing tests/files/file_visible
tests_files_faulty_mount_SOURCES = tests/files/faulty_mount.cpp
tests_files_faulty_mount_LDADD =
tests_files_file_failing_SOURCES = tests/files/file_failing.c
tests_files_file_visible_SOURCES = tests/files/file_visible.c
endif
