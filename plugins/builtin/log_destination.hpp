// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/log: a destination that writes each record to the log of the host.
#pragma once

#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/writing_destination.hpp>

namespace tenon::builtin {

struct LogSettings {
  sdk::Level level = sdk::Level::info;
};

inline constexpr sdk::Word<sdk::Level> log_levels[] = {{"trace", sdk::Level::trace},
                                                       {"debug", sdk::Level::debug},
                                                       {"info", sdk::Level::info},
                                                       {"warn", sdk::Level::warn},
                                                       {"error", sdk::Level::error}};
inline constexpr auto log_parameters =
    sdk::parameters(sdk::parameter(&LogSettings::level, "level", "the log level of the lines")
                        .otherwise("info")
                        .one_of(log_levels));

class LogDestination : public sdk::WritingDestination {
 public:
  void configure(const sdk::Config& config) override { settings_ = log_parameters.read(config); }
  void write(RecordV2View record) override;

 private:
  LogSettings settings_;
};

}  // namespace tenon::builtin
