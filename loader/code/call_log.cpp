// SPDX-License-Identifier: BSL-1.0
#include "call/call_log.hpp"

#include <tenon/log.hpp>
#include <tenon/values.hpp>

#include <algorithm>

#include "base/log.hpp"
#include "call/thread_records.hpp"
#include "code/generation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

LogLevel level_of(std::int32_t level) noexcept {
  return static_cast<LogLevel>(std::clamp(level, TENON_LOG_TRACE, TENON_LOG_ERROR));
}

/// Returns the host of the module whose code makes the call; nullptr for the program.
const ModuleHost* module_in(const Call& call) noexcept {
  const CallTargets* innermost = innermost_serving();
  return innermost != nullptr ? &static_cast<const Generation*>(innermost)->host() : call.owner();
}

/// Returns a text of a plugin; empty if it has no data.
std::string_view text_of(const tenon_string& raw) noexcept {
  return Value<std::string>::has_data(raw) ? Value<std::string>::view(raw) : std::string_view();
}

/// Returns whether no pair has a text without data. Otherwise the line is logged without pairs.
bool has_data(const tenon_list& pairs) noexcept {
  if (pairs.data == nullptr) return pairs.count == 0;
  for (std::size_t i = 0; i < pairs.count; ++i) {
    const auto& [key, value] = TENON_AT(tenon_log_pair, pairs, i);
    if (!Value<std::string>::has_data(key) || !Value<std::string>::has_data(value)) return false;
  }
  return true;
}

LogLine line_of(const tenon_log_line& raw) noexcept {
  return {.level = level_of(raw.level),
          .plugin = text_of(raw.plugin),
          .message = text_of(raw.message),
          .pairs = has_data(raw.pairs) ? ListView<LogPair>(raw.pairs) : ListView<LogPair>()};
}

}  // namespace

tenon_log_line plain_line(std::int32_t level, tenon_string message) noexcept {
  return {sizeof(tenon_log_line), level, 0, {nullptr, 0}, message, {nullptr, 0, 0}};
}

bool wants_in(const Call& call, std::int32_t level) noexcept {
  const ModuleHost* module = module_in(call);
  if (module == nullptr) return log_without_host().wants(level_of(level));
  return wants_of(*module, level);
}

void log_in(const Call& call, const tenon_log_line& line) noexcept {
  const ModuleHost* module = module_in(call);
  if (module != nullptr) return log_of(*module, line);
  log_without_host().write(line_of(line));
}

bool wants_of(const ModuleHost& module, std::int32_t level) noexcept {
  return module.log().wants(level_of(level));
}

void log_of(const ModuleHost& module, const tenon_log_line& line) noexcept {
  LogLine named = line_of(line);
  if (named.plugin.empty() && module.runs_here()) named.plugin = innermost_plugin();
  named.package = module.package();
  module.log().write(named);
}

}}}  // namespace tenon::v0_1::detail
