noinst_LTLIBRARIES += librdma_btl.la
rdma_btl_sources = \
	rdma_btl/common/confirm_queue.hpp \
	rdma_btl/change_word.hpp \
	rdma_btl/device.hpp \
	rdma_btl/eager_path.cpp rdma_btl/eager_path.hpp \
	rdma_btl/eager_sends.hpp \
	rdma_btl/host_memory.cpp rdma_btl/host_memory.hpp \
	rdma_btl/open_devices.cpp rdma_btl/open_devices.hpp \
	rdma_btl/mask.cpp rdma_btl/mask.hpp \
	rdma_btl/pending.cpp \
	rdma_btl/pending.hpp \
	rdma_btl/sim/event_queue.hpp \
	rdma_btl/sim/fault_plan.cpp \
	rdma_btl/sim/fault_plan.hpp \
	rdma_btl/sim/flight.hpp \
	rdma_btl/sim/notice_memory.hpp \
	rdma_btl/sim/processes.cpp \
	rdma_btl/sim/processes.hpp \
	rdma_btl/sim/random_source.hpp \
	rdma_btl/sim/registrations.cpp \
	rdma_btl/sim/registrations.hpp \
	rdma_btl/sim/sim_config.cpp \
	rdma_btl/sim/sim_config.hpp \
	rdma_btl/sim/sim_device.cpp \
	rdma_btl/sim/sim_device.hpp \
	rdma_btl/sim/sim_host_memory.cpp \
	rdma_btl/sim/sim_host_memory.hpp \
	rdma_btl/sim/sim_network.cpp \
	rdma_btl/sim/sim_network.hpp \
	rdma_btl/sim/trace.cpp \
	rdma_btl/sim/trace.hpp \
	rdma_btl/sim/transport.cpp \
	rdma_btl/sim/transport.hpp \
	rdma_btl/sim/virtual_process.cpp \
	rdma_btl/sim/virtual_process.hpp
librdma_btl_la_LIBADD = libruntime.la
include rdma_btl/common/local.mk
include rdma_btl/shm/local.mk
include rdma_btl/registration/local.mk
include rdma_btl/verbs/local.mk
include rdma_btl/net/local.mk
include rdma_btl/ofi/local.mk
include rdma_btl/tcp/local.mk
rdma_btl_groups = together/rdma_btl-1.cpp together/rdma_btl-2.cpp together/rdma_btl-3.cpp \
	together/rdma_btl-4.cpp together/rdma_btl-5.cpp
if TOGETHER
together += $(rdma_btl_groups)
nodist_librdma_btl_la_SOURCES = $(rdma_btl_groups)
else
librdma_btl_la_SOURCES = $(rdma_btl_sources)
endif
