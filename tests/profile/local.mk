# mpirun --profile and --trace.
unit_scripts += tests/profile/profile.py tests/profile/trace.py
EXTRA_DIST += tests/profile/run_page.js
check_PROGRAMS += tests/profile/guilty tests/profile/traced
tests_profile_guilty_SOURCES = tests/profile/guilty.c
tests_profile_guilty_CFLAGS = $(AM_CFLAGS) -g
tests_profile_traced_SOURCES = tests/profile/traced.c
tests_profile_traced_CFLAGS = $(AM_CFLAGS) -g
