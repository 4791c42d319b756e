! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! The same as one_message.c in Fortran, blocking calls alone: what benchmarks/instructions counts is
! fortran_send and fortran_receive, and with them what a compiler does for a call. INTERFACE_F08,
! INTERFACE_MPI or INTERFACE_MPIF says by which interface. To be compiled without inlining. Usage:
! one_message COUNT, two ranks.
#if defined(INTERFACE_F08)
#define USES use mpi_f08
#define INCLUDES
#elif defined(INTERFACE_MPI)
#define USES use mpi
#define INCLUDES
#else
#define USES
#define INCLUDES include 'mpif.h'
#endif

subroutine fortran_send(value, to, tag, ierr)
  USES
  implicit none
  INCLUDES
  character(len=1), intent(in) :: value(8)
  integer, intent(in) :: to, tag
  integer, intent(out) :: ierr
  call MPI_Send(value, 8, MPI_CHARACTER, to, tag, MPI_COMM_WORLD, ierr)
end subroutine

subroutine fortran_receive(value, from, tag, ierr)
  USES
  implicit none
  INCLUDES
  character(len=1), intent(inout) :: value(8)
  integer, intent(in) :: from, tag
  integer, intent(out) :: ierr
  call MPI_Recv(value, 8, MPI_CHARACTER, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
end subroutine

program one_message
  use, intrinsic :: iso_c_binding, only: c_int
  USES
  implicit none
  INCLUDES
  interface
    integer(c_int) function usleep(microseconds) bind(C)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  external :: fortran_send, fortran_receive
  character(len=1) :: value(8)
  character(len=16) :: argument
  integer :: rank, messages, i, ierr, ignored
  call get_command_argument(1, argument)
  read (argument, *) messages
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  do i = 1, messages
    value = achar(modulo(i, 100))
    if (rank == 0) then
      call fortran_send(value, 1, 1, ierr)
      call fortran_receive(value, 1, 2, ierr)
    else
      value = ' '
      ignored = usleep(20000)
      call fortran_receive(value, 0, 1, ierr)
      call fortran_send(value, 0, 2, ierr)
    end if
    if (any(value /= achar(modulo(i, 100)))) error stop 'another message'
  end do
  call MPI_Finalize(ierr)
end program
