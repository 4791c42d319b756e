# What abi/generate.py makes of the tables.
unit_scripts += tests/unit/abi/generate_test.py
