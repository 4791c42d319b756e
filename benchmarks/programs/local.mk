# Whole programs, which benchmarks/programs/run sets beside other MPIs; they count their time in MPI.
time_in_mpi = benchmarks/programs/time_in_mpi.c

noinst_PROGRAMS += benchmarks/programs/stencil3d
benchmarks_programs_stencil3d_SOURCES = benchmarks/programs/stencil3d.cpp \
	examples/command_line.hpp $(time_in_mpi)

noinst_PROGRAMS += benchmarks/programs/particles
benchmarks_programs_particles_SOURCES = benchmarks/programs/particles.cpp \
	benchmarks/programs/particles_domain.cpp benchmarks/programs/particles_domain.hpp \
	benchmarks/programs/particles_forces.cpp benchmarks/programs/particles_forces.hpp \
	examples/command_line.hpp $(time_in_mpi)

EXTRA_DIST += benchmarks/programs/run
