# SPDX-License-Identifier: BSL-1.0
proc tests_sum(n: int64): int64 {.exportc, cdecl.} =
  var numbers: seq[int64]
  for i in 1 .. n: numbers.add(i)
  for number in numbers: result += number
