# Virtual machines with RDMA devices (README.md there): run_vm runs a command in one.
EXTRA_DIST += tests/vm/README.md tests/vm/run_vm tests/vm/vm_kernel.py tests/vm/vm_machine.py \
	tests/vm/init tests/vm/guest tests/vm/barrier tests/vm/check_run_vm
