noinst_LTLIBRARIES += librdma_btl.la
librdma_btl_la_SOURCES = \
	rdma_btl/device.hpp \
	rdma_btl/open_devices.cpp rdma_btl/open_devices.hpp \
	rdma_btl/device.cpp \
	rdma_btl/mask.cpp rdma_btl/mask.hpp \
	rdma_btl/pending.cpp \
	rdma_btl/pending.hpp \
	rdma_btl/sim/sim_device.cpp \
	rdma_btl/sim/sim_device.hpp \
	rdma_btl/sim/sim_flight.cpp \
	rdma_btl/sim/sim_flight.hpp \
	rdma_btl/sim/sim_network.cpp \
	rdma_btl/sim/sim_network.hpp
librdma_btl_la_LIBADD = libruntime.la
include rdma_btl/shm/local.mk
include rdma_btl/registration/local.mk
include rdma_btl/verbs/local.mk
include rdma_btl/net/local.mk
include rdma_btl/ofi/local.mk
include rdma_btl/tcp/local.mk
