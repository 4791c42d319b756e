check_PROGRAMS += collectives_peers_test collectives_test
TESTS += collectives_peers_test collectives_test
collectives_peers_test_SOURCES = tests/unit/collectives/peers_test.cpp
collectives_peers_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_peers_test_LDADD = $(UNIT_LIBS)
collectives_test_SOURCES = tests/unit/collectives/algorithms_test.cpp tests/unit/collectives/cases.hpp \
	tests/unit/collectives/ranks.hpp tests/unit/pt2pt/world.hpp tests/unit/test_seed.hpp
collectives_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_test_LDADD = libcollectives.la $(UNIT_LIBS)
check_PROGRAMS += collectives_selection_test
TESTS += collectives_selection_test
collectives_selection_test_SOURCES = tests/unit/collectives/selection_test.cpp \
	tests/unit/collectives/cases.hpp tests/unit/collectives/ranks.hpp \
	tests/unit/pt2pt/world.hpp tests/unit/test_seed.hpp
collectives_selection_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_selection_test_LDADD = libcollectives.la $(UNIT_LIBS)
check_PROGRAMS += collectives_board_test
TESTS += collectives_board_test
collectives_board_test_SOURCES = tests/unit/collectives/board_test.cpp \
	tests/unit/collectives/cases.hpp tests/unit/test_seed.hpp
collectives_board_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_board_test_LDADD = libcollectives.la $(UNIT_LIBS)
check_PROGRAMS += collectives_pace_test
TESTS += collectives_pace_test
collectives_pace_test_SOURCES = tests/unit/collectives/pace_test.cpp
collectives_pace_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_pace_test_LDADD = libcollectives.la $(UNIT_LIBS)
check_PROGRAMS += collectives_probe_test
TESTS += collectives_probe_test
collectives_probe_test_SOURCES = tests/unit/collectives/probe_test.cpp
collectives_probe_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_probe_test_LDADD = libcollectives.la $(UNIT_LIBS)
check_PROGRAMS += collectives_inter_test
TESTS += collectives_inter_test
collectives_inter_test_SOURCES = tests/unit/collectives/inter_test.cpp \
	tests/unit/pt2pt/world.hpp tests/unit/test_seed.hpp
collectives_inter_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_inter_test_LDADD = libcollectives.la $(UNIT_LIBS)
check_PROGRAMS += collectives_tuning_test
TESTS += collectives_tuning_test
collectives_tuning_test_SOURCES = tests/unit/collectives/tuning_test.cpp \
	tests/unit/pt2pt/world.hpp tests/unit/test_seed.hpp
collectives_tuning_test_CPPFLAGS = $(UNIT_CPPFLAGS)
collectives_tuning_test_LDADD = libcollectives.la $(UNIT_LIBS)

# Each algorithm on the LogGP machine beside the engine.
check_PROGRAMS += tests/unit/collectives/digest_engine tests/unit/collectives/digest_logp
tests_unit_collectives_digest_engine_SOURCES = tests/unit/collectives/digest_engine.cpp \
	tests/unit/collectives/digest.hpp tests/unit/pt2pt/world.hpp
tests_unit_collectives_digest_engine_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_collectives_digest_engine_LDADD = libcollectives.la $(UNIT_LIBS)
tests_unit_collectives_digest_logp_SOURCES = tests/unit/collectives/digest_logp.cpp \
	tests/unit/collectives/digest.hpp
tests_unit_collectives_digest_logp_CPPFLAGS = $(LOGP_CPPFLAGS)
tests_unit_collectives_digest_logp_LDADD = liblogp.la
TESTS += tests/unit/collectives/digest.sh
dist_check_SCRIPTS += tests/unit/collectives/digest.sh
