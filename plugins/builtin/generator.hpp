// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/generator: a source of generated records with a configurable number, size and rate. A
// record is a JSON object; its position and its key count from 1.
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
  /// Implemented with the structs of the ABI, so that a batch needs only allocations in the arena
  /// of the call.
  tenon_status raw_read_batch(tenon_call* call, const tenon_source_v2_read_batch_request* in,
                              const tenon_source_v2_read_batch_response** out) override;

 private:
  std::int64_t wait_for_due();

  std::int64_t count_ = 0;  // 0: unlimited
  double rate_ = 0;         // records per second; 0: unlimited
  std::string payload_;
  std::int64_t made_ = 0;         // including earlier runs
  std::int64_t made_before_ = 0;  // in earlier runs
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace tenon::builtin
