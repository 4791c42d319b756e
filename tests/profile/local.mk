# mpirun --profile.
unit_scripts += tests/profile/profile.py
check_PROGRAMS += tests/profile/guilty
tests_profile_guilty_SOURCES = tests/profile/guilty.c
tests_profile_guilty_CFLAGS = $(AM_CFLAGS) -g
