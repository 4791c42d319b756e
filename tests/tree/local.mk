# What reads the sources and the built library. Scripts: they run in the top build folder and find the
# sources by $srcdir.
unit_scripts += \
	tests/tree/abi_names.sh \
	tests/tree/check_exceptions \
	tests/tree/check_includes \
	tests/tree/check_links \
	tests/tree/conformance.sh \
	tests/tree/symbols.sh

# Every header in one source: what two of them define differently, or twice, does not compile.
check_LTLIBRARIES += liball_headers.la
nodist_liball_headers_la_SOURCES = tests/tree/all_headers.cpp
liball_headers_la_CPPFLAGS = $(AM_CPPFLAGS) -DASIO_STANDALONE -DASIO_DISABLE_STD_ALIGNED_ALLOC \
	$(PMIX_CFLAGS) $(HWLOC_CFLAGS)
tests/tree/all_headers.cpp: Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)cd $(srcdir) && find $(layers) launcher -name '*.hpp' | LC_ALL=C sort | \
	  sed 's/.*/#include "&"/' >$(abs_builddir)/$@
CLEANFILES += tests/tree/all_headers.cpp
