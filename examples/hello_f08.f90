! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! The smallest MPI program in Fortran.
program hello
  use mpi_f08
  implicit none
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  print '(a, i0, a, i0)', 'hello from rank ', rank, ' of ', size
  call MPI_Finalize()
end program
