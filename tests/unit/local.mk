# No test may run for ever: after so many seconds it is ended, and its stacks are in its log.
LOG_COMPILER = $(srcdir)/tests/bounded.py
AM_LOG_FLAGS = 900
EXTRA_DIST += tests/bounded.py

# One fragment a tested folder; each adds its programs to check_PROGRAMS and TESTS.
UNIT_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
UNIT_LIBS = $(GTEST_LIBS)

if TESTS_ENABLED
include tests/unit/runtime/local.mk
include tests/unit/rdma_btl/local.mk
include tests/unit/rdma_btl/shm/local.mk
include tests/unit/rdma_btl/verbs/local.mk
include tests/unit/rdma_btl/net/local.mk
include tests/unit/rdma_btl/ofi/local.mk
include tests/unit/rdma_btl/registration/local.mk
include tests/unit/datatype/local.mk
include tests/unit/pt2pt/local.mk
include tests/unit/collectives/local.mk
include tests/unit/bindings/local.mk
include tests/launcher/local.mk
endif
