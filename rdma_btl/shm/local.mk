rdma_btl_sources += \
	rdma_btl/shm/arena.cpp \
	rdma_btl/shm/arena.hpp \
	rdma_btl/shm/copy_table.cpp \
	rdma_btl/shm/copy_table.hpp \
	rdma_btl/shm/endpoint.hpp \
	rdma_btl/shm/kernel_copy.cpp \
	rdma_btl/shm/kernel_copy.hpp \
	rdma_btl/shm/layout.hpp \
	rdma_btl/shm/ring.hpp \
	rdma_btl/shm/shm_arena.cpp \
	rdma_btl/shm/shm_config.hpp \
	rdma_btl/shm/shm_connect.cpp \
	rdma_btl/shm/shm_copy.cpp \
	rdma_btl/shm/shm_device.cpp \
	rdma_btl/shm/shm_device.hpp \
	rdma_btl/shm/shm_facts.cpp \
	rdma_btl/shm/shm_mail.cpp \
	rdma_btl/shm/shm_notices.cpp \
	rdma_btl/shm/shm_params.cpp \
	rdma_btl/shm/shm_params.hpp \
	rdma_btl/shm/shm_serve.cpp \
	rdma_btl/shm/shm_statistics.cpp
