! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! mpif.h in fixed form, as old programs use it: buffers of several types, scalars for arrays, names
! of MPI-1, sentinels of the COMMON blocks. Any number of processes.
      program include_file
      use checks
      implicit none
      include 'mpif.h'
      integer ierr, rank, nprocs, left, right, got, i
      integer requests(2), statuses(MPI_STATUS_SIZE, 2)
      integer status(MPI_STATUS_SIZE), one, flag_count
      integer lengths(2), places(2), types(2), pair
      integer whole(4)
      real values(6), sums(6)
      double precision start
      character*(MPI_MAX_PROCESSOR_NAME) name
      logical flag
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, nprocs, ierr)
      start = mpi_wtime()
      left = mod(rank + nprocs - 1, nprocs)
      right = mod(rank + 1, nprocs)

! A ring, with arrays and with scalars.
      call mpi_irecv(got, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD,
     &  requests(1), ierr)
      call mpi_isend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD,
     &  requests(2), ierr)
      call mpi_waitall(2, requests, statuses, ierr)
      call check(got .eq. left, 'the ring')
      call check(statuses(MPI_SOURCE, 1) .eq. left, 'the source')
      call check(statuses(MPI_TAG, 1) .eq. 1, 'the tag')
      call mpi_irecv(got, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD,
     &  one, ierr)
      call mpi_send(rank, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD,
     &  ierr)
      call mpi_waitall(1, one, MPI_STATUSES_IGNORE, ierr)
      call check(one .eq. MPI_REQUEST_NULL, 'the request')

! An index counts from one.
      requests(1) = MPI_REQUEST_NULL
      call mpi_irecv(got, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD,
     &  requests(2), ierr)
      call mpi_send(rank, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD,
     &  ierr)
      call mpi_waitany(2, requests, i, status, ierr)
      call check(i .eq. 2, 'the index of MPI_WAITANY')
      call mpi_waitany(2, requests, i, MPI_STATUS_IGNORE, ierr)
      call check(i .eq. MPI_UNDEFINED, 'no index')

! Another type, and every other element.
      do i = 1, 6
        values(i) = real(i + rank)
      end do
      call mpi_allreduce(values(1:6:2), sums, 3, MPI_REAL, MPI_SUM,
     &  MPI_COMM_WORLD, ierr)
      call check(sums(2) .eq. 3.0 * nprocs + nprocs * (nprocs-1) / 2,
     &  'every other element')
      call mpi_allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM,
     &  MPI_COMM_WORLD, ierr)
      call check(got .eq. nprocs * (nprocs - 1) / 2, 'MPI_IN_PLACE')

! MPI-1: addresses from MPI_BOTTOM do not fit into an INTEGER, those from a variable do.
      lengths(1) = 1
      lengths(2) = 1
      places(1) = 0
      places(2) = 12
      types(1) = MPI_INTEGER
      types(2) = MPI_INTEGER
      call mpi_type_struct(2, lengths, places, types, pair, ierr)
      call mpi_type_commit(pair, ierr)
      call mpi_type_extent(pair, i, ierr)
      call check(i .eq. 16, 'MPI_TYPE_EXTENT')
      do i = 1, 4
        whole(i) = 10 * rank + i
      end do
      call mpi_bcast(whole, 1, pair, 0, MPI_COMM_WORLD, ierr)
      call check(whole(4) .eq. 4 .and. whole(2) .eq. 10 * rank + 2,
     &  'MPI_TYPE_STRUCT')
      call mpi_type_free(pair, ierr)
      call mpi_attr_get(MPI_COMM_WORLD, MPI_TAG_UB, flag_count, flag,
     &  ierr)
      call check(flag .and. flag_count .ge. 32767, 'MPI_TAG_UB')

! A string is filled up with blanks.
      call mpi_get_processor_name(name, i, ierr)
      call check(name(i + 1:) .eq. ' ' .and. name(i:i) .ne. ' ',
     &  'the name')
      call check(mpi_wtime() .ge. start, 'MPI_WTIME')
      call mpi_finalize(ierr)
      if (rank .eq. 0) print '(a)', 'as wanted'
      end
