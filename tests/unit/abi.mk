# What abi/generate.py makes of the tables.
dist_check_SCRIPTS += tests/unit/abi/generate_test.py
TESTS += tests/unit/abi/generate_test.py
