! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! A plug-in whose sentinels must be the library's: by mpi_f08 and by the module mpi.
integer(c_int) function plug_in() bind(C)
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: sum, gathered(1)
  logical :: yes
  plug_in = 0
  call MPI_Initialized(yes)
  if (.not. yes) call MPI_Init()
  sum = 3
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF)
  if (sum /= 3) plug_in = 1
  call MPI_Sendrecv(sum, 1, MPI_INTEGER, 0, 0, gathered, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, &
    MPI_STATUS_IGNORE)
  if (gathered(1) /= 3) plug_in = 2
end function
