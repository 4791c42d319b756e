rdma_btl_sources += \
	rdma_btl/ofi/api.cpp \
	rdma_btl/ofi/api.hpp \
	rdma_btl/ofi/endpoint.hpp \
	rdma_btl/ofi/line.cpp \
	rdma_btl/ofi/line.hpp \
	rdma_btl/ofi/ofi_config.hpp \
	rdma_btl/ofi/ofi_connect.cpp \
	rdma_btl/ofi/ofi_credits.cpp \
	rdma_btl/ofi/ofi_device.hpp \
	rdma_btl/ofi/ofi_open.cpp \
	rdma_btl/ofi/ofi_params.cpp \
	rdma_btl/ofi/ofi_params.hpp \
	rdma_btl/ofi/ofi_poll.cpp \
	rdma_btl/ofi/ofi_post.cpp \
	rdma_btl/ofi/ofi_statistics.cpp \
	rdma_btl/ofi/wire.hpp
