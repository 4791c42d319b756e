runtime_tests = \
	runtime_bootstrap_test \
	runtime_containers_test \
	runtime_copy_test \
	runtime_host_facts_test \
	runtime_params_test \
	runtime_progress_test \
	runtime_task_test \
	runtime_task_O0_test \
	runtime_topology_test
check_PROGRAMS += $(runtime_tests)
TESTS += $(runtime_tests)

runtime_bootstrap_test_SOURCES = tests/unit/runtime/bootstrap_test.cpp
runtime_bootstrap_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_bootstrap_test_LDADD = libruntime.la $(UNIT_LIBS)

runtime_containers_test_SOURCES = tests/unit/runtime/containers_test.cpp
runtime_containers_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_containers_test_LDADD = libruntime.la $(UNIT_LIBS)

runtime_copy_test_SOURCES = tests/unit/runtime/copy_test.cpp
runtime_copy_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_copy_test_LDADD = libruntime.la $(UNIT_LIBS)

runtime_host_facts_test_SOURCES = tests/unit/runtime/host_facts_test.cpp
runtime_host_facts_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_host_facts_test_LDADD = libruntime.la $(UNIT_LIBS)

runtime_params_test_SOURCES = tests/unit/runtime/params_test.cpp
runtime_params_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_params_test_LDADD = libruntime.la $(UNIT_LIBS)

runtime_progress_test_SOURCES = tests/unit/runtime/progress_test.cpp
runtime_progress_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_progress_test_LDADD = libruntime.la $(UNIT_LIBS)

# GCC 12 treats coroutines differently with and without optimization: both are tested.
runtime_task_test_SOURCES = tests/unit/runtime/task_test.cpp
runtime_task_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_task_test_LDADD = libruntime.la $(UNIT_LIBS)
runtime_task_O0_test_SOURCES = tests/unit/runtime/task_test.cpp
runtime_task_O0_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_task_O0_test_LDADD = libruntime.la $(UNIT_LIBS)
tests/unit/runtime/runtime_task_test-task_test.$(OBJEXT): override CXXFLAGS += -O2
tests/unit/runtime/runtime_task_O0_test-task_test.$(OBJEXT): override CXXFLAGS += -O0

runtime_topology_test_SOURCES = tests/unit/runtime/topology_test.cpp
runtime_topology_test_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_topology_test_LDADD = libruntime.la $(UNIT_LIBS)

check_PROGRAMS += runtime_pmix_ranks
runtime_pmix_ranks_SOURCES = tests/unit/runtime/pmix_ranks.cpp
runtime_pmix_ranks_CPPFLAGS = $(UNIT_CPPFLAGS)
runtime_pmix_ranks_LDADD = libruntime.la
dist_check_SCRIPTS += tests/unit/runtime/pmix_test.sh
TESTS += tests/unit/runtime/pmix_test.sh
