// SPDX-License-Identifier: BSL-1.0
#include "log_destination.hpp"

#include <string_view>

namespace tenon::builtin {
namespace {

/// Maximum number of bytes of a payload in a line of the log.
constexpr std::size_t max_shown = 1000;

}  // namespace

void LogDestination::write(RecordV2View record) {
  if (template_) {
    std::string text;
    template_->append(text, record);
    log.write(settings_.level, std::string_view(text).substr(0, max_shown),
              text.size() > max_shown ? "..." : "");
    return;
  }
  const std::string_view key = record.key().value_or(BytesView()).text();
  const std::string_view payload = record.payload().after().value_or(BytesView()).text();
  log.write(settings_.level, to_text(record.operation()), " ", key, ": ",
            payload.substr(0, max_shown), payload.size() > max_shown ? "..." : "");
}

}  // namespace tenon::builtin
