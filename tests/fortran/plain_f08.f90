! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! The module mpi_f08 as compilers get it that cannot hand on descriptors: contiguous buffers, blocking
! calls of sections (the compiler copies), large counts, sentinels. Two processes or more.
program plain_f08
  use mpi_f08
  use checks
  implicit none
  integer :: rank, nprocs, left, right, values(4, 4), got(4), sum, i
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs)
  left = modulo(rank - 1, nprocs)
  right = modulo(rank + 1, nprocs)
  call check(.not. MPI_SUBARRAYS_SUPPORTED, 'MPI_SUBARRAYS_SUPPORTED')
  values = reshape([(100 * rank + i, i = 1, 16)], [4, 4])
  call MPI_Irecv(got, 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, request)
  call MPI_Send(values(2, :), 4_MPI_COUNT_KIND, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
  call MPI_Wait(request, status)
  call check(all(got == 100 * left + [2, 6, 10, 14]) .and. status%MPI_SOURCE == left, 'a row')
  sum = rank
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(sum == nprocs * (nprocs - 1) / 2, 'MPI_IN_PLACE')
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'as wanted'
end program
