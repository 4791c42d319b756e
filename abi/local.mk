# The ABI as tables, and what is made of them: MPI functions that only forward (abi/generate.py). The
# source package carries the result, so that only a build from git, or an edit of a table, takes Python.
ABI_TABLES = abi/constants.tsv abi/types.tsv abi/functions.tsv abi/fint.tsv
fortran_generator = abi/fortran_buffers.py abi/fortran_entries.py abi/fortran_include.py \
	abi/fortran_modules.py abi/fortran_table.py
abi_generator = abi/generate.py abi/c_forms.py abi/tables.py $(fortran_generator)
EXTRA_DIST += $(ABI_TABLES) abi/forms.tsv abi/fortran_api.tsv abi/fortran_callbacks.tsv \
	$(abi_generator)

# Each .cpp is a source of libmpi_abi, each .inc the end of the file of its name in bindings/.
abi_sources = \
	bindings/generated/coll/nonblocking.cpp \
	bindings/generated/coll/persistent.cpp
abi_ends = \
	bindings/generated/coll/blocking.inc \
	bindings/generated/coll/op.inc \
	bindings/generated/io/data.inc \
	bindings/generated/io/management.inc \
	bindings/generated/io/pointers.inc \
	bindings/generated/io/views.inc \
	bindings/generated/pt2pt/bsend_calls.inc \
	bindings/generated/pt2pt/pack_external.inc \
	bindings/generated/pt2pt/partitioned.inc \
	bindings/generated/pt2pt/probe.inc \
	bindings/generated/pt2pt/send.inc \
	bindings/generated/pt2pt/sendrecv.inc \
	bindings/generated/rma/accumulate.inc \
	bindings/generated/rma/creation.inc \
	bindings/generated/rma/synchronization.inc \
	bindings/generated/rma/window_memory.inc \
	bindings/generated/types/type.inc \
	bindings/generated/types/type_query.inc
# For Fortran: sources of libmpifort_abi, and what Fortran programs are compiled with.
fortran_entries = \
	bindings/generated/fortran/coll.cpp \
	bindings/generated/fortran/comm.cpp \
	bindings/generated/fortran/env.cpp \
	bindings/generated/fortran/io.cpp \
	bindings/generated/fortran/pt2pt.cpp \
	bindings/generated/fortran/rma.cpp \
	bindings/generated/fortran/type.cpp
fortran_interfaces = \
	bindings/generated/fortran/external/mpif.h \
	bindings/generated/fortran/mpi.f90 \
	bindings/generated/fortran/mpi_f08.f90 \
	bindings/generated/fortran/mpif.h \
	bindings/generated/fortran/plain/mpi.f90 \
	bindings/generated/fortran/plain/mpi_f08.f90 \
	bindings/generated/fortran/remit_mpi_base.f90 \
	bindings/generated/fortran/remit_mpi_types.f90
abi_generated = $(abi_sources) $(abi_ends) $(fortran_entries) $(fortran_interfaces)
EXTRA_DIST += $(abi_ends) $(fortran_interfaces)
MAINTAINERCLEANFILES += $(abi_generated)

$(abi_generated): $(abi_generator) abi/functions.tsv abi/types.tsv abi/forms.tsv \
		abi/fortran_api.tsv abi/fortran_callbacks.tsv abi/constants.tsv
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  $(PYTHON) $(srcdir)/abi/generate.py $(@:bindings/generated/%=%) >$@.tmp && mv $@.tmp $@

# For editors and clang-tidy, which look at sources before anything is built.
generated: $(abi_generated)
.PHONY: generated
