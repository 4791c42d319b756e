# Several hosts on one machine, in network namespaces (with_hosts). Skipped without root's rights.
cluster_tests = tests/cluster/with_hosts_test.py tests/cluster/launcher_hosts.py
# By "./run_tests slurm" or "make check TESTS=...": they need Slurm, and last three minutes.
slurm_tests = tests/cluster/slurm.py tests/cluster/interop.py
if TESTS_ENABLED
TESTS += $(cluster_tests)
check_PROGRAMS += tests/cluster/ring
tests_cluster_ring_SOURCES = tests/cluster/ring.c
tests_cluster_ring_LDADD = libmpi_abi.la
tests_cluster_ring_LDFLAGS = $(MPI_TEST_FLAGS)
endif
dist_check_SCRIPTS += tests/cluster/with_hosts $(cluster_tests) $(slurm_tests)
