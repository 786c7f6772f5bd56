! SPDX-License-Identifier: BSL-1.0
function tests_sum(n) bind(c) result(total)
  use iso_c_binding
  integer(c_int64_t), value :: n
  integer(c_int64_t) :: total, i
  integer(c_int64_t), allocatable :: numbers(:)
  allocate(numbers(n))
  numbers = [(i, i = 1, n)]
  total = sum(numbers)
end function
