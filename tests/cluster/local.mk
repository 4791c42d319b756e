# Several hosts on one machine, in network namespaces (with_hosts). Skipped without root's rights.
cluster_tests = tests/cluster/with_hosts_test.py tests/cluster/launcher_hosts.py tests/cluster/slurm.py
if TESTS_ENABLED
TESTS += $(cluster_tests)
endif
dist_check_SCRIPTS += tests/cluster/with_hosts $(cluster_tests)
