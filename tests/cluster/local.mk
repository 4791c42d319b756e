# Several hosts on one machine, in network namespaces (with_hosts). Skipped without root's rights.
if TESTS_ENABLED
TESTS += tests/cluster/with_hosts_test.py tests/cluster/launcher_hosts.py
endif
dist_check_SCRIPTS += tests/cluster/with_hosts tests/cluster/with_hosts_test.py tests/cluster/launcher_hosts.py
