! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! fortran_descriptors: actual arguments of each kind through bind(C) and type(*), dimension(..), there
! and back, against what the language itself makes of them.
module descriptors
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer(c_int), parameter :: integer4 = 537, double = 540, character1 = 542, complex8 = 539
  type point
    integer :: kind
    real(dp) :: x, y(2)
    character(5) :: name
  end type
  interface
    function exchange(out, in, count, datatype) bind(C, name="remit_test_exchange")
      import
      integer(c_int) :: exchange
      type(*), dimension(..), asynchronous :: out, in
      integer(c_int), intent(in) :: count, datatype
    end function
    function iallreduce(out, in, count, datatype) bind(C, name="remit_test_iallreduce")
      import
      integer(c_int) :: iallreduce
      type(*), dimension(..), asynchronous :: out, in
      integer(c_int), intent(in) :: count, datatype
    end function
    subroutine begin() bind(C, name="remit_test_begin")
    end subroutine
    subroutine end_test() bind(C, name="remit_test_end")
    end subroutine
  end interface
  integer :: failures = 0
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print *, "failed: ", what
  end subroutine

  ! Dummy arguments of each kind, handed on.
  subroutine of_any_class(out, in, count, datatype, what)
    class(*) :: out(:), in(:)
    integer, intent(in) :: count, datatype
    character(*), intent(in) :: what
    call check(exchange(out, in, count, datatype) == 0, what)
  end subroutine
  subroutine scalar_of_any_class(out, in, datatype, what)
    class(*) :: out, in
    integer, intent(in) :: datatype
    character(*), intent(in) :: what
    call check(exchange(out, in, 1, datatype) == 0, what)
  end subroutine
  subroutine assumed_size(out, in, count)
    integer :: out(10, *), in(10, *)
    integer, intent(in) :: count
    call check(exchange(out, in, count, integer4) == 0, "assumed size")
  end subroutine
  subroutine assumed_shape(out, in, count)
    real(dp) :: out(:, :), in(:, :)
    integer, intent(in) :: count
    call check(exchange(out(2:, :), in(:3, ::2), count, double) == 0, "section of a dummy")
  end subroutine
end module

