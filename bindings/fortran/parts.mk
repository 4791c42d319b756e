# What the Fortran routines stand on: descriptors, sections, callbacks, attributes. It needs the
# functions of the standard ABI and nothing else of this library, so that it runs over any libmpi_abi.
noinst_LTLIBRARIES += libfortran_parts.la
parts_sources = \
	bindings/fortran/attributes.cpp bindings/fortran/attributes.hpp \
	bindings/fortran/callbacks.cpp bindings/fortran/callbacks.hpp \
	bindings/fortran/choice_buffer.cpp bindings/fortran/choice_buffer.hpp \
	bindings/fortran/descriptor.hpp \
	bindings/fortran/handle_numbers.cpp bindings/fortran/handle_numbers.hpp \
	bindings/fortran/kept.cpp bindings/fortran/kept.hpp \
	bindings/fortran/peers.cpp bindings/fortran/peers.hpp \
	bindings/fortran/raise.cpp bindings/fortran/raise.hpp \
	bindings/fortran/section.cpp bindings/fortran/section.hpp \
	bindings/fortran/section_types.cpp bindings/fortran/section_types.hpp \
	bindings/fortran/type_map.cpp bindings/fortran/type_map.hpp
# The definitions must not be seen beside the declarations that others use.
libfortran_parts_la_SOURCES = bindings/fortran/predefined_callbacks.cpp
parts_groups = together/parts-1.cpp
if TOGETHER
together += $(parts_groups)
nodist_libfortran_parts_la_SOURCES = $(parts_groups)
else
libfortran_parts_la_SOURCES += $(parts_sources)
endif
