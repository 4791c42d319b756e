# Other people's codes, built with the wrappers of this build folder and of the other libraries: hours.
# CODES="--codes fftw --ranks 2" for fewer; see tests/codes/check_codes --help.
CODES =
check-codes: all
	$(srcdir)/tests/codes/check_codes --remit . --markdown $(srcdir)/docs/codes.md $(CODES)
.PHONY: check-codes
codes_recipes = boost-mpi espresso fftw h5py hdf5 hypre lammps mpi4py mumps netcdf openfoam p4est petsc petsc-c pnetcdf scalapack \
	superlu-dist
EXTRA_DIST += tests/codes/check_codes tests/codes/recipe.py tests/codes/report.py tests/codes/source.py tests/codes/wrappers.py \
	$(codes_recipes:%=tests/codes/recipes/%.toml)
