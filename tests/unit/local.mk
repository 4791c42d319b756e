# No test may run for ever: after so many seconds it is ended, and its stacks are in its log.
LOG_COMPILER = $(srcdir)/tests/bounded.py
AM_LOG_FLAGS = 900
EXTRA_DIST += tests/bounded.py

# One fragment a tested folder; each adds its programs to check_PROGRAMS and TESTS.
UNIT_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
UNIT_LIBS = $(GTEST_LIBS)

if TESTS_ENABLED
include tests/unit/runtime.mk
include tests/unit/rdma_btl.mk
include tests/unit/rdma_btl_shm.mk
include tests/unit/rdma_btl_verbs.mk
include tests/unit/rdma_btl_net.mk
include tests/unit/rdma_btl_ofi.mk
include tests/unit/registration.mk
include tests/unit/datatype.mk
include tests/unit/pt2pt.mk
include tests/unit/collectives.mk
include tests/unit/communicators.mk
include tests/unit/bindings.mk
include tests/unit/launcher.mk
endif
