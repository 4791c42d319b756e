# Parallel files: what is on storage, and which bytes of it a process sees.
noinst_LTLIBRARIES += libfiles.la
files_sources = \
	files/access_mode.cpp files/access_mode.hpp \
	files/agreement.cpp files/agreement.hpp \
	files/data_access.cpp files/data_access.hpp \
	files/end_of_request.hpp \
	files/file.cpp files/file.hpp \
	files/file_core.hpp \
	files/file_hints.cpp files/file_hints.hpp \
	files/file_operation.cpp files/file_operation.hpp \
	files/opening.cpp files/opening.hpp \
	files/refused_access.hpp \
	files/shared_hints.cpp files/shared_hints.hpp \
	files/shared_pointer.cpp files/shared_pointer.hpp \
	files/split_access.hpp \
	files/staged/access_room.hpp \
	files/staged/access_summary.cpp files/staged/access_summary.hpp \
	files/staged/byte_marks.cpp files/staged/byte_marks.hpp \
	files/staged/collective_access.cpp files/staged/collective_access.hpp \
	files/staged/collective_plan.cpp files/staged/collective_plan.hpp \
	files/staged/file_staging.cpp files/staged/file_staging.hpp \
	files/staged/host_meeting.cpp files/staged/host_meeting.hpp \
	files/staged/host_owners.cpp files/staged/host_owners.hpp \
	files/staged/letter_exchange.cpp files/staged/letter_exchange.hpp \
	files/staged/lost_touch.cpp files/staged/lost_touch.hpp \
	files/staged/shared_access.cpp files/staged/shared_access.hpp \
	files/staged/slice_message.cpp files/staged/slice_message.hpp \
	files/staged/spread_access.cpp files/staged/spread_access.hpp \
	files/staged/spread_letters.hpp \
	files/staged/staged_access.cpp files/staged/staged_access.hpp \
	files/staged/staging_memory.cpp files/staged/staging_memory.hpp \
	files/storage/counters.hpp \
	files/storage/file_calls.cpp files/storage/file_calls.hpp \
	files/storage/file_system.cpp files/storage/file_system.hpp \
	files/storage/io_threads.cpp files/storage/io_threads.hpp \
	files/storage/kept_mappings.cpp files/storage/kept_mappings.hpp \
	files/storage/mapped_stores.cpp files/storage/mapped_stores.hpp \
	files/storage/mapped_writes.cpp files/storage/mapped_writes.hpp \
	files/storage/out_of_mpi.hpp \
	files/storage/range_queue.hpp \
	files/storage/storage.cpp files/storage/storage.hpp \
	files/storage/transferred.cpp files/storage/transferred.hpp \
	files/storage/transfers.cpp files/storage/transfers.hpp \
	files/views/data_representation.cpp files/views/data_representation.hpp \
	files/views/file_view.cpp files/views/file_view.hpp \
	files/views/type_in_file.cpp files/views/type_in_file.hpp \
	files/views/user_representation.cpp files/views/user_representation.hpp \
	files/views/view_runs.hpp
files_groups = together/files-1.cpp
if TOGETHER
together += $(files_groups)
nodist_libfiles_la_SOURCES = $(files_groups)
else
libfiles_la_SOURCES = $(files_sources)
endif
libfiles_la_LIBADD = libonesided.la
