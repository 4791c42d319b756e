# Registration of user memory: index, registrar, memory monitors, cache.
rdma_btl_sources += \
	rdma_btl/registration/address_range.hpp \
	rdma_btl/registration/interval_map.hpp \
	rdma_btl/registration/memory_monitor.hpp \
	rdma_btl/registration/memory_watch.cpp \
	rdma_btl/registration/memory_watch.hpp \
	rdma_btl/registration/preload_hooks.h \
	rdma_btl/registration/preload_monitor.cpp \
	rdma_btl/registration/preload_monitor.hpp \
	rdma_btl/registration/registrar.cpp \
	rdma_btl/registration/registrar.hpp \
	rdma_btl/registration/registration_cache.cpp \
	rdma_btl/registration/registration_cache.hpp \
	rdma_btl/registration/userfaultfd_monitor.cpp \
	rdma_btl/registration/userfaultfd_monitor.hpp

# What a user preloads where there is no userfaultfd. The same file serves every version.
lib_LTLIBRARIES += libremit_memory.la
libremit_memory_la_SOURCES = rdma_btl/registration/remit_memory.c \
	rdma_btl/registration/preload_hooks.h
libremit_memory_la_CFLAGS = $(AM_CFLAGS) -std=gnu17 -fvisibility=hidden
libremit_memory_la_LDFLAGS = -module -avoid-version
