# The profiler: a library that mpirun --profile preloads. It is a client of MPI's public interface and
# uses nothing else of this library, so that it runs with any libmpi_abi. Wrappers are made from abi/.
profile_generated = tool/generated/functions.inc tool/generated/wrappers.cpp
EXTRA_DIST += tool/profile/generate.py tool/generated/functions.inc
MAINTAINERCLEANFILES += $(profile_generated)
$(profile_generated): tool/profile/generate.py abi/tables.py abi/functions.tsv abi/types.tsv
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  $(PYTHON) $(srcdir)/tool/profile/generate.py $(@F) >$@.tmp && mv $@.tmp $@
generated: $(profile_generated)

lib_LTLIBRARIES += libremit_profile.la
recorder_sources = \
	tool/profile/call_stack.cpp tool/profile/call_stack.hpp \
	tool/profile/clock.cpp tool/profile/clock.hpp \
	tool/profile/functions.hpp \
	tool/profile/inside.cpp tool/profile/inside.hpp \
	tool/profile/life.cpp \
	tool/profile/modules.cpp tool/profile/modules.hpp \
	tool/profile/peers.cpp tool/profile/peers.hpp \
	tool/profile/record.hpp \
	tool/profile/record_file.cpp tool/profile/record_file.hpp \
	tool/profile/recorder.cpp tool/profile/recorder.hpp \
	tool/profile/spin_lock.hpp tool/profile/trace.hpp \
	tool/profile/tracer.cpp tool/profile/tracer.hpp
libremit_profile_la_SOURCES = tool/generated/wrappers.cpp
recorder_groups = together/recorder-1.cpp
if TOGETHER
together += $(recorder_groups)
nodist_libremit_profile_la_SOURCES = $(recorder_groups)
else
libremit_profile_la_SOURCES += $(recorder_sources)
endif
libremit_profile_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-exceptions -fno-rtti -fno-threadsafe-statics
libremit_profile_la_LIBADD = $(STATIC_LIBSTDCXX)
libremit_profile_la_LDFLAGS = -module -avoid-version \
	-Wl,--version-script=$(srcdir)/tool/profile/exports.map -Wl,--as-needed
libremit_profile_la_DEPENDENCIES = tool/profile/exports.map
EXTRA_DIST += tool/profile/exports.map
$(libremit_profile_la_OBJECTS): | $(profile_generated)
