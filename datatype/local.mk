noinst_LTLIBRARIES += libdatatype.la
libdatatype_la_SOURCES = \
	datatype/constructors.cpp \
	datatype/datatype.cpp datatype/datatype.hpp \
	datatype/half.hpp \
	datatype/layout.cpp datatype/layout.hpp \
	datatype/layout_build.cpp datatype/layout_node.hpp \
	datatype/predefined.cpp \
	datatype/reductions.cpp datatype/reductions.hpp \
	datatype/ref.hpp
libdatatype_la_LIBADD = librdma_btl.la
