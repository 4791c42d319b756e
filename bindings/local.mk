# libmpi_abi.so.1: the MPI 5.0 standard ABI. Its soname is fixed by convention of all its
# implementers (MPI_ABI_VERSION), so -version-info stays 1:0:0.
include_HEADERS += include/mpi.h include/mpi_fint.h include/mpi_remit.h

lib_LTLIBRARIES += libmpi_abi.la
bindings_sources = \
	bindings/env/abi.cpp bindings/env/abi.hpp \
	bindings/env/alloc_kinds.cpp bindings/env/alloc_kinds.hpp \
	bindings/comm/attributes.cpp bindings/comm/attributes.hpp \
	bindings/process/background_progress.cpp bindings/process/background_progress.hpp \
	bindings/pt2pt/bsend.cpp bindings/pt2pt/bsend.hpp \
	bindings/pt2pt/bsend_calls.cpp \
	bindings/topo/cart.cpp \
	bindings/call_errors.hpp \
	bindings/process/call_guard.cpp bindings/process/call_guard.hpp \
	bindings/caught.cpp \
	bindings/checks.hpp \
	bindings/coll/blocking.cpp \
	bindings/coll/call.cpp bindings/coll/call.hpp \
	bindings/coll/hold.cpp bindings/coll/hold.hpp \
	bindings/generated/coll/nonblocking.cpp \
	bindings/generated/coll/persistent.cpp \
	bindings/coll/short.hpp \
	bindings/comm/comm.cpp \
	bindings/comm/comm_create.cpp \
	bindings/comm/comm_dup.cpp \
	bindings/comm/comm_from_group.cpp \
	bindings/comm/comm_info.cpp \
	bindings/comm/comm_objects.cpp bindings/comm/comm_objects.hpp \
	bindings/comm/comm_split_type.cpp \
	bindings/pt2pt/completion.cpp \
	bindings/process/connect.cpp \
	bindings/topo/dist_graph.cpp \
	bindings/entry.cpp bindings/entry.hpp \
	bindings/env/errhandlers.cpp \
	bindings/env/error_book.cpp bindings/env/error_book.hpp \
	bindings/env/error_table.cpp bindings/env/error_table.hpp \
	bindings/env/errors.cpp bindings/env/errors.hpp \
	bindings/env/fortran_words.cpp bindings/env/fortran_words.hpp \
	bindings/topo/graph.cpp \
	bindings/comm/group.cpp \
	bindings/env/handle_int.cpp bindings/env/handle_int.hpp \
	bindings/handle_checks.cpp bindings/handle_checks.hpp \
	bindings/handles.hpp \
	bindings/env/info.cpp \
	bindings/env/info_env.cpp \
	bindings/env/info_objects.hpp \
	bindings/process/init.cpp \
	bindings/io/data.cpp \
	bindings/io/file_args.hpp \
	bindings/io/management.cpp \
	bindings/io/open_files.cpp bindings/io/open_files.hpp \
	bindings/io/pointers.cpp \
	bindings/io/views.cpp \
	bindings/process/instance.cpp bindings/process/instance.hpp \
	bindings/comm/intercomm.cpp \
	bindings/coll/logical_ops.cpp bindings/coll/logical_ops.hpp \
	bindings/comm/keyval_table.hpp \
	bindings/env/memory.cpp \
	bindings/mpi_lock.hpp \
	bindings/comm/names.cpp \
	bindings/objects.hpp \
	bindings/coll/op.cpp \
	bindings/pt2pt/pack_external.cpp \
	bindings/pt2pt/partitioned.cpp \
	bindings/types/plain_types.cpp bindings/types/plain_types.hpp \
	bindings/process/presence.hpp \
	bindings/pt2pt/probe.cpp \
	bindings/process/progress_thread.cpp bindings/process/progress_thread.hpp \
	bindings/pt2pt/request_store.cpp bindings/pt2pt/request_store.hpp \
	bindings/pt2pt/request_watcher.hpp \
	bindings/pt2pt/requests.cpp bindings/pt2pt/requests.hpp \
	bindings/pt2pt/send.cpp \
	bindings/pt2pt/sendrecv.cpp \
	bindings/rma/accumulate.cpp \
	bindings/rma/creation.cpp \
	bindings/rma/flush.cpp \
	bindings/rma/notified.cpp \
	bindings/rma/notify.cpp bindings/rma/notify_requests.hpp \
	bindings/rma/open_windows.cpp bindings/rma/open_windows.hpp \
	bindings/rma/operation.cpp bindings/rma/operation.hpp \
	bindings/rma/operation_args.cpp bindings/rma/operation_args.hpp \
	bindings/rma/plain_accumulate.hpp \
	bindings/rma/plain_move.hpp \
	bindings/rma/put_get.cpp \
	bindings/rma/signal.cpp \
	bindings/rma/synchronization.cpp \
	bindings/rma/window_info.cpp bindings/rma/window_info.hpp \
	bindings/rma/window_memory.cpp \
	bindings/process/session.cpp \
	bindings/process/spawn.cpp \
	bindings/env/stateless.cpp \
	bindings/env/statistics.cpp bindings/env/statistics.hpp \
	bindings/status.hpp \
	bindings/process/thread_levels.hpp \
	bindings/tool/category.cpp \
	bindings/tool/control_variables.cpp bindings/tool/control_variables.hpp \
	bindings/tool/event.cpp bindings/tool/event_table.hpp \
	bindings/tool/performance_variables.cpp bindings/tool/performance_variables.hpp \
	bindings/tool/pvar.cpp bindings/tool/pvar_table.hpp \
	bindings/tool/tool.cpp bindings/tool/tool.hpp \
	bindings/tool/tool_enum.cpp bindings/tool/tool_enum.hpp \
	bindings/tool/tool_events.cpp bindings/tool/tool_events.hpp \
	bindings/topo/topology_args.hpp \
	bindings/types/type.cpp \
	bindings/types/type_contents.cpp \
	bindings/types/type_notes.hpp \
	bindings/types/type_query.cpp \
	bindings/types/type_unnamed.cpp \
	bindings/process/users.cpp bindings/process/users.hpp \
	bindings/value_checks.cpp bindings/value_checks.hpp \
	bindings/env/version.cpp \
	bindings/env/wait_subjects.cpp bindings/env/wait_subjects.hpp \
	bindings/weak.hpp \
	bindings/word_lock.hpp
