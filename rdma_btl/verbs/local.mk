rdma_btl_sources += \
	rdma_btl/verbs/adapter.cpp \
	rdma_btl/verbs/adapter.hpp \
	rdma_btl/verbs/api.cpp \
	rdma_btl/verbs/api.hpp \
	rdma_btl/verbs/doctor.cpp \
	rdma_btl/verbs/doctor.hpp \
	rdma_btl/verbs/endpoint.hpp \
	rdma_btl/verbs/verbs_config.hpp \
	rdma_btl/verbs/verbs_connect.cpp \
	rdma_btl/verbs/verbs_credits.cpp \
	rdma_btl/verbs/verbs_device.hpp \
	rdma_btl/verbs/verbs_failure.cpp \
	rdma_btl/verbs/verbs_open.cpp \
	rdma_btl/verbs/verbs_params.cpp \
	rdma_btl/verbs/verbs_params.hpp \
	rdma_btl/verbs/verbs_poll.cpp \
	rdma_btl/verbs/verbs_post.cpp \
	rdma_btl/verbs/verbs_statistics.cpp \
	rdma_btl/verbs/wire.hpp
