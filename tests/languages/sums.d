// SPDX-License-Identifier: BSL-1.0
import core.stdc.stdlib : free, malloc;
extern (C) long tests_sum(long n) {
  auto numbers = (cast(long*) malloc(n * long.sizeof))[0 .. n];
  scope (exit) free(numbers.ptr);
  long total = 0;
  foreach (i, ref number; numbers) {
    number = i + 1;
    total += number;
  }
  return total;
}