# fint.cpp stays alone: it takes mpi_fint.h without the functions in line that others take from it.
libmpi_abi_la_SOURCES = bindings/env/fint.cpp
bindings_groups = \
	together/bindings-1.cpp \
	together/bindings-2.cpp \
	together/bindings-3.cpp \
	together/bindings-4.cpp \
	together/bindings-5.cpp \
	together/bindings-6.cpp
if TOGETHER
together += $(bindings_groups)
nodist_libmpi_abi_la_SOURCES = $(bindings_groups)
else
libmpi_abi_la_SOURCES += $(bindings_sources)
endif
# Once made, they are what the compiler has noted as their dependencies.
$(libmpi_abi_la_OBJECTS): | $(abi_generated)
libmpi_abi_la_LIBADD = libfiles.la $(STATIC_LIBSTDCXX)
libmpi_abi_la_LDFLAGS = -version-info 1:0:0 -no-undefined \
	-Wl,--version-script=$(srcdir)/bindings/exports.map -Wl,--as-needed
libmpi_abi_la_DEPENDENCIES = libfiles.la bindings/exports.map
EXTRA_DIST += bindings/exports.map
if !SANITIZED
libmpi_abi_la_LDFLAGS += -Wl,-z,defs
endif

# Other names: .so.0 is the soname that MPICH 5.0.0 and 5.0.1 gave to programs, libmpi.so is what
# mpi4py opens first. The .la file must not pass PMIx and hwloc on: a program has one dependency.
install-exec-hook: install-abi-links
uninstall-hook: uninstall-abi-links
install-abi-links: install-libLTLIBRARIES
	cd '$(DESTDIR)$(libdir)' && rm -f libmpi_abi.so.0 libmpi.so && \
	  $(LN_S) libmpi_abi.so.1 libmpi_abi.so.0 && $(LN_S) libmpi_abi.so.1 libmpi.so && \
	  sed "s/^dependency_libs=.*/dependency_libs=''/" libmpi_abi.la >libmpi_abi.lat && \
	  mv libmpi_abi.lat libmpi_abi.la
uninstall-abi-links:
	rm -f '$(DESTDIR)$(libdir)/libmpi_abi.so.0' '$(DESTDIR)$(libdir)/libmpi.so'
.PHONY: install-abi-links uninstall-abi-links

# Wrappers and pkg-config files are made by configure (m4/wrapper_files.m4).
bin_SCRIPTS += bin/mpicc bin/mpicxx bin/mpic++ bin/mpicc_abi bin/mpicxx_abi \
	bin/mpifort bin/mpif90 bin/mpif77
pkgconfig_DATA += bindings/wrappers/mpi-c.pc bindings/wrappers/mpi-cxx.pc \
	bindings/wrappers/mpi-fort.pc bindings/wrappers/remit.pc
