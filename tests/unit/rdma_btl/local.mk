EXTRA_DIST += \
	tests/unit/rdma_btl/device_asking.hpp \
	tests/unit/rdma_btl/device_ip_suite.hpp \
	tests/unit/rdma_btl/device_nodes.hpp \
	tests/unit/rdma_btl/device_world.hpp \
	tests/unit/rdma_btl/registration/fakes.hpp \
	tests/unit/rdma_btl/registration/lonely_device.hpp \
	tests/unit/rdma_btl/registration/pinning_device.hpp \
	tests/unit/rdma_btl/shm/side.hpp \
	tests/unit/rdma_btl/verbs/nodes.hpp \
	tests/unit/rdma_btl/verbs/pair.hpp

# What every device passes; compiled once.
device_suite_sources = tests/unit/rdma_btl/device_suite.cpp tests/unit/rdma_btl/device_confirms.cpp \
	tests/unit/rdma_btl/device_facets.cpp
device_suite_groups = together/device_suite-1.cpp
if TOGETHER
unit_groups += $(device_suite_groups)
device_suite =
device_suite_made = $(device_suite_groups)
else
device_suite = $(device_suite_sources)
device_suite_made =
endif
device_libs = librdma_btl.la $(UNIT_LIBS)

unit_tests += rdma_btl_test
rdma_btl_test_LDADD = $(device_libs)
rdma_btl_test_sources = \
	tests/unit/rdma_btl/common/confirm_queue_test.cpp \
	tests/unit/rdma_btl/common/credit_pool_test.cpp \
	tests/unit/rdma_btl/common/endpoints_test.cpp \
	tests/unit/rdma_btl/net/interfaces_test.cpp \
	tests/unit/rdma_btl/registration/cache_test.cpp \
	tests/unit/rdma_btl/shm/parts_test.cpp \
	tests/unit/rdma_btl/sim/device_test.cpp \
	tests/unit/rdma_btl/sim/parts_test.cpp \
	tests/unit/rdma_btl/sim/suite_test.cpp \
	tests/unit/rdma_btl/verbs/parts_test.cpp
rdma_btl_test_groups = together/rdma_btl_test-1.cpp
rdma_btl_test_SOURCES = $(device_suite)
if TOGETHER
unit_groups += $(rdma_btl_test_groups)
nodist_rdma_btl_test_SOURCES = $(rdma_btl_test_groups) $(device_suite_made)
else
rdma_btl_test_SOURCES += $(rdma_btl_test_sources)
endif

unit_tests += device_shm_test device_shm_area_test device_shm_copies_test shm_copy_table_test
device_shm_test_SOURCES = tests/unit/rdma_btl/shm/device_test.cpp $(device_suite)
nodist_device_shm_test_SOURCES = $(device_suite_made)
device_shm_test_LDADD = $(device_libs)
device_shm_area_test_SOURCES = tests/unit/rdma_btl/shm/area_test.cpp
device_shm_area_test_LDADD = $(device_libs)
device_shm_copies_test_SOURCES = tests/unit/rdma_btl/shm/copies_test.cpp tests/unit/rdma_btl/shm/atomics_test.cpp
device_shm_copies_test_LDADD = $(device_libs)
shm_copy_table_test_SOURCES = tests/unit/rdma_btl/shm/copy_table_test.cpp
shm_copy_table_test_LDADD = $(device_libs)

# Skip themselves (77) where there is no RDMA device; tests/vm runs them where there is one.
unit_tests += device_verbs_test device_verbs_credits_test device_verbs_faults_test
device_verbs_test_SOURCES = tests/unit/rdma_btl/verbs/device_test.cpp $(device_suite)
nodist_device_verbs_test_SOURCES = $(device_suite_made)
device_verbs_test_LDADD = $(device_libs)
device_verbs_credits_test_SOURCES = tests/unit/rdma_btl/verbs/credits_test.cpp
device_verbs_credits_test_LDADD = $(device_libs)
device_verbs_faults_test_SOURCES = tests/unit/rdma_btl/verbs/faults_test.cpp
device_verbs_faults_test_LDADD = $(device_libs)

# On the loopback: no packet leaves the machine.
unit_tests += device_tcp_test device_ofi_test
device_tcp_test_SOURCES = tests/unit/rdma_btl/tcp/device_test.cpp \
	tests/unit/rdma_btl/tcp/parts_test.cpp $(device_suite)
nodist_device_tcp_test_SOURCES = $(device_suite_made)
device_tcp_test_LDADD = $(device_libs)
device_ofi_test_SOURCES = tests/unit/rdma_btl/ofi/device_test.cpp \
	tests/unit/rdma_btl/ofi/parts_test.cpp $(device_suite)
nodist_device_ofi_test_SOURCES = $(device_suite_made)
device_ofi_test_LDADD = $(device_libs)

# The torture takes some seconds; `./registration_torture 60` takes a minute for each run.
unit_tests += registration_map_test registration_monitor_test registration_torture
registration_map_test_SOURCES = tests/unit/rdma_btl/registration/map_test.cpp
registration_map_test_LDADD = $(device_libs) -lrapidcheck
registration_monitor_test_SOURCES = tests/unit/rdma_btl/registration/monitor_test.cpp
registration_monitor_test_LDADD = $(device_libs) $(FMT_LIBS)
registration_torture_SOURCES = tests/unit/rdma_btl/registration/torture.cpp
registration_torture_LDADD = $(device_libs)
EXTRA_registration_torture_DEPENDENCIES = libremit_memory.la
