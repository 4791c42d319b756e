rdma_btl_sources += \
	rdma_btl/net/address_book.cpp \
	rdma_btl/net/address_book.hpp \
	rdma_btl/net/interfaces.cpp \
	rdma_btl/net/interfaces.hpp \
	rdma_btl/net/net_params.hpp \
	rdma_btl/net/sockets.cpp \
	rdma_btl/net/sockets.hpp
