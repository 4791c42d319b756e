noinst_LTLIBRARIES += libruntime.la
runtime_sources = \
	runtime/abort_words.hpp \
	runtime/adaptive_wait.cpp runtime/adaptive_wait.hpp \
	runtime/core_yield.cpp runtime/core_yield.hpp \
	runtime/bootstrap.cpp runtime/bootstrap.hpp \
	runtime/bootstrap_open.cpp runtime/bootstrap_open.hpp \
	runtime/cache_file.cpp runtime/cache_file.hpp \
	runtime/call_status.cpp runtime/call_status.hpp \
	runtime/clock.hpp \
	runtime/error.cpp runtime/error.hpp \
	runtime/events.cpp runtime/events.hpp \
	runtime/fmt.cpp \
	runtime/host_facts.cpp runtime/host_facts.hpp \
	runtime/intrusive_list.hpp \
	runtime/launch_params.cpp runtime/launch_params.hpp \
	runtime/log.cpp runtime/log.hpp \
	runtime/memory_bootstrap.cpp runtime/memory_bootstrap.hpp \
	runtime/os/kernel_copy.cpp runtime/os/kernel_copy.hpp \
	runtime/os/os.cpp runtime/os/os.hpp \
	runtime/copy.cpp runtime/copy.hpp runtime/copy_small.hpp runtime/nagle.cpp runtime/nagle.hpp runtime/prefetch.hpp \
	runtime/claim_lines.hpp \
	runtime/params.cpp runtime/params.hpp \
	runtime/pmix_bootstrap.cpp runtime/pmix_bootstrap.hpp \
	runtime/pmix_lookups.cpp runtime/pmix_lookups.hpp \
	runtime/pmix_services.cpp runtime/pmix_services.hpp \
	runtime/pmix_values.cpp runtime/pmix_values.hpp \
	runtime/pool.hpp \
	runtime/process.cpp runtime/process.hpp \
	runtime/processor.hpp \
	runtime/progress.cpp runtime/progress.hpp \
	runtime/progress_sources.cpp runtime/progress_sources.hpp \
	runtime/run_queue.cpp runtime/run_queue.hpp \
	runtime/signals_blocked.hpp \
	runtime/singleton_bootstrap.cpp runtime/singleton_bootstrap.hpp \
	runtime/sleeping_threads.cpp runtime/sleeping_threads.hpp \
	runtime/spawn_keys.hpp \
	runtime/task.hpp \
	runtime/topology.cpp runtime/topology.hpp \
	runtime/wait_notices.cpp runtime/wait_notices.hpp \
	runtime/wait_policy.cpp runtime/wait_policy.hpp \
	runtime/watermark.hpp \
	runtime/word_watch.hpp
runtime_groups = together/runtime-1.cpp together/runtime-2.cpp
if TOGETHER
together += $(runtime_groups)
nodist_libruntime_la_SOURCES = $(runtime_groups)
else
libruntime_la_SOURCES = $(runtime_sources)
endif
libruntime_la_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS) $(HWLOC_CFLAGS)
libruntime_la_LIBADD = $(PMIX_LIBS) $(HWLOC_LIBS)
