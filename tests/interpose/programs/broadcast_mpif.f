C     Fortran 77: prints what each rank received.
      program broadcast
      implicit none
      include 'mpif.h'
      integer ierror, rank, ranks, i, datatype
      double precision values(6000)
      integer whole(3000)
      integer(kind=MPI_ADDRESS_KIND) places(2)
      integer lengths(2)
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      do i = 1, 6000
        values(i) = 0
        if (rank .eq. ranks - 1) values(i) = 2.5d0 * i
      end do
      call MPI_BCAST(values, 6000, MPI_DOUBLE_PRECISION, ranks - 1,
     &               MPI_COMM_WORLD, ierror)
      if (ierror .ne. MPI_SUCCESS) print *, 'error'
      do i = 1, 6000
        if (values(i) .ne. 2.5d0 * i) print *, 'wrong', i
      end do

C     Both arrays at once, by their addresses.
      do i = 1, 3000
        whole(i) = 0
        if (rank .eq. 0) whole(i) = 3 * i
      end do
      if (rank .eq. 0) values(6000) = -1
      call MPI_GET_ADDRESS(values(6000), places(1), ierror)
      call MPI_GET_ADDRESS(whole, places(2), ierror)
      lengths(1) = 8
      lengths(2) = 12000
      call MPI_TYPE_CREATE_HINDEXED(2, lengths, places, MPI_BYTE,
     &                              datatype, ierror)
      call MPI_TYPE_COMMIT(datatype, ierror)
      call MPI_BCAST(MPI_BOTTOM, 1, datatype, 0, MPI_COMM_WORLD, ierror)
      if (ierror .ne. MPI_SUCCESS) print *, 'error'
      call MPI_TYPE_FREE(datatype, ierror)
      if (values(6000) .ne. -1) print *, 'wrong bottom'
      do i = 1, 3000
        if (whole(i) .ne. 3 * i) print *, 'wrong bottom', i
      end do
      print *, 'right'
      call MPI_FINALIZE(ierror)
      end
