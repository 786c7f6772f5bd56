// SPDX-License-Identifier: BSL-1.0
#include <Poco/ClassLibrary.h>

#include "counter.hpp"

class PocoCounter : public tenon::bench::Counter {
 public:
  bool check(std::int64_t value) override { return value >= 0; }
};

POCO_BEGIN_MANIFEST(tenon::bench::Counter)
POCO_EXPORT_CLASS(PocoCounter)
POCO_END_MANIFEST
