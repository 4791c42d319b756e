# What reads the sources and the built library. Scripts: they run in the top build folder and find the
# sources by $srcdir.
unit_scripts += \
	tests/tree/abi_names.sh \
	tests/tree/check_exceptions \
	tests/tree/check_includes \
	tests/tree/check_links \
	tests/tree/conformance.sh \
	tests/tree/symbols.sh
