! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! The module mpi_f08: array sections in calls of each kind, sentinels, large counts by the generic
! name, callbacks, attributes, errors. Two processes or more.
module new_module_callbacks
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: errors_seen = 0, error_seen = MPI_SUCCESS, deleted = 0
contains
  subroutine larger_one(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    if (datatype /= MPI_INTEGER) error stop 'the datatype of an operation'
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = max(in, inout)
  end subroutine
  subroutine note_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (error_code == MPI_SUCCESS) error stop 'an error without a code'
    errors_seen = errors_seen + 1
    error_seen = error_code
  end subroutine
  subroutine copy_twice(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, &
      flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = 2 * attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine count_deleted(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program new_module
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use new_module_callbacks
  use checks
  implicit none
  type :: particle
    real :: x
    integer :: kind
    real :: y
  end type
  integer :: rank, nprocs, left, right, i, ierr, error_class
  type(MPI_Comm) :: comm, other
  type(MPI_Request) :: requests(2), request
  type(MPI_Status) :: status, statuses(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs)
  left = modulo(rank - 1, nprocs)
  right = modulo(rank + 1, nprocs)
  call check(MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING, 'sections')
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call sections
  call collectives
  call anything(rank)
  call callbacks
  call attributes
  call buffers
  call errors
  call MPI_Comm_free(comm)
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'as wanted'

contains

  !> Rows, two strides, a component, a reversed array, and counts that end inside a row.
  subroutine sections
    integer, asynchronous :: sent(6, 5), got(6, 5)
    integer :: wanted(6, 5)
    type(particle), target, asynchronous :: particles(4)
    real, asynchronous :: xs(4)
    character(len=4) :: words(3), parts(3)
    integer :: last
    sent = reshape([(100 * rank + i, i = 1, 30)], [6, 5])
    wanted = reshape([(100 * left + i, i = 1, 30)], [6, 5])
    got = 0
    call MPI_Irecv(got(2:6:2, 5:1:-2), 9, MPI_INTEGER, left, 1, comm, requests(1))
    call MPI_Isend(sent(2:6:2, 5:1:-2), 9, MPI_INTEGER, right, 1, comm, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call check(all(got(2:6:2, 1:5:2) == wanted(2:6:2, 1:5:2)), 'two strides')
    call check(all(got(1:5:2, :) == 0) .and. all(got(:, 2:4:2) == 0), 'what lies between')
    call MPI_Sizeof(particles(1), i)
    call check(i == 12, 'MPI_Sizeof')
    call MPI_Get_count(statuses(1), MPI_INTEGER, i)
    call check(i == 9, 'a count of a section')
    got = 0
    call MPI_Sendrecv(sent(1:6:2, :), 7, MPI_INTEGER, right, 2, got(1:6:2, :), 7, MPI_INTEGER, &
      left, 2, comm, MPI_STATUS_IGNORE)
    call check(all(got(1:5:2, 1:2) == wanted(1:5:2, 1:2)) .and. got(1, 3) == wanted(1, 3) .and. &
      all(got(3:, 3) == 0) .and. all(got(:, 4:) == 0), 'a count that ends inside a row')
    particles%x = rank
    particles%kind = -1
    call MPI_Irecv(particles%x, 4, MPI_REAL, left, 3, comm, requests(1))
    xs = [(10.0 * rank + i, i = 1, 4)]
    call MPI_Isend(xs(4:1:-1), int(4, MPI_COUNT_KIND), MPI_REAL, right, 3, comm, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(particles%x == [(10.0 * left + i, i = 4, 1, -1)]), 'a component')
    call check(all(particles%kind == -1), 'the other component')
    words = 'abcd'
    parts = 'wxyz'
    call MPI_Sendrecv(words(:)(2:3), 6, MPI_CHARACTER, right, 4, parts(:)(1:2), 6, MPI_CHARACTER, &
      left, 4, comm, status)
    call check(all(parts == 'bcyz'), 'substrings')
    call MPI_Send_init(sent(3, :), 5, MPI_INTEGER, right, 5, comm, request)
    do last = 1, 2
      sent(3, :) = 1000 * last + rank
      call MPI_Start(request)
      call MPI_Recv(got(:, 1), 5, MPI_INTEGER, left, 5, comm, MPI_STATUS_IGNORE)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(got(:5, 1) == 1000 * last + left), 'a persistent send of a row')
    end do
    call MPI_Request_free(request)
  end subroutine

  subroutine collectives
    integer :: table(3, 4), all_of(2 * 4, nprocs)
    integer, asynchronous :: mine(2, 4)
    integer :: counts(nprocs), displacements(nprocs)
    table = rank
    table(2, :) = [(i + rank, i = 1, 4)]
    call MPI_Allreduce(MPI_IN_PLACE, table(2, :), 4, MPI_INTEGER, MPI_SUM, comm)
    call check(all(table(2, :) == [(i * nprocs + nprocs * (nprocs - 1) / 2, i = 1, 4)]), &
      'a reduction of a row in place')
    call check(all(table(1, :) == rank), 'the row beside it')
    call MPI_Iallreduce(table(1, :), mine(1, :), 4, MPI_INTEGER, MPI_SUM, comm, request)
    mine(2, :) = -1
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(mine(1, :) == nprocs * (nprocs - 1) / 2), 'a nonblocking reduction of rows')
    call check(all(mine(2, :) == -1), 'the other row')
    all_of = -1
    call MPI_Allgather(table(1, :), 4, MPI_INTEGER, all_of(1:8:2, :), 4, MPI_INTEGER, comm)
    do i = 1, nprocs
      call check(all(all_of(1:8:2, i) == i - 1), 'MPI_Allgather to a section')
    end do
    call check(all(all_of(2:8:2, :) == -1), 'between what was gathered')
    counts = 4
    displacements = [(4 * (nprocs - i), i = 1, nprocs)]
    all_of = -1
    call MPI_Allgatherv(table(1, :), 4, MPI_INTEGER, all_of(1:8:2, :), counts, displacements, &
      MPI_INTEGER, comm)
    do i = 1, nprocs
      call check(all(all_of(1:8:2, i) == nprocs - i), 'MPI_Allgatherv to a section')
    end do
    call exchanges_of_types
    table = rank
    call MPI_Bcast(table(3, 1:4:3), 2, MPI_INTEGER, 1, comm)
    call check(all(table(3, :) == [1, rank, rank, 1]), 'MPI_Bcast')
  end subroutine

  !> Arrays of handles, which calls read until they are complete, and sections of them.
  subroutine exchanges_of_types
    integer, asynchronous :: sent(2, nprocs), got(2, nprocs), counts(nprocs), places(nprocs)
    type(MPI_Datatype), asynchronous :: types(nprocs)
    integer :: round
    sent = -1
    got = -1
    counts = 1
    places = [(4 * (i - 1), i = 1, nprocs)]
    types = MPI_INTEGER
    call MPI_Alltoallw_init(sent(1, :), counts, places, types, got(2, :), counts, places, types, &
      comm, MPI_INFO_NULL, request)
    do round = 1, 2
      sent(1, :) = [(1000 * round + 100 * rank + i, i = 0, nprocs - 1)]
      call MPI_Start(request)
      call use_stack(2000)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(got(2, :) == [(1000 * round + 100 * i + rank, i = 0, nprocs - 1)]), &
        'MPI_Alltoallw_init')
    end do
    call MPI_Request_free(request)
    got = -1
    call MPI_Ialltoallw(sent(1, :), counts, places, types, got(2, :), counts, places, types, comm, &
      request)
    call use_stack(2000)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(got(2, :) == [(2000 + 100 * i + rank, i = 0, nprocs - 1)]), 'MPI_Ialltoallw')
    call check(all(got(1, :) == -1), 'beside what came by MPI_Ialltoallw')
  end subroutine
  !> What lay on the stack of a call that is over is no more.
  recursive subroutine use_stack(depth)
    integer, intent(in) :: depth
    integer, volatile :: room(16)
    room = depth
    if (depth > 0) call use_stack(depth - 1)
    if (any(room /= depth)) error stop 'the stack'
  end subroutine

  !> class(*) is handed on to MPI: a scalar, an array, a part of it, an element.
  subroutine anything(value)
    class(*), intent(in) :: value
    integer :: got
    call anything_of([(1000 * rank + i, i = 1, 8)])
    call MPI_Sendrecv(value, 1, MPI_INTEGER, right, 6, got, 1, MPI_INTEGER, left, 6, comm, status)
    call check(got == left .and. status%MPI_TAG == 6, 'class(*)')
  end subroutine

  subroutine anything_of(values)
    class(*), intent(in) :: values(:)
    integer :: got(4)
    call MPI_Sendrecv(values(2:8:2), 4, MPI_INTEGER, right, 7, got, 4, MPI_INTEGER, left, 7, comm, &
      status)
    call check(all(got == [(1000 * left + i, i = 2, 8, 2)]), 'a section of class(*)')
    call MPI_Sendrecv(values(5), 1, MPI_INTEGER, right, 8, got, 1, MPI_INTEGER, left, 8, comm, status)
    call check(got(1) == 1000 * left + 5, 'an element of class(*)')
  end subroutine

  subroutine callbacks
    type(MPI_Op) :: op
    integer :: values(4), result(4)
    call MPI_Op_create(larger_one, .true., op)
    values = [rank, -rank, 7, rank + 1]
    call MPI_Allreduce(values(4:1:-1), result, 4, MPI_INTEGER, op, comm)
    call check(all(result == [nprocs, 7, 0, nprocs - 1]), 'an operation')
    call MPI_Op_free(op)
    call check(op == MPI_OP_NULL, 'MPI_OP_NULL')
  end subroutine

  subroutine attributes
    integer :: keyval
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_create_keyval(copy_twice, count_deleted, keyval, 5_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(comm, keyval, 2_MPI_ADDRESS_KIND**40)
    call MPI_Comm_dup(comm, other)
    call MPI_Comm_get_attr(other, keyval, value, flag)
    call check(flag .and. value == 2_MPI_ADDRESS_KIND**41 + 5, 'a copied attribute')
    call MPI_Comm_free(other)
    call MPI_Comm_delete_attr(comm, keyval)
    call check(deleted == 2, 'deleted attributes')
    call MPI_Comm_free_keyval(keyval)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, &
      0_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(comm, keyval, 9_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(comm, other)
    call MPI_Comm_get_attr(other, keyval, value, flag)
    call check(flag .and. value == 9, 'MPI_COMM_DUP_FN')
    call MPI_Comm_free(other)
    call MPI_Comm_free_keyval(keyval)
    call MPI_Comm_get_attr(comm, MPI_TAG_UB, value, flag)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
  end subroutine

  subroutine buffers
    type(c_ptr) :: where
    integer :: size
    character, target, asynchronous :: room(4096)
    call MPI_Buffer_attach(room, 4096)
    call MPI_Buffer_detach(where, size)
    ! By value: gfortran 12 -O2 takes it for known that no pointer of C's is that of a local variable.
    call check(value_of(where) == value_of(c_loc(room)) .and. size == 4096, 'a buffer')
    call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)
    call MPI_Buffer_detach(where, size)
    call check(value_of(where) == value_of(address_of(MPI_BUFFER_AUTOMATIC)), &
      'MPI_BUFFER_AUTOMATIC')
  end subroutine
  pure integer(MPI_ADDRESS_KIND) function value_of(pointer)
    type(c_ptr), intent(in) :: pointer
    value_of = transfer(pointer, 0_MPI_ADDRESS_KIND)
  end function
  type(c_ptr) function address_of(variable)
    integer, target, intent(in) :: variable
    address_of = c_loc(variable)
  end function

  subroutine errors
    type(MPI_Errhandler) :: handler
    type(MPI_Datatype) :: type
    character(len=MPI_MAX_ERROR_STRING) :: words
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    integer :: value, length
    call MPI_Comm_create_errhandler(note_error, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Send(value, 1, MPI_INTEGER, nprocs, 0, comm, ierr)
    call MPI_Error_class(error_seen, error_class)
    call check(error_class == MPI_ERR_RANK .and. errors_seen == 1, 'an error handler')
    call MPI_Errhandler_free(handler)
    call MPI_Get_library_version(library, length)
    if (index(library, 'Remit') == 0) return ! of the rest each library has its own ways
    call check(ierr == error_seen, 'the error after its handler')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Type_indexed(2, [1, -1], [0, 4], MPI_INTEGER, type, ierr)
    call MPI_Error_string(ierr, words, length)
    call check(index(words, 'array_of_blocklengths(2) is -1') > 0, 'elements as Fortran has them')
  end subroutine
end program
