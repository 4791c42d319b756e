check_PROGRAMS += device_shm_test
TESTS += device_shm_test
device_shm_test_SOURCES = \
	tests/unit/rdma_btl/shm/device_test.cpp tests/unit/rdma_btl/shm/side.hpp $(device_suite)
device_shm_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_shm_test_LDADD = librdma_btl.la $(UNIT_LIBS)

check_PROGRAMS += shm_copy_table_test
TESTS += shm_copy_table_test
shm_copy_table_test_SOURCES = tests/unit/rdma_btl/shm/copy_table_test.cpp
shm_copy_table_test_CPPFLAGS = $(UNIT_CPPFLAGS)
shm_copy_table_test_LDADD = librdma_btl.la $(UNIT_LIBS)

check_PROGRAMS += shm_kernel_copy_test
TESTS += shm_kernel_copy_test
shm_kernel_copy_test_SOURCES = tests/unit/rdma_btl/shm/kernel_copy_test.cpp
shm_kernel_copy_test_CPPFLAGS = $(UNIT_CPPFLAGS)
shm_kernel_copy_test_LDADD = librdma_btl.la $(UNIT_LIBS)

check_PROGRAMS += device_shm_area_test
TESTS += device_shm_area_test
device_shm_area_test_SOURCES = tests/unit/rdma_btl/shm/area_test.cpp
device_shm_area_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_shm_area_test_LDADD = librdma_btl.la $(UNIT_LIBS)

check_PROGRAMS += device_shm_copies_test
TESTS += device_shm_copies_test
device_shm_copies_test_SOURCES = tests/unit/rdma_btl/shm/copies_test.cpp
device_shm_copies_test_CPPFLAGS = $(UNIT_CPPFLAGS)
device_shm_copies_test_LDADD = librdma_btl.la $(UNIT_LIBS)
