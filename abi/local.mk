# The ABI as tables.
ABI_TABLES = abi/constants.tsv abi/types.tsv abi/functions.tsv abi/fint.tsv
EXTRA_DIST += $(ABI_TABLES)
