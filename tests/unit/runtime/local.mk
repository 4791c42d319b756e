unit_tests += runtime_test
runtime_test_LDADD = libruntime.la $(UNIT_LIBS)
runtime_test_sources = \
	tests/unit/runtime/adaptive_wait_test.cpp \
	tests/unit/runtime/bootstrap_test.cpp \
	tests/unit/runtime/containers_test.cpp \
	tests/unit/runtime/copy_test.cpp \
	tests/unit/runtime/copy_time_test.cpp \
	tests/unit/runtime/events_test.cpp \
	tests/unit/runtime/host_facts_test.cpp \
	tests/unit/runtime/os/kernel_copy_test.cpp \
	tests/unit/runtime/params_test.cpp \
	tests/unit/runtime/progress_sources_test.cpp \
	tests/unit/runtime/progress_test.cpp \
	tests/unit/runtime/topology_test.cpp
runtime_test_groups = together/runtime_test-1.cpp
if TOGETHER
unit_groups += $(runtime_test_groups)
nodist_runtime_test_SOURCES = $(runtime_test_groups)
else
runtime_test_SOURCES = $(runtime_test_sources)
endif

# GCC 12 treats coroutines differently with and without optimization: both are tested.
unit_tests += runtime_task_test runtime_task_O0_test
runtime_task_test_SOURCES = tests/unit/runtime/task_test.cpp
runtime_task_test_CPPFLAGS = $(AM_CPPFLAGS)
runtime_task_test_LDADD = libruntime.la $(UNIT_LIBS)
runtime_task_O0_test_SOURCES = tests/unit/runtime/task_test.cpp
runtime_task_O0_test_CPPFLAGS = $(AM_CPPFLAGS)
runtime_task_O0_test_LDADD = libruntime.la $(UNIT_LIBS)
tests/unit/runtime/runtime_task_test-task_test.$(OBJEXT): override CXXFLAGS += -O2
tests/unit/runtime/runtime_task_O0_test-task_test.$(OBJEXT): override CXXFLAGS += -O0

check_PROGRAMS += runtime_pmix_ranks
runtime_pmix_ranks_SOURCES = tests/unit/runtime/pmix_ranks.cpp
runtime_pmix_ranks_LDADD = libruntime.la
unit_scripts += tests/unit/runtime/pmix_test.sh
