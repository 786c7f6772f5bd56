// SPDX-License-Identifier: BSL-1.0
#include "log_destination.hpp"

#include <string_view>

namespace tenon::builtin {
namespace {

sdk::Level parse_level(const std::string& name) {
  if (name == "trace") return sdk::Level::trace;
  if (name == "debug") return sdk::Level::debug;
  if (name == "info") return sdk::Level::info;
  if (name == "warn") return sdk::Level::warn;
  if (name == "error") return sdk::Level::error;
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"level\" is \"", name,
                     "\", expected trace, debug, info, warn or error");
}

/// A payload of which a line of the log shows the beginning.
constexpr std::size_t shown = 1000;

}  // namespace

void LogDestination::configure(const sdk::Config& config) {
  level_ = parse_level(config.get("level", "info"));
}

void LogDestination::write(RecordV2View record) {
  const std::string_view key = record.key().value_or(BytesView()).text();
  const std::string_view payload = record.payload().after().value_or(BytesView()).text();
  log.write(level_, to_text(record.operation()), " ", key, ": ", payload.substr(0, shown),
            payload.size() > shown ? "..." : "");
}

}  // namespace tenon::builtin
