rdma_btl_sources += \
	rdma_btl/net/interfaces.cpp \
	rdma_btl/net/interfaces.hpp \
	rdma_btl/net/net_params.hpp \
	rdma_btl/net/place.cpp \
	rdma_btl/net/place.hpp \
	rdma_btl/net/sockets.cpp \
	rdma_btl/net/sockets.hpp
