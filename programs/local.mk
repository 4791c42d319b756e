# Programs that are installed beside the library, but for mpirun (launcher/).

# remit_info reads the declarations of the parameters from the layers themselves, so it takes all of
# their objects, not only those that it calls.
bin_PROGRAMS += remit_info
remit_info_SOURCES = programs/remit_info.cpp programs/info_collectives.cpp \
	programs/info_collectives.hpp programs/info_report.cpp programs/info_report.hpp \
	programs/info_windows.cpp programs/info_windows.hpp programs/window_rows.cpp \
	programs/window_rows.hpp programs/info_files.cpp programs/info_files.hpp \
	programs/file_rows.cpp programs/file_rows.hpp
# (automake takes a literal -Wl here for a mistake)
remit_info_LDADD = $(subst ,,-Wl,--whole-archive,.libs/libfiles.a,--no-whole-archive) \
	$(PMIX_LIBS) $(HWLOC_LIBS)
remit_info_DEPENDENCIES = libfiles.la
