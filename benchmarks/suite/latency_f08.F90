! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! What a message costs more by mpi_f08 than by C (latency_f08.c): half the time of a ping-pong between
! two ranks, for each size the best and the median of blocks that the two languages take in turn.
! Usage: latency_f08, two ranks.
program latency_f08
  use, intrinsic :: iso_c_binding, only: c_int, c_char
  use mpi_f08
  implicit none
  interface
    subroutine c_ping_pong(buffer, bytes, times, rank) bind(C)
      import :: c_int, c_char
      character(kind=c_char) :: buffer(*)
      integer(c_int), value :: bytes, times, rank
    end subroutine
  end interface
  integer, parameter :: blocks = 41, largest = 65536
  integer, parameter :: sizes(7) = [0, 8, 64, 1024, 4096, 16384, largest]
  character(kind=c_char) :: buffer(largest)
  double precision :: us(blocks, 2)
  integer :: rank, i, block, times
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  buffer = 'x'
  if (rank == 0) print '(a)', '# bytes    C best  median   mpi_f08 best  median, us'
  do i = 1, size(sizes)
    times = merge(2000, 500, sizes(i) <= 4096)
    do block = 1, blocks
      us(block, 1) = measured(in_c=.true.)
      us(block, 2) = measured(in_c=.false.)
    end do
    call sort(us(:, 1))
    call sort(us(:, 2))
    if (rank == 0) print '(i7, 2f10.3, f14.3, f9.3)', sizes(i), us(1, 1), us((blocks + 1) / 2, 1), &
      us(1, 2), us((blocks + 1) / 2, 2)
  end do
  call MPI_Finalize()
contains
  !> Microseconds of a message, of `times` there and back.
  double precision function measured(in_c)
    logical, intent(in) :: in_c
    double precision :: start
    call MPI_Barrier(MPI_COMM_WORLD)
    start = MPI_Wtime()
    if (in_c) then
      call c_ping_pong(buffer, sizes(i), times, rank)
    else
      call ping_pong(sizes(i))
    end if
    measured = (MPI_Wtime() - start) / (2 * times) * 1e6
  end function
  subroutine ping_pong(bytes)
    integer, intent(in) :: bytes
    integer :: n
    do n = 1, times
      if (rank == 0) call MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD)
      call MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (rank == 1) call MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD)
    end do
  end subroutine
  subroutine sort(values)
    double precision, intent(inout) :: values(:)
    integer :: n, at
    do n = 1, size(values) - 1
      at = n - 1 + minloc(values(n:), dim=1)
      values([n, at]) = values([at, n])
    end do
  end subroutine
end program
