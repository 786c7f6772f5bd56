// SPDX-License-Identifier: BSL-1.0
public int64 tests_sum (int64 n) {
  var numbers = new int64[n];
  int64 total = 0;
  for (int64 i = 0; i < n; i++) {
    numbers[i] = i + 1;
    total += numbers[i];
  }
  return total;
}
