# libmpi_abi.so.1: the MPI 5.0 standard ABI. Its soname is fixed by convention of all its
# implementers (MPI_ABI_VERSION), so -version-info stays 1:0:0.
include_HEADERS += include/mpi.h include/mpi_fint.h

lib_LTLIBRARIES += libmpi_abi.la
bindings_sources = \
	bindings/abi.cpp bindings/abi.hpp \
	bindings/alloc_kinds.cpp bindings/alloc_kinds.hpp \
	bindings/attributes.cpp bindings/attributes.hpp \
	bindings/bridge.cpp bindings/bridge.hpp \
	bindings/bsend.cpp bindings/bsend.hpp \
	bindings/bsend_calls.cpp \
	bindings/cart.cpp \
	bindings/caught.cpp \
	bindings/checks.hpp \
	bindings/coll_blocking.cpp \
	bindings/coll_call.cpp bindings/coll_call.hpp \
	bindings/coll_hold.cpp bindings/coll_hold.hpp \
	bindings/coll_neighbor.cpp \
	bindings/coll_nonblocking.cpp \
	bindings/coll_persistent.cpp \
	bindings/coll_short.hpp \
	bindings/comm.cpp \
	bindings/comm_create.cpp \
	bindings/comm_dup.cpp \
	bindings/comm_from_group.cpp \
	bindings/comm_info.cpp \
	bindings/comm_split_type.cpp \
	bindings/completion.cpp \
	bindings/connect.cpp \
	bindings/dist_graph.cpp \
	bindings/entry.cpp bindings/entry.hpp \
	bindings/errhandlers.cpp \
	bindings/error_book.cpp bindings/error_book.hpp \
	bindings/error_table.cpp bindings/error_table.hpp \
	bindings/errors.cpp bindings/errors.hpp \
	bindings/graph.cpp \
	bindings/group.cpp \
	bindings/group_mail.cpp bindings/group_mail.hpp bindings/group_words.hpp \
	bindings/handle_int.cpp bindings/handle_int.hpp \
	bindings/handles.hpp \
	bindings/info.cpp \
	bindings/info_env.cpp \
	bindings/info_objects.hpp \
	bindings/init.cpp \
	bindings/instance.cpp bindings/instance.hpp \
	bindings/intercomm.cpp \
	bindings/logical_ops.cpp bindings/logical_ops.hpp \
	bindings/memory.cpp \
	bindings/mpi_lock.hpp \
	bindings/new_comm.cpp bindings/new_comm.hpp \
	bindings/names.cpp \
	bindings/not_yet.cpp bindings/not_yet.hpp \
	bindings/not_yet_io.cpp \
	bindings/not_yet_rma.cpp \
	bindings/not_yet_tool.cpp \
	bindings/objects.hpp \
	bindings/op.cpp \
	bindings/pack_external.cpp \
	bindings/partitioned.cpp \
	bindings/presence.hpp \
	bindings/ports.cpp bindings/ports.hpp \
	bindings/probe.cpp \
	bindings/progress_thread.cpp bindings/progress_thread.hpp \
	bindings/reorder.cpp bindings/reorder.hpp \
	bindings/process_sets.cpp bindings/process_sets.hpp \
	bindings/requests.cpp bindings/requests.hpp \
	bindings/send.cpp \
	bindings/sendrecv.cpp \
	bindings/session.cpp \
	bindings/spawn.cpp bindings/spawn.hpp \
	bindings/stateless.cpp \
	bindings/statistics.cpp bindings/statistics.hpp \
	bindings/status.hpp \
	bindings/thread_levels.hpp \
	bindings/topology.cpp bindings/topology.hpp \
	bindings/topology_args.hpp \
	bindings/type.cpp \
	bindings/type_contents.cpp \
	bindings/type_query.cpp \
	bindings/type_unnamed.cpp \
	bindings/users.cpp bindings/users.hpp \
	bindings/version.cpp \
	bindings/wait_subjects.cpp bindings/wait_subjects.hpp \
	bindings/weak.hpp
# fint.cpp stays alone: it takes mpi_fint.h without the functions in line that others take from it.
libmpi_abi_la_SOURCES = bindings/fint.cpp
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
libmpi_abi_la_LIBADD = libcollectives.la $(STATIC_LIBSTDCXX)
libmpi_abi_la_LDFLAGS = -version-info 1:0:0 -no-undefined \
	-Wl,--version-script=$(srcdir)/bindings/exports.map -Wl,--as-needed
libmpi_abi_la_DEPENDENCIES = libcollectives.la bindings/exports.map
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
