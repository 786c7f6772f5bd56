// SPDX-License-Identifier: BSL-1.0
#include <cstdint>

#include "item.pb.h"

extern "C" std::int64_t tests_sum(std::int64_t n) {
  tests::Item item;
  item.set_number(n * (n + 1) / 2);
  tests::Item copy;
  return copy.ParseFromString(item.SerializeAsString()) ? copy.number() : 0;
}
