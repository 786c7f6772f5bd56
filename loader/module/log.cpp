// SPDX-License-Identifier: BSL-1.0
#include "module/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "module/generation.hpp"
#include "module/thread_records.hpp"

namespace tenon::detail {
namespace {

constexpr const char* logger_name = "tenon";

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> chosen = [] {
    if (auto registered = spdlog::get(logger_name)) return registered;
    return spdlog::stderr_color_mt(logger_name);
  }();
  return *chosen;
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
  logger().log(level_of(level), "{}: {}", module, message);
}

bool logs_debug() noexcept {
  return logger().should_log(spdlog::level::debug);
}
void log_debug(std::string_view message) {
  logger().debug("{}", message);
}
void log_info(std::string_view message) {
  logger().info("{}", message);
}
void log_warning(std::string_view message) {
  logger().warn("{}", message);
}

void log_fatal(std::string_view message) noexcept {
  logger().critical("{}", message);
  logger().flush();
}

}  // namespace tenon::detail
