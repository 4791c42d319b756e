noinst_LTLIBRARIES += libdatatype.la
libdatatype_la_SOURCES = \
	datatype/datatype.hpp \
	datatype/layout.hpp \
	datatype/reductions.hpp \
	datatype/ref.hpp
libdatatype_la_LIBADD = librdma_btl.la
