# remit_info
unit_tests += programs_info_test
programs_info_test_SOURCES = tests/unit/programs/info_test.cpp \
	programs/info_report.cpp programs/info_report.hpp programs/window_rows.cpp \
	programs/window_rows.hpp programs/file_rows.cpp programs/file_rows.hpp
programs_info_test_LDADD = libfiles.la $(UNIT_LIBS)
unit_scripts += tests/unit/programs/remit_info.sh
