noinst_LTLIBRARIES += librdma_btl.la
librdma_btl_la_SOURCES = \
	rdma_btl/device.hpp
librdma_btl_la_LIBADD = libruntime.la
