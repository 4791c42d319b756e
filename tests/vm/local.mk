# Virtual machines with RDMA devices (README.md there). Sets of tests run in them, on this build.
vm_sets = \
	tests/vm/sets/faults \
	tests/vm/sets/loss \
	tests/vm/sets/near_far \
	tests/vm/sets/none \
	tests/vm/sets/notify \
	tests/vm/sets/pair \
	tests/vm/sets/run_vm \
	tests/vm/sets/siw \
	tests/vm/sets/smoke \
	tests/vm/sets/suite \
	tests/vm/sets/torture \
	tests/vm/sets/user \
	tests/vm/sets/windows

if TESTS_ENABLED
# For tests that break something meanwhile.
check_PROGRAMS += tests/vm/talk
endif

.PHONY: check-vm check-vm-smoke
# Everything.
check-vm: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(abs_srcdir)/tests/vm/run_sets
# One boot.
check-vm-smoke: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(abs_srcdir)/tests/vm/run_sets smoke

EXTRA_DIST += $(vm_sets) tests/vm/README.md tests/vm/run_vm tests/vm/vm_kernel.py \
	tests/vm/vm_machine.py tests/vm/init tests/vm/guest tests/vm/barrier tests/vm/checks.bash tests/vm/hosts.bash \
	tests/vm/mpi_runs.bash tests/vm/run_sets tests/vm/build_kernel tests/vm/kernel.config
