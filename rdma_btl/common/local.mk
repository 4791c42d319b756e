rdma_btl_sources += \
	rdma_btl/common/credit_pool.cpp \
	rdma_btl/common/credit_pool.hpp \
	rdma_btl/common/credit_queue.hpp \
	rdma_btl/common/credits.hpp \
	rdma_btl/common/due_answers.hpp \
	rdma_btl/common/endpoint_table.hpp \
	rdma_btl/common/first_contact.hpp \
	rdma_btl/common/own_completions.hpp \
	rdma_btl/common/recall_clock.hpp
