EXTRA_DIST += tests/unit/datatype/reference.hpp
unit_tests += datatype_layout_test datatype_reductions_test datatype_view_copy_test
datatype_layout_test_SOURCES = tests/unit/datatype/layout_test.cpp
datatype_layout_test_LDADD = libdatatype.la $(UNIT_LIBS) -lrapidcheck
datatype_reductions_test_SOURCES = tests/unit/datatype/reductions_test.cpp
datatype_reductions_test_LDADD = libdatatype.la $(UNIT_LIBS)
datatype_view_copy_test_SOURCES = tests/unit/datatype/view_copy_test.cpp
datatype_view_copy_test_LDADD = libdatatype.la $(UNIT_LIBS)
