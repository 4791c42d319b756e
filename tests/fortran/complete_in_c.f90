! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! Nonblocking and persistent operations on array sections that Fortran starts and C completes
! (c_part.c), or the other way about. Two processes or more.
program complete_in_c
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use checks
  implicit none
  interface
    subroutine c_wait(request) bind(C)
      import :: c_int
      integer(c_int) :: request
    end subroutine
    subroutine c_start(request) bind(C)
      import :: c_int
      integer(c_int) :: request
    end subroutine
  end interface
  integer :: rank, nprocs, i
  integer, asynchronous :: sent(3, 5), got(3, 5)
  type(MPI_Request) :: request
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs)
  got = -1
  sent = -2
  sent(2, :) = [(i + rank, i = 1, 5)]
  call MPI_Iallreduce(sent(2, :), got(3, :), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
  call c_wait(request%MPI_VAL)
  call check(request == MPI_REQUEST_NULL, 'the request that C has completed')
  call check(all(got(3, :) == sums(0)), 'a reduction that C has completed')
  call check(all(got(:2, :) == -1), 'the rows beside it')
  call MPI_Isendrecv(sent(2, :), 5, MPI_INTEGER, modulo(rank + 1, nprocs), 1, got(1, :), 5, &
    MPI_INTEGER, modulo(rank - 1, nprocs), 1, MPI_COMM_WORLD, request)
  call c_wait(request%MPI_VAL)
  call check(all(got(1, :) == [(i + modulo(rank - 1, nprocs), i = 1, 5)]), 'a row that C has got')
  call MPI_Allreduce_init(sent(2, :), got(3, :), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
    MPI_INFO_NULL, request)
  do i = 1, 3
    sent(2, :) = sent(2, :) + 10
    got = -1
    if (i == 2) then
      call MPI_Start(request)
    else
      call c_start(request%MPI_VAL)
    end if
    if (i == 3) then
      call MPI_Wait(request, MPI_STATUS_IGNORE)
    else
      call c_wait(request%MPI_VAL)
    end if
    call check(all(got(3, :) == sums(10 * i)), 'a persistent reduction of two languages')
  end do
  call MPI_Request_free(request)
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'as wanted'
contains
  function sums(more)
    integer, intent(in) :: more
    integer :: sums(5), k
    sums = [(nprocs * (k + more) + nprocs * (nprocs - 1) / 2, k = 1, 5)]
  end function
end program
