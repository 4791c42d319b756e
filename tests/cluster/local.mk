# Several hosts on one machine, in network namespaces (with_hosts). Skipped without root's rights.
cluster_tests = tests/cluster/with_hosts_test.py tests/cluster/launcher_hosts.py tests/cluster/spawn_hosts.py \
	tests/cluster/hangs_hosts.py \
	tests/cluster/faults.py tests/cluster/files_hosts.py tests/cluster/programs.py tests/cluster/sums_hosts.py \
	tests/cluster/file_clients.py
# By "./run_tests slurm" or "make check TESTS=...": they need Slurm, and last three minutes.
slurm_tests = tests/cluster/slurm.py tests/cluster/interop.py
if TESTS_ENABLED
TESTS += $(cluster_tests)
check_PROGRAMS += tests/cluster/departs tests/cluster/ring tests/cluster/working
# A hundred faults of each kind, about an hour: FAULTS="--rounds 10 --kinds link" for others.
FAULTS = --rounds 100
check-faults: all tests/cluster/working
	$(srcdir)/tests/cluster/faults.py $(FAULTS)
# Every MPI test program on 2, 4 and 8 hosts, about half an hour: HOST_RUNS="--all --hosts 2" for fewer.
HOST_RUNS = --all --table
check-hosts: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(srcdir)/tests/cluster/programs.py $(HOST_RUNS)
# Windows on 2 and 4 hosts, by each network device, with and without a progress thread: minutes.
WINDOW_RUNS = --match tests/mpi/rma_
check-windows: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(srcdir)/tests/cluster/programs.py $(WINDOW_RUNS) --hosts 2 4
	REMIT_DEVICES=shm,ofi $(srcdir)/tests/cluster/programs.py $(WINDOW_RUNS) --hosts 2
	REMIT_PROGRESS_THREAD=no $(srcdir)/tests/cluster/programs.py $(WINDOW_RUNS) --hosts 2
	REMIT_WAIT=sleep $(srcdir)/tests/cluster/programs.py $(WINDOW_RUNS) --hosts 2
endif
.PHONY: check-faults check-hosts check-windows
dist_check_SCRIPTS += tests/cluster/with_hosts $(cluster_tests) $(slurm_tests)
EXTRA_DIST += tests/cluster/watcher.py
