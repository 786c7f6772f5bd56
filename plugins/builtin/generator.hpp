// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/generator: a source of made-up records, as many and as fast as wanted. A record is a
// JSON object of a given size; its position and its key count from 1.
#pragma once

#include <tenon/sdk/source.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tenon::builtin {

class GeneratorSource : public sdk::SourceV2 {
 public:
  void configure(const sdk::Config& config) override;
  void open(std::optional<BytesView> position) override;
  /// In the ABI structs: nothing is allocated but from the arena of the call, in one
  /// piece for a batch.
  tenon_status raw_read_batch(tenon_call* call, const tenon_source_v2_read_batch_request* in,
                              const tenon_source_v2_read_batch_response** out) override;

 private:
  std::int64_t wait_for_due();

  std::int64_t count_ = 0;  // 0: without end
  double rate_ = 0;         // records a second; 0: as fast as they are read
  std::string payload_;
  std::int64_t made_ = 0;  // by this source, before those of earlier runs included
  std::int64_t made_before_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace tenon::builtin
