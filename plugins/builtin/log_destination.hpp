// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/log: a destination that writes each record to the log of the host.
#pragma once

#include <tenon/sdk/writing_destination.hpp>

namespace tenon::builtin {

class LogDestination : public sdk::WritingDestination {
 public:
  void configure(const sdk::Config& config) override;
  void write(RecordV2View record) override;

 private:
  sdk::Level level_ = sdk::Level::info;
};

}  // namespace tenon::builtin
