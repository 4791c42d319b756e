noinst_LTLIBRARIES += libruntime.la
runtime_sources = \
	runtime/abort_words.hpp \
	runtime/bootstrap/bootstrap.cpp runtime/bootstrap/bootstrap.hpp \
	runtime/bootstrap/bootstrap_open.cpp runtime/bootstrap/bootstrap_open.hpp \
	runtime/bootstrap/memory_bootstrap.cpp runtime/bootstrap/memory_bootstrap.hpp \
	runtime/bootstrap/pmix_bootstrap.cpp runtime/bootstrap/pmix_bootstrap.hpp \
	runtime/bootstrap/pmix_lookups.cpp runtime/bootstrap/pmix_lookups.hpp \
	runtime/bootstrap/pmix_services.cpp runtime/bootstrap/pmix_services.hpp \
	runtime/bootstrap/pmix_values.cpp runtime/bootstrap/pmix_values.hpp \
	runtime/bootstrap/singleton_bootstrap.cpp runtime/bootstrap/singleton_bootstrap.hpp \
	runtime/bootstrap/spawn_keys.hpp \
	runtime/cache_file.cpp runtime/cache_file.hpp \
	runtime/call_status.cpp runtime/call_status.hpp \
	runtime/claim_lines.hpp \
	runtime/clock.hpp \
	runtime/copy.cpp runtime/copy.hpp runtime/copy_small.hpp runtime/copy_time.cpp \
	runtime/copy_time.hpp runtime/nagle.cpp runtime/nagle.hpp runtime/prefetch.hpp \
	runtime/error.cpp runtime/error.hpp \
	runtime/events.cpp runtime/events.hpp \
	runtime/fmt.cpp \
	runtime/host_facts.cpp runtime/host_facts.hpp \
	runtime/intrusive_list.hpp \
	runtime/launch_params.cpp runtime/launch_params.hpp \
	runtime/log.cpp runtime/log.hpp \
	runtime/os/kernel_copy.cpp runtime/os/kernel_copy.hpp \
	runtime/os/os.cpp runtime/os/os.hpp \
	runtime/params.cpp runtime/params.hpp \
	runtime/pool.hpp \
	runtime/process.cpp runtime/process.hpp \
	runtime/processor.hpp \
	runtime/progress.cpp runtime/progress.hpp \
	runtime/progress_sources.cpp runtime/progress_sources.hpp \
	runtime/run_queue.cpp runtime/run_queue.hpp \
	runtime/signals_blocked.hpp \
	runtime/task.hpp \
	runtime/topology.cpp runtime/topology.hpp \
	runtime/waiting/adaptive_wait.cpp runtime/waiting/adaptive_wait.hpp \
	runtime/waiting/core_yield.cpp runtime/waiting/core_yield.hpp \
	runtime/waiting/sleeping_threads.cpp runtime/waiting/sleeping_threads.hpp \
	runtime/waiting/wait_notices.cpp runtime/waiting/wait_notices.hpp \
	runtime/waiting/wait_policy.cpp runtime/waiting/wait_policy.hpp \
	runtime/waiting/word_watch.hpp \
	runtime/watermark.hpp
runtime_groups = together/runtime-1.cpp together/runtime-2.cpp
if TOGETHER
together += $(runtime_groups)
nodist_libruntime_la_SOURCES = $(runtime_groups)
else
libruntime_la_SOURCES = $(runtime_sources)
endif
libruntime_la_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS) $(HWLOC_CFLAGS)
libruntime_la_LIBADD = $(PMIX_LIBS) $(HWLOC_LIBS)
