dist_man1_MANS += docs/mpicc.1 docs/mpicxx.1 docs/mpic++.1
EXTRA_DIST += docs/make_conformance docs/conformance.md

# Counts the functions that work from the code; a test fails while the page says something else.
conformance:
	$(srcdir)/docs/make_conformance $(srcdir)
.PHONY: conformance
