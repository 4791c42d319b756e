# Parallel files: what is on storage, and which bytes of it a process sees.
noinst_LTLIBRARIES += libfiles.la
files_sources = \
	files/access_summary.cpp files/access_summary.hpp \
	files/access_mode.cpp files/access_mode.hpp \
	files/agreement.cpp files/agreement.hpp \
	files/byte_marks.cpp files/byte_marks.hpp \
	files/collective_access.cpp files/collective_access.hpp \
	files/collective_plan.cpp files/collective_plan.hpp \
	files/counters.hpp \
	files/data_access.cpp files/data_access.hpp \
	files/data_representation.cpp files/data_representation.hpp \
	files/end_of_request.hpp \
	files/file.cpp files/file.hpp \
	files/file_calls.cpp files/file_calls.hpp \
	files/file_core.hpp \
	files/file_hints.cpp files/file_hints.hpp \
	files/file_operation.cpp files/file_operation.hpp \
	files/file_staging.cpp files/file_staging.hpp \
	files/file_system.cpp files/file_system.hpp \
	files/file_view.cpp files/file_view.hpp \
	files/host_owners.cpp files/host_owners.hpp \
	files/io_threads.cpp files/io_threads.hpp \
	files/letter_exchange.cpp files/letter_exchange.hpp \
	files/lost_touch.cpp files/lost_touch.hpp \
	files/mapped_writes.cpp files/mapped_writes.hpp \
	files/opening.cpp files/opening.hpp \
	files/out_of_mpi.hpp \
	files/range_queue.hpp \
	files/refused_access.hpp \
	files/shared_access.cpp files/shared_access.hpp \
	files/shared_hints.cpp files/shared_hints.hpp \
	files/shared_pointer.cpp files/shared_pointer.hpp \
	files/slice_message.cpp files/slice_message.hpp \
	files/split_access.hpp \
	files/spread_access.cpp files/spread_access.hpp \
	files/staged_access.cpp files/staged_access.hpp \
	files/staging_memory.cpp files/staging_memory.hpp \
	files/storage.cpp files/storage.hpp \
	files/transferred.cpp files/transferred.hpp \
	files/transfers.cpp files/transfers.hpp \
	files/type_in_file.cpp files/type_in_file.hpp \
	files/user_representation.cpp files/user_representation.hpp \
	files/view_runs.hpp
files_groups = together/files-1.cpp
if TOGETHER
together += $(files_groups)
nodist_libfiles_la_SOURCES = $(files_groups)
else
libfiles_la_SOURCES = $(files_sources)
endif
libfiles_la_LIBADD = libonesided.la
