unit_tests += links_test
links_test_SOURCES = tests/unit/links/links_test.cpp tests/unit/links/parts_test.cpp
links_test_LDADD = liblinks.la $(UNIT_LIBS)
