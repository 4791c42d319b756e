! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! The module mpi: strings, LOGICALs, indices, arrays of handles, what is significant at a root only,
! PMPI names, and the forms with TYPE(C_PTR). Any number of processes.
program old_module
  use, intrinsic :: iso_c_binding
  use mpi
  use checks
  implicit none
  integer :: ierr, rank, nprocs, i, comm, info, request, length, count, outcount
  integer :: requests(3), indices(3), statuses(MPI_STATUS_SIZE, 3), types(2), lengths(2), pair
  integer, allocatable :: sendtypes(:), counts(:), displacements(:), sent(:), received(:)
  integer(MPI_ADDRESS_KIND) :: places(2), address, bytes
  integer, target :: values(8)
  integer, pointer :: memory(:)
  type(c_ptr) :: pointer
  type(MPI_Comm) :: typed, other
  logical :: flag, periods(2), reorder
  integer :: dims(2), coords(2)
  character(len=20) :: value
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  call strings
  call logicals
  call completions
  call types_of_all
  call pointers
  call roots
  call PMPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'as wanted'

contains

  subroutine strings
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, '  a key  ', '  some value   ', ierr)
    value = 'xxxxxxxxxxxxxxxxxxxx'
    call MPI_Info_get(info, 'a key', 20, value, flag, ierr)
    call check(flag .and. value == 'some value', 'a value without its blanks')
    value = 'untouched'
    call MPI_Info_get(info, 'no key', 20, value, flag, ierr)
    call check(.not. flag .and. value == 'untouched', 'no value')
    length = 0
    call MPI_Info_get_string(info, 'a key', length, value, flag, ierr)
    call check(flag .and. length == 10 .and. value == 'untouched', 'the length of a value')
    length = 4
    call MPI_Info_get_string(info, 'a key', length, value, flag, ierr)
    call check(flag .and. length == 10 .and. value == 'some', 'a part of a value')
    call MPI_Info_free(info, ierr)
    call check(info == MPI_INFO_NULL, 'MPI_INFO_NULL')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_set_name(comm, '  named   ', ierr)
    call MPI_Comm_get_name(comm, name, length, ierr)
    call check(length == 7 .and. name == '  named', 'a name keeps leading blanks')
  end subroutine

  subroutine logicals
    dims = [nprocs, 1]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., pair, ierr)
    periods = [.false., .true.]
    call MPI_Cart_get(pair, 2, dims, periods, coords, ierr)
    call check(periods(1) .and. .not. periods(2), 'periods')
    call MPI_Cart_sub(pair, [.true., .false.], request, ierr)
    call MPI_Comm_size(request, length, ierr)
    call check(length == nprocs, 'MPI_Cart_sub')
    call MPI_Comm_free(request, ierr)
    call MPI_Comm_free(pair, ierr)
    call MPI_Comm_test_inter(comm, reorder, ierr)
    call check(.not. reorder, 'MPI_Comm_test_inter')
    typed%MPI_VAL = comm
    other%MPI_VAL = MPI_COMM_WORLD
    call check(typed /= other .and. typed == typed, 'handles of types')
  end subroutine

  subroutine completions
    do i = 1, 3
      call MPI_Irecv(values(i), 1, MPI_INTEGER, MPI_PROC_NULL, i, comm, requests(i), ierr)
    end do
    call MPI_Waitsome(3, requests, outcount, indices, statuses, ierr)
    call check(outcount == 3 .and. all(indices == [1, 2, 3]), 'indices')
    call check(all(requests == MPI_REQUEST_NULL), 'null requests')
    call MPI_Waitsome(3, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
    call check(outcount == MPI_UNDEFINED, 'no request is active')
    call MPI_Testany(3, requests, i, flag, MPI_STATUS_IGNORE, ierr)
    call check(flag .and. i == MPI_UNDEFINED, 'MPI_Testany')
    call MPI_Send_init(values, 1, MPI_INTEGER, MPI_PROC_NULL, 0, comm, request, ierr)
    i = request
    call MPI_Start(request, ierr)
    call MPI_Wait(request, statuses, ierr)
    call check(request == i .and. statuses(MPI_SOURCE, 1) == MPI_ANY_SOURCE .or. request == i, &
      'a persistent request stays')
    call MPI_Request_free(request, ierr)
  end subroutine

  subroutine types_of_all
    allocate(sendtypes(nprocs), counts(nprocs), displacements(nprocs), sent(nprocs), &
      received(nprocs))
    do i = 1, nprocs
      sent(i) = 100 * rank + i - 1
      displacements(i) = 4 * (i - 1)
    end do
    counts = 1
    sendtypes = MPI_INTEGER
    call MPI_Ialltoallw(sent, counts, displacements, sendtypes, received, counts, displacements, &
      sendtypes, comm, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call check(all(received == [(100 * i + rank, i = 0, nprocs - 1)]), 'MPI_Ialltoallw')
    lengths = 1
    places = [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND]
    types = MPI_INTEGER
    call MPI_Type_create_struct(2, lengths, places, types, pair, ierr)
    call MPI_Type_get_extent(pair, address, bytes, ierr)
    call check(bytes == 12, 'an extent')
    call MPI_Type_free(pair, ierr)
    call MPI_Sizeof(address, length, ierr)
    call check(length == 8, 'MPI_Sizeof')
    call MPI_Get_address(values(1), places(1), ierr)
    call MPI_Get_address(values(3), places(2), ierr)
    call check(MPI_Aint_diff(places(2), places(1)) == 8, 'MPI_Aint_diff')
  end subroutine

  subroutine pointers
    call MPI_Alloc_mem(64_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer, ierr)
    call c_f_pointer(pointer, memory, [16])
    memory = rank
    call check(sum(memory) == 16 * rank, 'memory')
    call MPI_Free_mem(memory, ierr)
    call MPI_Alloc_mem(64_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierr)
    pointer = transfer(address, pointer)
    call c_f_pointer(pointer, memory, [16])
    call MPI_Free_mem(memory, ierr)
  end subroutine

  !> What only the root has: others pass what it may not look at.
  subroutine roots
    integer :: nothing(1)
    nothing = -1
    if (rank == 0) then
      counts = 1
      displacements = [(nprocs - i, i = 1, nprocs)]
      call MPI_Gatherv(rank, 1, MPI_INTEGER, received, counts, displacements, MPI_INTEGER, 0, &
        comm, ierr)
      call check(all(received == [(nprocs - i, i = 1, nprocs)]), 'MPI_Gatherv')
    else
      call MPI_Gatherv(rank, 1, MPI_INTEGER, nothing, nothing, nothing, -7, 0, comm, ierr)
    end if
    call MPI_Comm_free(comm, ierr)
    call check(comm == MPI_COMM_NULL, 'MPI_COMM_NULL')
  end subroutine
end program
