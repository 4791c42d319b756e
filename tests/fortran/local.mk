# Fortran's three interfaces, by the compiler that configure found. All is compiled by the script, as
# users do it.
fortran_tests = tests/fortran/fortran.sh
if TESTS_ENABLED
TESTS += $(fortran_tests)
endif

# The same by others, and over other libraries: make check-fortran FORTRAN_COMPILERS="gfortran flang-22"
# FORTRAN_OTHER_MPIS="$HOME/impi $HOME/mpich" (virtual environments with impi-rt and mpich).
FORTRAN_COMPILERS = gfortran flang-22
check-fortran: all
	FORTRAN_COMPILERS="$(FORTRAN_COMPILERS)" FORTRAN_OTHER_MPIS="$(FORTRAN_OTHER_MPIS)" \
	  srcdir=$(srcdir) $(srcdir)/tests/fortran/fortran.sh
.PHONY: check-fortran

dist_check_SCRIPTS += $(fortran_tests)
EXTRA_DIST += tests/fortran/c_part.c tests/fortran/checks.f90 \
	tests/fortran/complete_in_c.f90 tests/fortran/fortran_part.f90 tests/fortran/include_file.f \
	tests/fortran/new_module.f90 tests/fortran/old_module.f90 tests/fortran/plain_f08.f90 \
	tests/fortran/plug_in.f90 tests/fortran/plug_in_user.c tests/fortran/wrong_numbers.c
