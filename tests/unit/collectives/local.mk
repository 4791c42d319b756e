EXTRA_DIST += tests/unit/collectives/cases.hpp tests/unit/collectives/digest.hpp tests/unit/collectives/ranks.hpp
unit_tests += collectives_test
collectives_test_LDADD = libcollectives.la $(UNIT_LIBS)
collectives_test_sources = \
	tests/unit/collectives/algorithms_test.cpp \
	tests/unit/collectives/board_parts_test.cpp \
	tests/unit/collectives/board_sim_test.cpp \
	tests/unit/collectives/board_test.cpp \
	tests/unit/collectives/inter_test.cpp \
	tests/unit/collectives/pace_test.cpp \
	tests/unit/collectives/peers_test.cpp \
	tests/unit/collectives/selection_test.cpp
collectives_test_groups = together/collectives_test-1.cpp
if TOGETHER
unit_groups += $(collectives_test_groups)
nodist_collectives_test_SOURCES = $(collectives_test_groups)
else
collectives_test_SOURCES = $(collectives_test_sources)
endif

unit_tests += collectives_probe_test collectives_tuning_test
collectives_probe_test_SOURCES = tests/unit/collectives/probe_test.cpp
collectives_probe_test_LDADD = libcollectives.la $(UNIT_LIBS)
collectives_tuning_test_SOURCES = tests/unit/collectives/tuning_test.cpp
collectives_tuning_test_LDADD = libcollectives.la $(UNIT_LIBS)

# Each algorithm on the LogGP machine beside the engine.
check_PROGRAMS += tests/unit/collectives/digest_engine tests/unit/collectives/digest_logp
tests_unit_collectives_digest_engine_SOURCES = tests/unit/collectives/digest_engine.cpp
tests_unit_collectives_digest_engine_LDADD = libcollectives.la $(UNIT_LIBS)
tests_unit_collectives_digest_logp_SOURCES = tests/unit/collectives/digest_logp.cpp
tests_unit_collectives_digest_logp_CPPFLAGS = $(LOGP_CPPFLAGS)
tests_unit_collectives_digest_logp_LDADD = liblogp.la
unit_scripts += tests/unit/collectives/digest.sh
