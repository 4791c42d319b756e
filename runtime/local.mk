noinst_LTLIBRARIES += libruntime.la
libruntime_la_SOURCES = \
	runtime/error.cpp runtime/error.hpp \
	runtime/intrusive_list.hpp runtime/pool.hpp
libruntime_la_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS) $(HWLOC_CFLAGS)
libruntime_la_LIBADD = $(PMIX_LIBS) $(HWLOC_LIBS)
