# remit_info
unit_tests += programs_info_test
programs_info_test_SOURCES = tests/unit/programs/info_test.cpp \
	programs/info_report.cpp programs/info_report.hpp programs/window_rows.cpp \
	programs/window_rows.hpp programs/file_rows.cpp programs/file_rows.hpp \
	programs/info_variables.cpp programs/info_variables.hpp
programs_info_test_LDADD = libfiles.la $(UNIT_LIBS)
# remit_profile
unit_tests += programs_profile_test
programs_profile_test_SOURCES = tests/unit/programs/profile_test.cpp tests/unit/programs/trace_test.cpp
programs_profile_test_LDADD = libprofile_report.la $(UNIT_LIBS)
$(programs_profile_test_OBJECTS): | $(profile_generated)
unit_scripts += tests/unit/programs/remit_info.sh
