/* SPDX-License-Identifier: BSL-1.0 */
#include <hdf5.h>
#include <stdint.h>

int64_t tests_sum(int64_t n) {
  const hsize_t size = (hsize_t)n;
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const int64_t points = H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  return points * (n + 1) / 2;
}
