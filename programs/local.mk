# Programs that are installed beside the library, but for mpirun (launcher/).

# remit_info reads the declarations of the parameters from the layers themselves, so it takes all of
# their objects, not only those that it calls.
bin_PROGRAMS += remit_info
info_sources = programs/remit_info.cpp programs/info_collectives.cpp \
	programs/info_collectives.hpp programs/info_report.cpp programs/info_report.hpp \
	programs/info_variables.cpp programs/info_variables.hpp \
	programs/info_windows.cpp programs/info_windows.hpp programs/window_rows.cpp \
	programs/window_rows.hpp programs/info_files.cpp programs/info_files.hpp \
	programs/file_rows.cpp programs/file_rows.hpp
info_groups = together/info-1.cpp
if TOGETHER
together += $(info_groups)
nodist_remit_info_SOURCES = $(info_groups)
else
remit_info_SOURCES = $(info_sources)
endif
# (automake takes a literal -Wl here for a mistake)
remit_info_LDADD = $(subst ,,-Wl,--whole-archive,.libs/libfiles.a,--no-whole-archive) \
	$(PMIX_LIBS) $(HWLOC_LIBS)
remit_info_DEPENDENCIES = libfiles.la

# remit_profile: the report of mpirun --profile. Its page is a string of the program; no string may be
# longer than 64 KB for every compiler, so that it is written in pieces.
bin_PROGRAMS += remit_profile
remit_profile_SOURCES = programs/profile/main.cpp
remit_profile_LDADD = libprofile_report.la
noinst_LTLIBRARIES += libprofile_report.la
profile_sources = \
	programs/profile/advice.cpp programs/profile/advice.hpp \
	programs/profile/compare.cpp programs/profile/compare.hpp \
	programs/profile/drawing.cpp programs/profile/drawing.hpp \
	programs/profile/elf_symbols.cpp programs/profile/elf_symbols.hpp \
	programs/profile/figures.cpp programs/profile/figures.hpp \
	programs/profile/formats.hpp programs/profile/json.cpp \
	programs/profile/page.cpp programs/profile/pictures.cpp \
	programs/profile/profile.hpp \
	programs/profile/mapped_file.cpp programs/profile/mapped_file.hpp \
	programs/profile/message_join.cpp programs/profile/message_join.hpp \
	programs/profile/otf2.cpp programs/profile/otf2.hpp \
	programs/profile/perfetto.cpp programs/profile/perfetto.hpp \
	programs/profile/png.cpp \
	programs/profile/record_reader.cpp programs/profile/record_reader.hpp \
	programs/profile/record_time.cpp programs/profile/record_time.hpp \
	programs/profile/strip.cpp programs/profile/strip.hpp programs/profile/wait_chains.cpp programs/profile/wait_chains.hpp \
	programs/profile/symbols.cpp programs/profile/symbols.hpp \
	programs/profile/text.cpp \
	programs/profile/trace.cpp programs/profile/trace.hpp \
	programs/profile/trace_digest.cpp programs/profile/trace_digest.hpp \
	programs/profile/trace_json.cpp programs/profile/trace_json.hpp
profile_groups = together/profile-1.cpp together/profile-2.cpp
if TOGETHER
together += $(profile_groups)
nodist_libprofile_report_la_SOURCES = $(profile_groups)
else
libprofile_report_la_SOURCES = $(profile_sources)
endif
libprofile_report_la_LIBADD = libruntime.la -ldl
page_text = programs/generated/page.inc
EXTRA_DIST += programs/profile/page.html $(page_text)
MAINTAINERCLEANFILES += $(page_text)
$(page_text): programs/profile/page.html
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  $(AWK) 'BEGIN { q = "\"" } { print "R" q "page(" $$0 "\n)page" q }' \
	    $(srcdir)/programs/profile/page.html >$@.tmp && mv $@.tmp $@
generated: $(page_text)
$(remit_profile_OBJECTS) $(libprofile_report_la_OBJECTS): | $(page_text) $(profile_generated)
