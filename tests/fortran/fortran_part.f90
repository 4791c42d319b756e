! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! The Fortran half of a program of two languages (c_part.c), which sends three messages to itself.
program fortran_part
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  interface
    integer(c_int) function c_part(comm, type, status, ignored, f08_ignored, keyval, value) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, type, keyval, value
      integer(c_int) :: status(*), ignored(*), f08_ignored(*)
    end function
  end interface
  integer :: ierr, comm, type, status(MPI_STATUS_SIZE), request, keyval, sent(3), got(3), i, problem
  integer :: rank
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Type_contiguous(3, MPI_INTEGER, type, ierr)
  call MPI_Type_commit(type, ierr)
  sent = 5
  do i = 1, 3
    call MPI_Irecv(got, 1, type, 0, 7, comm, request, ierr)
    call MPI_Send(sent, 1, type, 0, 7, comm, ierr)
    call MPI_Wait(request, status, ierr)
  end do
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, &
    0_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_set_attr(comm, keyval, 4711_MPI_ADDRESS_KIND, ierr)
  problem = c_part(comm, type, status, MPI_STATUS_IGNORE, MPI_STATUS_IGNORE, keyval, 4711)
  call MPI_Type_free(type, ierr)
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
  if (problem /= 0) error stop problem
  if (rank == 0) print '(a)', 'as wanted'
end program