program fortran_descriptors
  use descriptors
  implicit none
  integer :: a(20, 6), b(20, 6), expected(20, 6), flat(120), one
  real(dp) :: d(8, 9), e(8, 9), wanted(8, 9), row(9)
  complex :: z(4, 4), w(4, 4)
  type(point) :: p(7), q(7), r(7)
  character(6) :: names(8), others(8), third(8)
  integer, allocatable :: some(:, :)
  integer, pointer :: view(:)
  integer, target :: seen(30)
  integer :: i

  call begin()
  a = reshape([(i, i=1, 120)], [20, 6])
  d = reshape([(i * 0.5_dp, i=1, 72)], [8, 9])

  b = 0
  call check(exchange(a, b, 120, integer4) == 0, "whole")
  call check(all(a == b), "whole array")

  b = 0; expected = 0
  call check(exchange(a(3, :), b(:6, 2), 6, integer4) == 0, "row to column")
  expected(:6, 2) = a(3, :)
  call check(all(b == expected), "row to column, data")

  b = 0; expected = 0
  call check(exchange(a(1:20:2, 2:6:2), b(20:2:-2, 1:6:2), 30, integer4) == 0, "two strides")
  expected(20:2:-2, 1:6:2) = a(1:20:2, 2:6:2)
  call check(all(b == expected), "two strides, data")

  ! Fewer elements than rows and columns hold: 13 is one column of the section and 3 more.
  b = 0; expected = 0
  call check(exchange(a(1:20:2, :), b(11:20, :), 13, integer4) == 0, "ends inside a row")
  expected(11:20, 1) = a(1:20:2, 1)
  expected(11:13, 2) = a(1:5:2, 2)
  call check(all(b == expected), "ends inside a row, data")

  do i = 1, 7
    p(i) = point(i, i * 1.5_dp, [i * 2._dp, i * 3._dp], "name" // char(48 + i))
    q(i) = point(0, 0, [0, 0], "....."); r(i) = q(i)
  end do
  call check(exchange(p%x, q(7:1:-1)%x, 7, double) == 0, "component")
  r(7:1:-1)%x = p%x
  call check(exchange(p%y(2), q%y(1), 7, double) == 0, "element of a component")
  r%y(1) = p%y(2)
  call check(exchange(p(::2)%name(2:4), q(4:)%name(1:3), 12, character1) == 0, "substring")
  r(4:)%name(1:3) = p(::2)%name(2:4)
  call check(all(q%x == r%x .and. q%y(1) == r%y(1) .and. q%y(2) == r%y(2) .and. &
                 q%name == r%name .and. q%kind == r%kind), "components, data")

  names = [(repeat(char(64 + i), 6), i=1, 8)]; others = "------"; third = others
  call check(exchange(names, others, 48, character1) == 0, "strings")
  call check(all(names == others), "strings, data")
  others = "------"
  call check(exchange(names(:)(2:3), others(:)(5:6), 16, character1) == 0, "substrings")
  third(:)(5:6) = names(:)(2:3)
  call check(all(others == third), "substrings, data")

  b = 0; expected = 0
  call of_any_class(a(2, :), b(5, :), 6, integer4, "row of class(*)")
  expected(5, :) = a(2, :)
  call of_any_class(a(:, 1), b(:, 1), 20, integer4, "column of class(*)")
  expected(:, 1) = a(:, 1)
  call check(all(b == expected), "class(*), data")
  e = 0; wanted = 0
  call of_any_class(d(1:8:3, 4), e(2, 1:3), 3, double, "strides of class(*)")
  wanted(2, 1:3) = d(1:8:3, 4)
  call check(all(e == wanted), "strides of class(*), data")
  one = 0
  call scalar_of_any_class(a(7, 3), one, integer4, "scalar of class(*)")
  call check(one == a(7, 3), "scalar of class(*), data")

  b = 0
  call assumed_size(a, b, 117)
  call check(all(b(:, :5) == a(:, :5)) .and. all(b(:17, 6) == a(:17, 6)) .and. &
             all(b(18:, 6) == 0), "assumed size, data")
  e = 0; wanted = 0
  call assumed_shape(d(1:7:2, ::3), e, 9)
  wanted(:3, 1:5:2) = d(3:7:2, ::3)
  call check(all(e == wanted), "section of a dummy, data")

  flat = 0; one = 0
  call check(exchange(a(5, 2), one, 1, integer4) == 0, "element")
  call check(one == a(5, 2), "element, data")
  call check(exchange(a(1, 2), flat, 60, integer4) == 0, "element with more behind it")
  call check(all(flat(:60) == reshape(a(:, 2:4), [60])), "element with more behind it, data")
  call check(exchange(42, one, 1, integer4) == 0, "literal")
  call check(one == 42, "literal, data")
  call check(exchange(a(3:2, :), b(3:2, :), 0, integer4) == 0, "no elements")
  allocate (some(-2:5, 0:3))
  some = -1
  call check(exchange(a(:4, 1), some(4, :), 4, integer4) == 0, "allocatable")
  call check(all(some(4, :) == a(:4, 1)) .and. count(some == -1) == 28 .and. &
             lbound(some, 1) == -2, "allocatable, data")
  seen = 0
  view => seen(30:1:-7)
  call check(exchange(a(:5, 1), view, 5, integer4) == 0, "pointer")
  call check(all(seen(30:2:-7) == a(:5, 1)) .and. count(seen == 0) == 25, "pointer, data")

  row = 1; e = 2
  call check(iallreduce(d(4, :), row, 9, double) == 0, "reduction of a row")
  call check(all(row == d(4, :)), "reduction of a row, data")
  call check(iallreduce(d(::2, ::2), e(8:2:-2, 9:1:-2), 20, double) == 0, "reduction to a section")
  wanted = 2
  wanted(8:2:-2, 9:1:-2) = d(::2, ::2)
  call check(all(e == wanted), "reduction to a section, data")

  ! Errors: more elements than there are, and a number that would lie across a gap.
  call check(exchange(a(1:20:2, 1), b, 11, integer4) /= 0, "too many elements")
  z = (1, 2); w = 0
  call check(exchange(z(1, :)%re, w, 2, complex8) /= 0, "a number across a gap")
  call check(exchange(z(1, :), w(:, 2), 4, complex8) == 0, "complex")
  call check(all(w(:, 2) == (1, 2)) .and. all(w(:, 3:) == 0), "complex, data")

  call end_test()
  if (failures > 0) error stop 1
  print *, "fortran_descriptors: passed"
end program
