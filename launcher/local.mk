bin_PROGRAMS += mpirun
dist_man1_MANS += docs/mpirun.1 docs/mpiexec.1

noinst_LTLIBRARIES += liblauncher.la
launcher_sources = \
	launcher/call_file.cpp launcher/call_file.hpp \
	launcher/controller.cpp launcher/controller_report.cpp launcher/controller.hpp \
	launcher/daemon.cpp launcher/daemon.hpp \
	launcher/data_store.cpp launcher/data_store.hpp \
	launcher/dialects.cpp launcher/dialects.hpp \
	launcher/guardian.cpp launcher/guardian.hpp \
	launcher/guardian_process.cpp launcher/guardian_process.hpp \
	launcher/host_exchange.cpp launcher/host_exchange.hpp \
	launcher/host_jobs.cpp launcher/host_jobs.hpp \
	launcher/host_looks.cpp launcher/host_looks.hpp \
	launcher/host_map.cpp launcher/host_map.hpp \
	launcher/host_names.cpp launcher/host_names.hpp \
	launcher/hosts.cpp launcher/hosts.hpp \
	launcher/io_forward.cpp launcher/io_forward.hpp \
	launcher/job.cpp launcher/job.hpp \
	launcher/job_control.cpp launcher/job_control.hpp \
	launcher/job_directory.cpp launcher/job_directory.hpp \
	launcher/job_report.cpp launcher/job_report.hpp \
	launcher/job_streams.cpp launcher/job_streams.hpp \
	launcher/job_wire.cpp launcher/job_wire.hpp \
	launcher/last_words.cpp launcher/last_words.hpp \
	launcher/link.cpp launcher/link.hpp \
	launcher/loader_look.cpp launcher/loader_look.hpp \
	launcher/mapping.cpp launcher/mapping.hpp \
	launcher/message.cpp launcher/message.hpp \
	launcher/option_values.cpp launcher/option_values.hpp \
	launcher/options.cpp launcher/options.hpp \
	launcher/placement.cpp launcher/placement.hpp \
	launcher/pmi1_server.cpp launcher/pmi1_server.hpp \
	launcher/pmi1_space.cpp launcher/pmi1_space.hpp \
	launcher/pmix_exchange.hpp \
	launcher/pmix_info.hpp \
	launcher/pmix_server.cpp launcher/pmix_server.hpp \
	launcher/pmix_upcalls.cpp launcher/pmix_upcalls.hpp \
	launcher/process_runs.cpp launcher/process_runs.hpp \
	launcher/processors.cpp launcher/processors.hpp \
	launcher/rank_look.cpp launcher/rank_look.hpp \
	launcher/rank_pipes.cpp launcher/rank_pipes.hpp \
	launcher/rankfile.cpp launcher/rankfile.hpp \
	launcher/remote_hosts.cpp launcher/remote_hosts.hpp \
	launcher/secret.cpp launcher/secret.hpp \
	launcher/signals.hpp \
	launcher/slurm.cpp launcher/slurm.hpp \
	launcher/spawn.cpp launcher/spawn.hpp \
	launcher/spawn_job.cpp launcher/spawn_job.hpp \
	launcher/topology.cpp launcher/topology.hpp \
	launcher/tree.hpp \
	launcher/tree_node.cpp launcher/tree_node.hpp \
	launcher/wait_graph.cpp launcher/wait_graph.hpp \
	launcher/wire.hpp \
	launcher/words.cpp launcher/words.hpp
launcher_groups = \
	together/launcher-1.cpp \
	together/launcher-2.cpp \
	together/launcher-3.cpp \
	together/launcher-4.cpp \
	together/launcher-5.cpp
if TOGETHER
together += $(launcher_groups)
nodist_liblauncher_la_SOURCES = $(launcher_groups)
else
liblauncher_la_SOURCES = $(launcher_sources)
endif
liblauncher_la_CPPFLAGS = $(AM_CPPFLAGS) -DASIO_STANDALONE -DASIO_DISABLE_STD_ALIGNED_ALLOC $(PMIX_CFLAGS) $(HWLOC_CFLAGS) \
	-DREMIT_LIBDIR='"$(libdir)"'
liblauncher_la_LIBADD = libruntime.la $(PMIX_LIBS) $(HWLOC_LIBS)

mpirun_SOURCES = launcher/main.cpp
mpirun_CPPFLAGS = $(liblauncher_la_CPPFLAGS)
mpirun_LDADD = liblauncher.la -lpthread

install-exec-hook: install-mpiexec
uninstall-hook: uninstall-mpiexec
install-mpiexec:
	cd $(DESTDIR)$(bindir) && rm -f mpiexec$(EXEEXT) && $(LN_S) mpirun$(EXEEXT) mpiexec$(EXEEXT)
uninstall-mpiexec:
	rm -f $(DESTDIR)$(bindir)/mpiexec$(EXEEXT)
.PHONY: install-mpiexec uninstall-mpiexec
