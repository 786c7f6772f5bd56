// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/filter: a processor that removes all records that it gets. The host gives it those that
// meet its condition.
#pragma once

#include <tenon/sdk/record_processor.hpp>

namespace tenon::builtin {

class FilterProcessor : public sdk::RecordProcessor {
 public:
  void process_record(RecordV2View /*record*/, Records& /*into*/) override {}
};

}  // namespace tenon::builtin
