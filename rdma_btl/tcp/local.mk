rdma_btl_sources += \
	rdma_btl/tcp/endpoint.hpp \
	rdma_btl/tcp/tcp_config.hpp \
	rdma_btl/tcp/tcp_connect.cpp \
	rdma_btl/tcp/tcp_device.hpp \
	rdma_btl/tcp/tcp_open.cpp \
	rdma_btl/tcp/tcp_receive.cpp \
	rdma_btl/tcp/tcp_send.cpp \
	rdma_btl/tcp/wire.hpp
