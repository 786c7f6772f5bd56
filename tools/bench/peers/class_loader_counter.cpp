// SPDX-License-Identifier: BSL-1.0
#include <class_loader/register_macro.hpp>

#include "counter.hpp"

class RosCounter : public tenon::bench::Counter {
 public:
  bool check(std::int64_t value) override { return value >= 0; }
};

CLASS_LOADER_REGISTER_CLASS(RosCounter, tenon::bench::Counter)
