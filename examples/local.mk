# The examples, built with the library just built; their sources are installed for people to copy.
noinst_PROGRAMS += examples/hello examples/heat2d examples/cg examples/sample_sort \
	examples/hash_table examples/halo examples/work_queue examples/notify_ring \
	examples/checkpoint

examples_hello_SOURCES = examples/hello.c

examples_heat2d_SOURCES = examples/heat2d.cpp examples/heat2d_picture.cpp \
	examples/heat2d_picture.hpp examples/heat2d_file.cpp examples/heat2d_file.hpp \
	examples/command_line.hpp
examples_heat2d_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_heat2d_LDADD = $(LDADD) $(PNG_LIBS)

examples_cg_SOURCES = examples/cg.cpp examples/sparse.cpp examples/sparse.hpp \
	examples/command_line.hpp

examples_sample_sort_SOURCES = examples/sample_sort.cpp examples/command_line.hpp

examples_hash_table_SOURCES = examples/hash_table.cpp examples/command_line.hpp

examples_halo_SOURCES = examples/halo.cpp examples/halo_picture.cpp examples/halo_picture.hpp \
	examples/command_line.hpp

examples_work_queue_SOURCES = examples/work_queue.cpp examples/command_line.hpp

examples_checkpoint_SOURCES = examples/checkpoint.cpp examples/command_line.hpp

examples_notify_ring_SOURCES = examples/notify_ring.c

# A run of tests/mpi/runs/examples.mpi leaves it to the next one.
CLEANFILES += heat2d.plate

exampledir = $(docdir)/examples
dist_example_DATA = examples/Makefile examples/hello.c examples/heat2d.cpp \
	examples/heat2d_picture.cpp examples/heat2d_picture.hpp examples/heat2d_file.cpp \
	examples/heat2d_file.hpp examples/command_line.hpp examples/checkpoint.cpp \
	examples/cg.cpp examples/sparse.cpp examples/sparse.hpp examples/sample_sort.cpp \
	examples/hash_table.cpp examples/halo.cpp examples/halo_picture.cpp examples/halo_picture.hpp \
	examples/work_queue.cpp examples/notify_ring.c examples/hello_f08.f90 examples/heat2d_f08.f90
exampledatadir = $(exampledir)/data
dist_exampledata_DATA = examples/data/plate_with_hole.mtx examples/data/make_plate.py
