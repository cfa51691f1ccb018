! Fortran 90, with the module mpi: prints what each rank received.
program broadcast
  use mpi
  implicit none
  integer, parameter :: n = 6000
  integer :: ierror, provided, rank, ranks, i, datatype, lengths(2)
  integer(kind=MPI_ADDRESS_KIND) :: places(2)
  real(kind=8) :: values(n)
  integer :: whole(n)

  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  values = 0
  if (rank == ranks - 1) values = [(2.5d0 * i, i = 1, n)]
  call MPI_Bcast(values, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, ierror)
  if (ierror /= MPI_SUCCESS .or. any(values /= [(2.5d0 * i, i = 1, n)])) print *, 'wrong'

  whole = 0
  if (rank == 0) whole = [(3 * i, i = 1, n)]
  if (rank == 0) values(1) = -1
  call MPI_Get_address(values, places(1), ierror)
  call MPI_Get_address(whole, places(2), ierror)
  lengths = [8, 4 * n]
  call MPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, datatype, ierror)
  call MPI_Type_commit(datatype, ierror)
  call MPI_Bcast(MPI_BOTTOM, 1, datatype, 0, MPI_COMM_WORLD, ierror)
  if (ierror /= MPI_SUCCESS .or. values(1) /= -1) print *, 'wrong bottom'
  if (any(whole /= [(3 * i, i = 1, n)])) print *, 'wrong bottom'
  call MPI_Type_free(datatype, ierror)
  print *, 'right'
  call MPI_Finalize(ierror)
end program broadcast
