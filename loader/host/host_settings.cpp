// SPDX-License-Identifier: BSL-1.0
#include "host/host_settings.hpp"

#include <utility>

#include "base/log_level.hpp"
#include "catalog/search_path.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns whether the environment does not set the level.
bool may_set_level(const std::string& app) {
  const auto level = log_level_of_environment(app);
  return !level || !*level;
}

}  // namespace

Result<std::optional<LogLevel>> log_level_of_environment(const std::string& app) {
  if (app.empty()) return std::optional<LogLevel>();
  const std::string variable = variable_of(app, "LOG");
  const std::string wanted = platform::trusted_environment(variable);
  if (wanted.empty()) return std::optional<LogLevel>();
  if (const auto level = parse_log_level(wanted)) return level;
  return Error({.code = "bad-log-level",
                .where = "$" + variable,
                .found = wanted,
                .needed = std::string(all_log_levels),
                .fix = "set one of these, or unset the variable; it is ignored now"});
}

HostSettings::HostSettings(const HostOptions& options, std::shared_ptr<Log> log)
    : app_(options.app),
      initial_level_(options.log_level),
      may_set_level_(may_set_level(app_)),
      log_(std::move(log)) {}

HostSettings::Ptr HostSettings::read() {
  OperatorSettings fresh = read_settings(platform::settings_files(app_));
  const Ptr previous = current();
  if (!fresh.complete && previous->complete && !previous->files.empty()) {
    // A file that is being edited does not switch anything on.
    OperatorSettings kept = *previous;
    kept.problems = std::move(fresh.problems);
    fresh = std::move(kept);
  }
  if (may_set_level_ && fresh.log_level != previous->log_level)
    log_->set_level(fresh.log_level.value_or(initial_level_));
  auto next = std::make_shared<const OperatorSettings>(std::move(fresh));
  const sync::Lock lock(mutex_);
  current_ = next;
  return next;
}

HostSettings::Ptr HostSettings::current() const {
  const sync::Lock lock(mutex_);
  return current_;
}

}}}  // namespace tenon::v0_1::detail
