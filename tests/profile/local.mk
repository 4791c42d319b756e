# mpirun --profile.
unit_scripts += tests/profile/profile.py
EXTRA_DIST += tests/profile/run_page.js
check_PROGRAMS += tests/profile/guilty
tests_profile_guilty_SOURCES = tests/profile/guilty.c
tests_profile_guilty_CFLAGS = $(AM_CFLAGS) -g
