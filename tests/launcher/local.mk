# mpirun: its parts, and from the outside (the scripts, which run in the top build folder on ./mpirun).
unit_tests += launcher_test launcher_parts_test
launcher_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS) -DASIO_STANDALONE -DASIO_DISABLE_STD_ALIGNED_ALLOC \
	$(PMIX_CFLAGS) $(HWLOC_CFLAGS)
launcher_test_LDADD = liblauncher.la $(UNIT_LIBS)
launcher_test_sources = \
	tests/launcher/hosts_test.cpp \
	tests/launcher/jobs_test.cpp \
	tests/launcher/mapping_test.cpp \
	tests/launcher/options_test.cpp \
	tests/launcher/pmi1_test.cpp \
	tests/launcher/slurm_test.cpp \
	tests/launcher/tree_test.cpp \
	tests/launcher/wait_graph_test.cpp
launcher_test_groups = together/launcher_test-1.cpp together/launcher_test-2.cpp
if TOGETHER
unit_groups += $(launcher_test_groups)
nodist_launcher_test_SOURCES = $(launcher_test_groups)
else
launcher_test_SOURCES = $(launcher_test_sources)
endif

launcher_parts_test_SOURCES = tests/launcher/parts_test.cpp tests/launcher/profile_files_test.cpp
launcher_parts_test_CPPFLAGS = $(launcher_test_CPPFLAGS)
launcher_parts_test_LDADD = $(launcher_test_LDADD)

unit_scripts += \
	tests/launcher/hangs.py \
	tests/launcher/launch_options.sh \
	tests/launcher/launcher.py \
	tests/launcher/memory_limits.py \
	tests/launcher/spawns.py \
	tests/launcher/streams.py \
	tests/launcher/traps.py
EXTRA_DIST += tests/launcher/pmi1_client.py

# MPI programs, and one that knows PMIx alone.
check_PROGRAMS += tests/launcher/launch_options tests/launcher/soak_job tests/launcher/stuck launcher_client
launcher_client_SOURCES = tests/launcher/client.c
launcher_client_CPPFLAGS = $(PMIX_CFLAGS)
launcher_client_LDADD = $(PMIX_LIBS)

# Endurance: SOAK="--jobs 500 --kills 60 --megabytes 64" for less than the full run.
check-soak: all launcher_client tests/launcher/soak_job
	$(srcdir)/tests/launcher/soak.py $(SOAK)
dist_check_SCRIPTS += tests/launcher/soak.py
