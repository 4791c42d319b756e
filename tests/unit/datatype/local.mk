check_PROGRAMS += datatype_layout_test datatype_reductions_test
TESTS += datatype_layout_test datatype_reductions_test
datatype_layout_test_SOURCES = tests/unit/datatype/layout_test.cpp tests/unit/datatype/reference.hpp
datatype_layout_test_CPPFLAGS = $(UNIT_CPPFLAGS)
datatype_layout_test_LDADD = libdatatype.la $(UNIT_LIBS) -lrapidcheck
datatype_reductions_test_SOURCES = tests/unit/datatype/reductions_test.cpp
datatype_reductions_test_CPPFLAGS = $(UNIT_CPPFLAGS)
datatype_reductions_test_LDADD = libdatatype.la $(UNIT_LIBS)
