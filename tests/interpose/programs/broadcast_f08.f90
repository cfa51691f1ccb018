! Fortran 2008, with the module mpi_f08: prints what each rank received.
program broadcast
  use mpi_f08
  implicit none
  integer, parameter :: n = 6000
  integer :: rank, ranks, i
  type(MPI_Datatype) :: datatype
  integer(kind=MPI_ADDRESS_KIND) :: places(1)
  real(kind=8) :: values(n)
  integer, asynchronous :: whole(n)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  values = 0
  if (rank == ranks - 1) values = [(2.5d0 * i, i = 1, n)]
  call MPI_Bcast(values, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
  if (any(values /= [(2.5d0 * i, i = 1, n)])) print *, 'wrong'

  whole = 0
  if (rank == 0) whole = [(3 * i, i = 1, n)]
  call MPI_Get_address(whole, places(1))
  call MPI_Type_create_hindexed(1, [4 * n], places, MPI_BYTE, datatype)
  call MPI_Type_commit(datatype)
  call MPI_Bcast(MPI_BOTTOM, 1, datatype, 0, MPI_COMM_WORLD)
  if (any(whole /= [(3 * i, i = 1, n)])) print *, 'wrong bottom'
  call MPI_Type_free(datatype)
  if (MPI_SUBARRAYS_SUPPORTED) then  ! every other element
    values = 0
    if (rank == 0) values = [(1.5d0 * i, i = 1, n)]
    call MPI_Bcast(values(1:n:2), n / 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    if (any(values(1:n:2) /= [(1.5d0 * i, i = 1, n, 2)])) print *, 'wrong section'
    if (rank > 0 .and. any(values(2:n:2) /= 0)) print *, 'wrong around the section'
  end if
  print *, 'right'
  call MPI_Finalize()
end program broadcast
