dist_man1_MANS += docs/mpicc.1 docs/remit_info.1 docs/mpicxx.1 docs/mpic++.1 docs/mpifort.1 docs/mpif90.1 docs/mpif77.1
EXTRA_DIST += docs/make_conformance docs/conformance.md docs/suites.md docs/architecture.md docs/copies.md docs/programs.md docs/performance.md \
	docs/performance.svg docs/performance-xeon.svg docs/matching.svg docs/collectives.md docs/collectives-2.svg docs/collectives-2-barrier.svg \
	docs/collectives-4.svg docs/collectives-8.svg docs/scale.md docs/scale.svg docs/scale-hosts.svg \
	docs/startup.svg docs/interop.md docs/mpi4py.md \
	docs/measurements/2026-11-26-xeon-a0671.md docs/measurements/2026-11-26-xeon-c06f2.md \
	docs/images/heat.png docs/images/layers.svg docs/images/copies-xeon-a0671.svg docs/images/copies-xeon-c06f2.svg

# Counts the functions that work from the code; a test fails while the page says something else.
conformance:
	$(srcdir)/docs/make_conformance $(srcdir)
.PHONY: conformance
