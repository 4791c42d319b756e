bin_PROGRAMS += mpirun
dist_man1_MANS += docs/mpirun.1 docs/mpiexec.1

noinst_LTLIBRARIES += liblauncher.la
launcher_sources = \
	launcher/report/call_file.cpp launcher/report/call_file.hpp \
	launcher/controller.cpp launcher/controller.hpp \
	launcher/host/daemon.cpp launcher/host/daemon.hpp \
	launcher/tree/daemon_orders.cpp launcher/tree/daemon_orders.hpp \
	launcher/pmix/data_store.cpp launcher/pmix/data_store.hpp \
	launcher/cli/dialects.cpp launcher/cli/dialects.hpp \
	launcher/host/guardian.cpp launcher/host/guardian.hpp \
	launcher/host/guardian_process.cpp launcher/host/guardian_process.hpp \
	launcher/pmix/host_exchange.cpp launcher/pmix/host_exchange.hpp \
	launcher/host/host_jobs.cpp launcher/host/host_jobs.hpp \
	launcher/report/host_inspection.cpp launcher/report/host_inspection.hpp \
	launcher/plan/host_map.cpp launcher/plan/host_map.hpp \
	launcher/host/host_names.cpp launcher/host/host_names.hpp \
	launcher/tree/host_clocks.cpp launcher/tree/host_clocks.hpp \
	launcher/tree/host_states.cpp launcher/tree/host_states.hpp \
	launcher/plan/hosts.cpp launcher/plan/hosts.hpp \
	launcher/tree/input_feeds.cpp launcher/tree/input_feeds.hpp \
	launcher/streams/io_forward.cpp launcher/streams/io_forward.hpp \
	launcher/plan/job.cpp launcher/plan/job.hpp \
	launcher/pmix/job_control.cpp launcher/pmix/job_control.hpp \
	launcher/host/job_directory.cpp launcher/host/job_directory.hpp \
	launcher/job_end.cpp launcher/job_end.hpp \
	launcher/report/job_inspection.cpp launcher/report/job_inspection.hpp \
	launcher/report/job_report.cpp launcher/report/job_report.hpp \
	launcher/job_signals.cpp launcher/job_signals.hpp \
	launcher/streams/job_streams.cpp launcher/streams/job_streams.hpp \
	launcher/job_table.cpp launcher/job_table.hpp \
	launcher/tree/job_wire.cpp launcher/tree/job_wire.hpp \
	launcher/report/crash_report.cpp launcher/report/crash_report.hpp \
	launcher/tree/tree_link.cpp launcher/tree/tree_link.hpp \
	launcher/report/loader_check.cpp launcher/report/loader_check.hpp \
	launcher/report/profile_records.cpp launcher/report/profile_records.hpp \
	launcher/report/profile_report.cpp launcher/report/profile_report.hpp \
	launcher/plan/mapping.cpp launcher/plan/mapping.hpp \
	launcher/tree/message.cpp launcher/tree/message.hpp \
	launcher/cli/option_values.cpp launcher/cli/option_values.hpp \
	launcher/cli/option_set.cpp launcher/cli/option_set.hpp \
	launcher/cli/options.cpp launcher/cli/options.hpp \
	launcher/host/open_orders.cpp launcher/host/open_orders.hpp \
	launcher/streams/output_files.cpp launcher/streams/output_files.hpp \
	launcher/plan/placement.cpp launcher/plan/placement.hpp \
	launcher/pmix/pmi1_server.cpp launcher/pmix/pmi1_server.hpp \
	launcher/pmix/pmi1_space.cpp launcher/pmix/pmi1_space.hpp \
	launcher/pmix/pmix_exchange.hpp \
	launcher/pmix/pmix_info.hpp \
	launcher/pmix/pmix_server.cpp launcher/pmix/pmix_server.hpp \
	launcher/pmix/pmix_upcalls.cpp launcher/pmix/pmix_upcalls.hpp \
	launcher/tree/preparations.cpp launcher/tree/preparations.hpp \
	launcher/plan/process_runs.cpp launcher/plan/process_runs.hpp \
	launcher/plan/processors.cpp launcher/plan/processors.hpp \
	launcher/rank_failures.cpp launcher/rank_failures.hpp \
	launcher/report/rank_inspection.cpp launcher/report/rank_inspection.hpp \
	launcher/streams/rank_pipes.cpp launcher/streams/rank_pipes.hpp \
	launcher/rank_starter.cpp launcher/rank_starter.hpp \
	launcher/plan/rankfile.cpp launcher/plan/rankfile.hpp \
	launcher/tree/remote_hosts.cpp launcher/tree/remote_hosts.hpp \
	launcher/tree/secret.cpp launcher/tree/secret.hpp \
	launcher/signal_watch.cpp launcher/signal_watch.hpp \
	launcher/host/signals.hpp \
	launcher/plan/slurm.cpp launcher/plan/slurm.hpp \
	launcher/host/spawn.cpp launcher/host/spawn.hpp \
	launcher/plan/spawn_job.cpp launcher/plan/spawn_job.hpp \
	launcher/spawned_jobs.cpp launcher/spawned_jobs.hpp \
	launcher/tree/startup_wait.cpp launcher/tree/startup_wait.hpp \
	launcher/plan/topology.cpp launcher/plan/topology.hpp \
	launcher/tree/tree.hpp \
	launcher/tree/tree_node.cpp launcher/tree/tree_node.hpp \
	launcher/report/trouble_watch.cpp launcher/report/trouble_watch.hpp \
	launcher/report/wait_graph.cpp launcher/report/wait_graph.hpp \
	launcher/tree/wire.hpp \
	launcher/cli/words.cpp launcher/cli/words.hpp
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

mpirun_SOURCES = launcher/cli/main.cpp
mpirun_CPPFLAGS = $(liblauncher_la_CPPFLAGS)
mpirun_LDADD = liblauncher.la -lpthread

install-exec-hook: install-mpiexec
uninstall-hook: uninstall-mpiexec
install-mpiexec:
	cd $(DESTDIR)$(bindir) && rm -f mpiexec$(EXEEXT) && $(LN_S) mpirun$(EXEEXT) mpiexec$(EXEEXT)
uninstall-mpiexec:
	rm -f $(DESTDIR)$(bindir)/mpiexec$(EXEEXT)
.PHONY: install-mpiexec uninstall-mpiexec
