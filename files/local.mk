# Parallel files: what is on storage, and which bytes of it a process sees.
noinst_LTLIBRARIES += libfiles.la
files_sources = \
	files/counters.hpp \
	files/file_calls.hpp \
	files/file_system.hpp \
	files/storage.hpp \
	files/transferred.cpp files/transferred.hpp \
	files/transfers.hpp
files_groups = together/files-1.cpp
if TOGETHER
together += $(files_groups)
nodist_libfiles_la_SOURCES = $(files_groups)
else
libfiles_la_SOURCES = $(files_sources)
endif
libfiles_la_LIBADD = libonesided.la
