check_PROGRAMS += launcher_hosts_test launcher_slurm_test launcher_tree_test launcher_options_test launcher_mapping_test launcher_parts_test launcher_pmi1_test launcher_wait_graph_test launcher_client
TESTS += launcher_hosts_test launcher_slurm_test launcher_tree_test launcher_options_test launcher_mapping_test launcher_parts_test launcher_pmi1_test launcher_wait_graph_test

launcher_test_cppflags = $(UNIT_CPPFLAGS) -DASIO_STANDALONE -DASIO_DISABLE_STD_ALIGNED_ALLOC $(PMIX_CFLAGS) $(HWLOC_CFLAGS)
launcher_hosts_test_SOURCES = tests/launcher/hosts_test.cpp
launcher_hosts_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_hosts_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_slurm_test_SOURCES = tests/launcher/slurm_test.cpp
launcher_slurm_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_slurm_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_tree_test_SOURCES = tests/launcher/tree_test.cpp
launcher_tree_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_tree_test_LDADD = liblauncher.la $(UNIT_LIBS) -lpthread
launcher_options_test_SOURCES = tests/launcher/options_test.cpp
launcher_options_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_options_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_mapping_test_SOURCES = tests/launcher/mapping_test.cpp
launcher_mapping_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_mapping_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_pmi1_test_SOURCES = tests/launcher/pmi1_test.cpp
launcher_pmi1_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_pmi1_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_parts_test_SOURCES = tests/launcher/parts_test.cpp
launcher_parts_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_parts_test_LDADD = liblauncher.la $(UNIT_LIBS) -lpthread

launcher_wait_graph_test_SOURCES = tests/launcher/wait_graph_test.cpp
launcher_wait_graph_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_wait_graph_test_LDADD = liblauncher.la $(UNIT_LIBS)

launcher_client_SOURCES = tests/launcher/client.c
launcher_client_CPPFLAGS = $(PMIX_CFLAGS)
launcher_client_LDADD = $(PMIX_LIBS)

# Runs in the top build folder, on ./mpirun.
launcher_scripts = tests/launcher/launcher.py tests/launcher/streams.py tests/launcher/hangs.py tests/launcher/spawns.py \
	tests/launcher/traps.py tests/launcher/memory_limits.py
dist_check_SCRIPTS += $(launcher_scripts)
TESTS += $(launcher_scripts)

# Endurance: SOAK="--jobs 500 --kills 60 --megabytes 64" for less than the full run.
check_PROGRAMS += tests/launcher/soak_job
tests_launcher_soak_job_SOURCES = tests/launcher/soak_job.c tests/mpi/check.h
tests_launcher_soak_job_LDADD = libmpi_abi.la
tests_launcher_soak_job_LDFLAGS = -no-install
check-soak: all launcher_client tests/launcher/soak_job
	$(srcdir)/tests/launcher/soak.py $(SOAK)
dist_check_SCRIPTS += tests/launcher/soak.py

# The scripts that set MPIs side by side, and a few rounds of endurance.
dist_check_SCRIPTS += tests/unit/benchmarks/scripts.py
TESTS += tests/unit/benchmarks/scripts.py

# The start of jobs in virtual time.
dist_check_SCRIPTS += tests/unit/benchmarks/startup_scale.py
TESTS += tests/unit/benchmarks/startup_scale.py
