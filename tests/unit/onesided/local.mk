# Windows without any MPI function.
EXTRA_DIST += tests/unit/onesided/child.hpp tests/unit/onesided/element_buffers.hpp \
	tests/unit/onesided/window_makers.hpp tests/unit/onesided/window_ranks.hpp
unit_tests += onesided_test onesided_processes_test onesided_remote_test \
	onesided_process_memory_test onesided_regions_test onesided_copy_pieces_test \
	onesided_notify_memory_test
onesided_test_sources = \
	tests/unit/onesided/accumulate_test.cpp \
	tests/unit/onesided/delegation_test.cpp \
	tests/unit/onesided/held_locks_test.cpp \
	tests/unit/onesided/notify_test.cpp \
	tests/unit/onesided/plain_change_test.cpp \
	tests/unit/onesided/ticket_lock_test.cpp \
	tests/unit/onesided/window_report_test.cpp
onesided_test_groups = together/onesided_test-1.cpp
if TOGETHER
unit_groups += $(onesided_test_groups)
nodist_onesided_test_SOURCES = $(onesided_test_groups)
else
onesided_test_SOURCES = $(onesided_test_sources)
endif
onesided_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
# Its virtual ranks are threads that take turns.
onesided_remote_test_sources = \
	tests/unit/onesided/adapter_test.cpp \
	tests/unit/onesided/ended_members_test.cpp \
	tests/unit/onesided/put_notice_test.cpp \
	tests/unit/onesided/remote_access_test.cpp \
	tests/unit/onesided/remote_locks_test.cpp \
	tests/unit/onesided/window_test.cpp
onesided_remote_test_groups = together/onesided_remote_test-1.cpp
if TOGETHER
unit_groups += $(onesided_remote_test_groups)
nodist_onesided_remote_test_SOURCES = $(onesided_remote_test_groups)
else
onesided_remote_test_SOURCES = $(onesided_remote_test_sources)
endif
onesided_remote_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
# It counts what is allocated.
onesided_notify_memory_test_SOURCES = tests/unit/allocated_bytes.cpp \
	tests/unit/onesided/notify_memory_test.cpp
onesided_notify_memory_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
# They fork.
onesided_processes_test_SOURCES = tests/unit/onesided/accumulate_processes_test.cpp
onesided_processes_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
onesided_process_memory_test_SOURCES = tests/unit/onesided/process_memory_test.cpp
onesided_process_memory_test_LDADD = libonesided.la $(UNIT_LIBS) -lpthread
onesided_regions_test_SOURCES = tests/unit/onesided/regions_test.cpp
onesided_regions_test_LDADD = libonesided.la $(UNIT_LIBS)
onesided_copy_pieces_test_SOURCES = tests/unit/onesided/copy_pieces_test.cpp
onesided_copy_pieces_test_LDADD = libonesided.la $(UNIT_LIBS)
