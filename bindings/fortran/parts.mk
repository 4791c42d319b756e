# What the Fortran routines stand on: descriptors, sections, callbacks, attributes. It uses the functions
# of the standard ABI and nothing else of this library, so that it runs over any libmpi_abi.
noinst_LTLIBRARIES += libfortran_parts.la
libfortran_parts_la_SOURCES = \
	bindings/fortran/attributes.hpp \
	bindings/fortran/callbacks.hpp \
	bindings/fortran/choice_buffer.hpp \
	bindings/fortran/descriptor.hpp \
	bindings/fortran/kept.hpp \
	bindings/fortran/raise.hpp
