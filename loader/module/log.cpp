// SPDX-License-Identifier: BSL-1.0
#include "module/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "base/plain_text.hpp"
#include "module/generation.hpp"
#include "module/thread_records.hpp"
#include "platform/fork.hpp"

namespace tenon::detail {
namespace {

constexpr const char* logger_name = "tenon";

// Held while a line is written, and while the process forks: so no child finds a lock of a sink
// held by a thread that it does not have. Recursive, since a sink of the program may log as well.
std::recursive_mutex writing;

void unlock_in_child() noexcept {
  new (&writing) std::recursive_mutex;  // it belongs to the thread's id in the parent
}

spdlog::logger& logger() {
  static const bool guarded =
      (platform::around_fork([] { writing.lock(); }, [] { writing.unlock(); }, unlock_in_child),
       true);
  static_cast<void>(guarded);
  static const std::shared_ptr<spdlog::logger> chosen = [] {
    if (auto registered = spdlog::get(logger_name)) return registered;
    return spdlog::stderr_color_mt(logger_name);
  }();
  return *chosen;
}

void write(spdlog::level::level_enum level, std::string_view message) {
  spdlog::logger& chosen = logger();
  if (!chosen.should_log(level)) return;
  std::lock_guard lock(writing);
  chosen.log(level, "{}", message);
}

spdlog::level::level_enum level_of(std::int32_t level) {
  constexpr spdlog::level::level_enum levels[] = {spdlog::level::trace, spdlog::level::debug,
                                                  spdlog::level::info, spdlog::level::warn,
                                                  spdlog::level::err};
  return levels[std::clamp(level, TENON_LOG_TRACE, TENON_LOG_ERROR)];
}

}  // namespace

void log_from_plugin(std::int32_t level, std::string_view message) {
  const auto* generation = static_cast<const Generation*>(innermost_serving());
  log_from_module(generation != nullptr ? generation->package() : "host", level, message);
}

void log_from_module(std::string_view module, std::int32_t level, std::string_view message) {
  const spdlog::level::level_enum one = level_of(level);
  if (!logger().should_log(one)) return;
  write(one, std::string(module).append(": ").append(harmless(message)));
}

bool logs_debug() noexcept {
  return logger().should_log(spdlog::level::debug);
}
void log_debug(std::string_view message) {
  write(spdlog::level::debug, message);
}
void log_info(std::string_view message) {
  write(spdlog::level::info, message);
}
void log_warning(std::string_view message) {
  write(spdlog::level::warn, message);
}

void log_fatal(std::string_view message) noexcept {
  write(spdlog::level::critical, message);
  std::lock_guard lock(writing);
  logger().flush();
}

}  // namespace tenon::detail
