# No test may run for ever: after so many seconds it is ended, and its stacks are in its log.
LOG_COMPILER = $(srcdir)/tests/bounded.py
AM_LOG_FLAGS = 900
EXTRA_DIST += tests/bounded.py

# One fragment a folder. A new test is a source file and its line in NAME_test_sources. What forks, sets
# the environment, measures or brings a main program of its own is a program of its own.
UNIT_LIBS = $(GTEST_LIBS)
unit_tests =
unit_scripts =
unit_groups =

if TESTS_ENABLED
include tests/unit/runtime/local.mk
include tests/unit/rdma_btl/local.mk
include tests/unit/datatype/local.mk
include tests/unit/links/local.mk
include tests/unit/pt2pt/local.mk
include tests/unit/collectives/local.mk
include tests/unit/communicators/local.mk
include tests/unit/onesided/local.mk
include tests/unit/files/local.mk
include tests/unit/abi/local.mk
include tests/unit/bindings/local.mk
include tests/unit/programs/local.mk
include tests/unit/benchmarks/local.mk
include tests/tree/local.mk
include tests/launcher/local.mk
include tests/profile/local.mk
check_PROGRAMS += $(unit_tests)
dist_check_SCRIPTS += $(unit_scripts)
TESTS += $(unit_tests) $(unit_scripts)
together += $(unit_groups)

tests/unit/%.$(OBJEXT) $(unit_groups:.cpp=.$(OBJEXT)): AM_CPPFLAGS += $(GTEST_CFLAGS)
endif
EXTRA_DIST += tests/unit/allocated_bytes.hpp tests/unit/process_ids.hpp tests/unit/test_seed.hpp
