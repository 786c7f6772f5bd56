// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/log: a destination that writes each record to the log of the host.
#pragma once

#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/writing_destination.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "record_template.hpp"

namespace tenon::builtin {

struct LogSettings {
  enum class Format : std::uint8_t { line, raw, text };

  sdk::Level level = sdk::Level::info;
  Format format = Format::line;
  std::string text;
};

inline constexpr sdk::Word<sdk::Level> log_levels[] = {{"trace", sdk::Level::trace},
                                                       {"debug", sdk::Level::debug},
                                                       {"info", sdk::Level::info},
                                                       {"warn", sdk::Level::warn},
                                                       {"error", sdk::Level::error}};
inline constexpr sdk::Word<LogSettings::Format> log_formats[] = {
    {"line", LogSettings::Format::line},
    {"raw", LogSettings::Format::raw},
    {"template", LogSettings::Format::text}};
inline constexpr auto log_parameters =
    sdk::parameters(sdk::parameter(&LogSettings::level, "level", "the log level of the lines")
                        .otherwise("info")
                        .one_of(log_levels),
                    sdk::parameter(&LogSettings::format, "format",
                                   "line: operation, key and payload; raw: the payload; template: "
                                   "the text of the parameter template")
                        .otherwise("line")
                        .one_of(log_formats),
                    sdk::parameter(&LogSettings::text, "template", template_description));

class LogDestination : public sdk::WritingDestination {
 public:
  void configure(const sdk::Config& config) override {
    settings_ = log_parameters.read(config);
    template_ = RecordTemplate::of(config);
  }
  void write(RecordV2View record) override;

 private:
  LogSettings settings_;
  std::optional<RecordTemplate> template_;
};

}  // namespace tenon::builtin
