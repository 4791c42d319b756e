! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! Heat conduction on a square plate, as heat2d.cpp: explicit time steps on a 2-D grid of ranks. The
! halo is exchanged by nonblocking messages straight from and to rows and columns of the array; a
! row is an array section, which no copy is made of. The edge is kept at 0, and the start is a sine,
! which each step shrinks by a known factor: so the answer is known, and checked.
!
!   mpirun -n 4 ./heat2d_f08 [unknowns in each direction [steps]]
module plate
  use mpi_f08
  implicit none
  integer, parameter :: real64 = selected_real_kind(15)
  real(real64), parameter :: pi = 3.141592653589793238_real64
  real(real64), parameter :: mesh_ratio = 0.24_real64  ! conductivity * dt / h^2; stable up to 0.25
  integer, parameter :: waves(2) = [1, 2]              ! of the start, in each direction

  type :: piece
    integer :: first(2), last(2)  ! the unknowns of this rank
    integer :: below(2), above(2)  ! the ranks beside it in each direction, or MPI_PROC_NULL
    type(MPI_Comm) :: grid
  end type

contains

  !> Lays the ranks out as a grid, and finds this rank's part of n by n unknowns.
  function my_piece(n) result(mine)
    integer, intent(in) :: n
    type(piece) :: mine
    integer :: dims(2), at(2), rank, size, i
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    dims = 0
    call MPI_Dims_create(size, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., mine%grid)
    call MPI_Comm_rank(mine%grid, rank)
    call MPI_Cart_coords(mine%grid, rank, 2, at)
    mine%first = n * at / dims + 1
    mine%last = n * (at + 1) / dims
    do i = 1, 2
      call MPI_Cart_shift(mine%grid, i - 1, 1, mine%below(i), mine%above(i))
    end do
  end function

  !> The heat after some steps, at one place.
  pure real(real64) function exact(i, j, n, steps)
    integer, intent(in) :: i, j, n, steps
    real(real64) :: h, shrink
    h = 1 / real(n + 1, real64)
    shrink = 1 - 4 * mesh_ratio * sum(sin(waves * pi * h / 2)**2)
    exact = shrink**steps * sin(waves(1) * pi * i * h) * sin(waves(2) * pi * j * h)
  end function

  !> Sends this rank's edges to the ranks beside it, and gets theirs.
  subroutine exchange_halo(heat, mine)
    type(piece), intent(in) :: mine
    real(real64), asynchronous, intent(inout) :: heat(mine%first(1) - 1:, mine%first(2) - 1:)
    type(MPI_Request) :: requests(8)
    integer :: i, j, rows, columns
    rows = mine%last(1) - mine%first(1) + 1
    columns = mine%last(2) - mine%first(2) + 1
    associate (top => mine%first(1), bottom => mine%last(1), left => mine%first(2), &
      right => mine%last(2))
      i = 1
      call exchange(heat(top, left:right), heat(top - 1, left:right), columns, mine%below(1), i)
      call exchange(heat(bottom, left:right), heat(bottom + 1, left:right), columns, &
        mine%above(1), i)
      call exchange(heat(top:bottom, left), heat(top:bottom, left - 1), rows, mine%below(2), i)
      call exchange(heat(top:bottom, right), heat(top:bottom, right + 1), rows, mine%above(2), i)
    end associate
    j = i - 1
    call MPI_Waitall(j, requests, MPI_STATUSES_IGNORE)

  contains

    subroutine exchange(edge, halo, count, other, next)
      real(real64), asynchronous, intent(in) :: edge(:)
      real(real64), asynchronous, intent(inout) :: halo(:)
      integer, intent(in) :: count, other
      integer, intent(inout) :: next
      call MPI_Irecv(halo, count, MPI_DOUBLE_PRECISION, other, 0, mine%grid, requests(next))
      call MPI_Isend(edge, count, MPI_DOUBLE_PRECISION, other, 0, mine%grid, requests(next + 1))
      next = next + 2
    end subroutine
  end subroutine
end module

program heat2d
  use plate
  implicit none
  integer :: n, steps, i, j, step, rank
  real(real64), allocatable, asynchronous :: heat(:, :), next(:, :)
  real(real64) :: wrong, start
  type(piece) :: mine

  call MPI_Init()
  n = argument(1, 256)
  steps = argument(2, 500)
  mine = my_piece(n)
  call MPI_Comm_rank(mine%grid, rank)
  allocate(heat(mine%first(1) - 1:mine%last(1) + 1, mine%first(2) - 1:mine%last(2) + 1))
  heat = 0
  do j = mine%first(2), mine%last(2)
    do i = mine%first(1), mine%last(1)
      heat(i, j) = exact(i, j, n, 0)
    end do
  end do
  next = heat

  start = MPI_Wtime()
  do step = 1, steps
    call exchange_halo(heat, mine)
    do j = mine%first(2), mine%last(2)
      do i = mine%first(1), mine%last(1)
        next(i, j) = heat(i, j) + mesh_ratio * (heat(i - 1, j) + heat(i + 1, j) + heat(i, j - 1) &
          + heat(i, j + 1) - 4 * heat(i, j))
      end do
    end do
    heat(mine%first(1):mine%last(1), mine%first(2):mine%last(2)) = &
      next(mine%first(1):mine%last(1), mine%first(2):mine%last(2))
  end do

  wrong = 0
  do j = mine%first(2), mine%last(2)
    do i = mine%first(1), mine%last(1)
      wrong = max(wrong, abs(heat(i, j) - exact(i, j, n, steps)))
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_DOUBLE_PRECISION, MPI_MAX, mine%grid)
  if (rank == 0) then
    print '(i0, a, i0, a, i0, a, f0.3, a)', n, ' x ', n, ' unknowns, ', steps, ' steps: ', &
      MPI_Wtime() - start, ' s'
    print '(a, es8.1)', 'largest difference from the exact solution: ', wrong
    if (wrong > 1.0e-10_real64) call MPI_Abort(MPI_COMM_WORLD, 1)
    print '(a)', 'correct'
  end if
  call MPI_Finalize()

contains

  !> A number from the command line.
  integer function argument(place, otherwise)
    integer, intent(in) :: place, otherwise
    character(len=20) :: text
    argument = otherwise
    if (command_argument_count() < place) return
    call get_command_argument(place, text)
    read (text, *) argument
  end function
end program
