check_PROGRAMS += launcher_hosts_test launcher_slurm_test launcher_tree_test launcher_options_test launcher_mapping_test launcher_parts_test launcher_pmi1_test launcher_wait_graph_test launcher_client
TESTS += launcher_hosts_test launcher_slurm_test launcher_tree_test launcher_options_test launcher_mapping_test launcher_parts_test launcher_pmi1_test launcher_wait_graph_test

launcher_test_cppflags = $(UNIT_CPPFLAGS) -DASIO_STANDALONE -DASIO_DISABLE_STD_ALIGNED_ALLOC $(PMIX_CFLAGS) $(HWLOC_CFLAGS)
launcher_hosts_test_SOURCES = tests/unit/launcher_hosts_test.cpp
launcher_hosts_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_hosts_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_slurm_test_SOURCES = tests/unit/launcher_slurm_test.cpp
launcher_slurm_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_slurm_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_tree_test_SOURCES = tests/unit/launcher_tree_test.cpp
launcher_tree_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_tree_test_LDADD = liblauncher.la $(UNIT_LIBS) -lpthread
launcher_options_test_SOURCES = tests/unit/launcher_options_test.cpp
launcher_options_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_options_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_mapping_test_SOURCES = tests/unit/launcher_mapping_test.cpp
launcher_mapping_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_mapping_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_pmi1_test_SOURCES = tests/unit/launcher_pmi1_test.cpp
launcher_pmi1_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_pmi1_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_parts_test_SOURCES = tests/unit/launcher_parts_test.cpp
launcher_parts_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_parts_test_LDADD = liblauncher.la $(UNIT_LIBS) -lpthread

launcher_wait_graph_test_SOURCES = tests/unit/launcher_wait_graph_test.cpp
launcher_wait_graph_test_CPPFLAGS = $(launcher_test_cppflags)
launcher_wait_graph_test_LDADD = liblauncher.la $(UNIT_LIBS)

launcher_client_SOURCES = tests/mpi/launcher_client.c
launcher_client_CPPFLAGS = $(PMIX_CFLAGS)
launcher_client_LDADD = $(PMIX_LIBS)

# Runs in the top build folder, on ./mpirun.
launcher_scripts = tests/mpi/launcher.py tests/mpi/launcher_streams.py tests/mpi/hangs.py tests/mpi/spawns.py \
	tests/mpi/traps.py tests/mpi/memory_limits.py
dist_check_SCRIPTS += $(launcher_scripts)
TESTS += $(launcher_scripts)

# Endurance: SOAK="--jobs 500 --kills 60 --megabytes 64" for less than the full run.
check_PROGRAMS += tests/mpi/soak_job
tests_mpi_soak_job_SOURCES = tests/mpi/soak_job.c tests/mpi/check.h
tests_mpi_soak_job_LDADD = libmpi_abi.la
tests_mpi_soak_job_LDFLAGS = -no-install
check-soak: all launcher_client tests/mpi/soak_job
	$(srcdir)/tests/mpi/soak.py $(SOAK)
dist_check_SCRIPTS += tests/mpi/soak.py

# The scripts that set MPIs side by side, and a few rounds of endurance.
dist_check_SCRIPTS += tests/unit/benchmarks/scripts.py
TESTS += tests/unit/benchmarks/scripts.py

# The start of jobs in virtual time.
dist_check_SCRIPTS += tests/unit/benchmarks/startup_scale.py
TESTS += tests/unit/benchmarks/startup_scale.py
