# Parallel files: what is on storage, and which bytes of it a process sees.
noinst_LTLIBRARIES += libfiles.la
files_sources = \
	files/counters.hpp \
	files/data_representation.cpp files/data_representation.hpp \
	files/file_calls.cpp files/file_calls.hpp \
	files/file_hints.cpp files/file_hints.hpp \
	files/file_system.cpp files/file_system.hpp \
	files/file_view.cpp files/file_view.hpp \
	files/mapped_writes.cpp files/mapped_writes.hpp \
	files/range_queue.hpp \
	files/storage.cpp files/storage.hpp \
	files/transferred.cpp files/transferred.hpp \
	files/transfers.cpp files/transfers.hpp \
	files/type_in_file.cpp files/type_in_file.hpp \
	files/user_representation.cpp files/user_representation.hpp
files_groups = together/files-1.cpp
if TOGETHER
together += $(files_groups)
nodist_libfiles_la_SOURCES = $(files_groups)
else
libfiles_la_SOURCES = $(files_sources)
endif
libfiles_la_LIBADD = libonesided.la
