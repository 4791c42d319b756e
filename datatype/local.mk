noinst_LTLIBRARIES += libdatatype.la
datatype_sources = \
	datatype/array_types.cpp \
	datatype/assembler.hpp \
	datatype/constructors.cpp \
	datatype/datatype.cpp datatype/datatype.hpp \
	datatype/external32.cpp datatype/external32.hpp \
	datatype/half.hpp \
	datatype/handle_number.hpp \
	datatype/layout.cpp datatype/layout.hpp \
	datatype/layout_build.cpp datatype/layout_node.hpp \
	datatype/layout_copy.hpp \
	datatype/layout_order.cpp datatype/layout_units.cpp \
	datatype/numbers.hpp \
	datatype/pair_reductions.cpp datatype/pair_reductions.hpp \
	datatype/predefined.cpp \
	datatype/reductions.cpp datatype/reductions.hpp \
	datatype/ref.hpp \
	datatype/unnamed_types.cpp datatype/unnamed_types.hpp \
	datatype/view_copy.cpp datatype/view_copy.hpp
datatype_groups = together/datatype-1.cpp
if TOGETHER
together += $(datatype_groups)
nodist_libdatatype_la_SOURCES = $(datatype_groups)
else
libdatatype_la_SOURCES = $(datatype_sources)
endif
libdatatype_la_LIBADD = librdma_btl.la
