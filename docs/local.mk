dist_man1_MANS += docs/mpicc.1 docs/remit_info.1 docs/remit_profile.1 docs/mpicxx.1 docs/mpic++.1 docs/mpifort.1 docs/mpif90.1 docs/mpif77.1
EXTRA_DIST += CONTRIBUTING.md docs/make_conformance docs/cmake.md docs/codes.md docs/conformance.md docs/fortran.md docs/hdf5.md docs/openfoam.md docs/petsc.md docs/suites.md docs/architecture.md docs/copies.md docs/notified-access.md docs/programs.md docs/performance.md \
	docs/performance.svg docs/performance-xeon.svg docs/matching.svg docs/collectives.md docs/collectives-2.svg docs/collectives-2-barrier.svg \
	docs/collectives-4.svg docs/collectives-8.svg docs/scale.md docs/scale.svg docs/scale-hosts.svg \
	docs/startup.svg docs/interop.md docs/mpi4py.md docs/profiling.md docs/style.md docs/glossary.md docs/extending.md docs/events.md \
	docs/images/checkpoints-epyc.svg docs/images/heat.png docs/images/profile.png docs/images/layers.svg docs/images/copies-xeon-a0671.svg docs/images/copies-xeon-c06f2.svg docs/images/copies-epyc-4th.svg

measurements = 2026-11-27-epyc-files 2026-11-22-epyc 2026-11-22-epyc-emulated 2026-11-22-xeon 2026-11-23-epyc 2026-11-23-two-processors \
	2026-11-23-xeon 2026-11-25-epyc-5th 2026-11-25-loggp 2026-11-25-unnamed 2026-11-26-two-processors \
	2026-11-26-xeon-a0671 2026-11-26-xeon-c06f2 2026-11-27-epyc-copies 2026-11-27-epyc-house 2026-11-27-epyc-notified \
	2026-11-27-epyc-windows 2026-11-27-fortran-calls 2026-11-28-epyc-checkpoints 2026-11-28-epyc-files 2026-11-28-epyc-profiles \
	2026-11-28-epyc-windows 2026-11-28-fortran-codes
decisions = README a-tcp-device-of-our-own algorithms-as-coroutines brief-messages collectives-between-two-ranks \
	copies-between-two-ranks copies-outside-the-trap datatype-below-pt2pt extents-from-the-type-map \
	first-barrier-of-many-ranks hints-change-nothing integers-are-macros one-lock-for-threads overlapped-messages plain-loops \
	queue-before-tables reductions-of-sections short-paths stores-into-mappings streaming-stores streams-of-long-messages \
	the-board-or-the-kernel \
	the-pace-of-the-kernels-copies what-starts-a-rank whose-the-lines-are
design = board collectives communicators datatypes devices errors files fortran launching links messages ofi profile progress registration \
	shared-memory tcp tool verbs windows
journeys = allreduce job long-send window
EXTRA_DIST += $(design:%=docs/design/%.md) $(journeys:%=docs/journeys/%.md)
EXTRA_DIST += $(measurements:%=docs/measurements/%.md) $(decisions:%=docs/decisions/%.md)

# Counts the functions that work from the code; a test fails while the page says something else.
conformance:
	$(srcdir)/docs/make_conformance $(srcdir)
.PHONY: conformance

# The longest functions, files and classes, and the headers that are included the most: to look at.
style:
	python3 $(srcdir)/tools/style.py --compile "$(CXX) $(DEFAULT_INCLUDES) $(CPPFLAGS) -std=c++20" \
	  --picture style.svg $(srcdir)
.PHONY: style
CLEANFILES += style.svg
EXTRA_DIST += tools/style.py
