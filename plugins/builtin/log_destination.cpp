// SPDX-License-Identifier: BSL-1.0
#include "log_destination.hpp"

#include <string_view>

namespace tenon::builtin {
namespace {

/// A payload of which a line of the log shows the beginning.
constexpr std::size_t shown = 1000;

}  // namespace

void LogDestination::write(RecordV2View record) {
  const std::string_view key = record.key().value_or(BytesView()).text();
  const std::string_view payload = record.payload().after().value_or(BytesView()).text();
  log.write(settings_.level, to_text(record.operation()), " ", key, ": ", payload.substr(0, shown),
            payload.size() > shown ? "..." : "");
}

}  // namespace tenon::builtin
