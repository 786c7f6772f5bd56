// SPDX-License-Identifier: BSL-1.0
#include "base/log.hpp"

// Compiled into this file, so that plugins with copies of their own do not use the copies of the
// host, which may be other versions.
#undef SPDLOG_COMPILED_LIB
#define FMT_HEADER_ONLY
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "base/lock_order.hpp"
#include "base/plain_text.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

/// Appends a word, in quotes if it could be mistaken for several.
void append_word(std::string& line, std::string_view word) {
  if (!word.empty() && word.find_first_of(" =\"\\") == std::string_view::npos) {
    line += escaped_for_display(word);
    return;
  }
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  line += escaped_for_display(quoted) + '"';
}

/// eg: "me.example/blur (me.example/filters)"
std::string author_of(const LogLine& line) {
  if (line.plugin.empty()) return escaped_for_display(line.package);
  if (line.package.empty() || line.plugin == line.package) return escaped_for_display(line.plugin);
  return escaped_for_display(line.plugin) + " (" + escaped_for_display(line.package) + ")";
}

}  // namespace

std::string LogLine::to_string() const {
  std::string line = author_of(*this);
  if (!line.empty()) line += ": ";
  line += escaped_for_display(message);
  for (const LogPair& pair : pairs) {
    line += ' ';
    append_word(line, pair.key);
    line += '=';
    append_word(line, pair.value);
  }
  return line;
}

namespace detail {
namespace {

// Held while a line is written, and while the process forks. So a lock of spdlog is never held by a
// thread that does not exist in the child.
LeafMutex writing;

void unlock_in_child() noexcept {
  new (&writing) LeafMutex;  // it belongs to a thread of the parent
  InLoader::leave();         // the lock before the fork
}

/// Not registered with spdlog, whose registry belongs to the program. Outlives every thread.
spdlog::logger& error_output() {
  static const bool guarded =
      (platform::around_fork([]() TENON_ACQUIRE(writing) { writing.lock(); },
                             []() TENON_RELEASE(writing) { writing.unlock(); }, unlock_in_child),
       true);
  static_cast<void>(guarded);
  static spdlog::logger& logger = *[] {
    auto* made =
        new spdlog::logger("tenon", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_level(spdlog::level::trace);
    return made;
  }();
  return logger;
}

spdlog::level::level_enum to_spdlog(LogLevel level) noexcept {
  constexpr spdlog::level::level_enum levels[] = {spdlog::level::trace, spdlog::level::debug,
                                                  spdlog::level::info, spdlog::level::warn,
                                                  spdlog::level::err};
  return levels[static_cast<std::size_t>(level)];
}

void write_to_error_output(const LogLine& line) {
  const std::string text = line.to_string();
  spdlog::logger& logger = error_output();
  const sync::Lock lock(writing);
  logger.log(line.time, spdlog::source_loc(), to_spdlog(line.level), text);
}

}  // namespace

void Log::write(LogLine line) noexcept try {
  if (!wants(line.level)) return;
  line.time = std::chrono::system_clock::now();
  if (!call_sink(line)) write_to_error_output(line);
} catch (const std::exception&) {  // out of memory
}

/// Passes the line to the sink. Returns false if it must be written elsewhere.
bool Log::call_sink(const LogLine& line) {
  lock_order::expect_none();
  if (!sink_ || process_.inherited()) return false;
  const CallbackGate::Guard inside(sink_gate_);
  if (!inside || inside.nested()) return false;
  std::string why = "something that is no std::exception";
  try {
    sink_(line);
    return true;
  } catch (const std::exception& e) {
    why = e.what();
  } catch (...) {
  }
  log_warning("the log sink of the host threw: " + why);
  return false;
}

Log& log_without_host() {
  static Log& log = *new Log(LogLevel::warn);  // outlives every thread
  return log;
}

void log_warning(std::string_view message) noexcept {
  log_without_host().write(LogLevel::warn, message);
}

void log_fatal(std::string_view message) noexcept try {
  spdlog::logger& logger = error_output();
  const sync::Lock lock(writing);
  logger.critical("{}", message);
  logger.flush();
} catch (const std::exception&) {  // out of memory
}

}  // namespace detail
}}  // namespace tenon::v0_1
