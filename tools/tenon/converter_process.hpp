// SPDX-License-Identifier: BSL-1.0
//
// The process of a program that answers lines with lines.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::command {

/// A running program. The functions return the reason for a failure, or an empty text.
class ConverterProcess {
 public:
  /// `limit` bounds each request, and the time in which the program must exit.
  explicit ConverterProcess(std::chrono::milliseconds limit);
  /// Stops the program.
  ~ConverterProcess();
  ConverterProcess(const ConverterProcess&) = delete;
  ConverterProcess& operator=(const ConverterProcess&) = delete;

  /// Starts the program.
  std::string start(const std::filesystem::path& program);

  /// Sends a line with its end, and reads the response, a line without its end.
  std::string request(std::string_view line, std::string& response);

  /// Closes the input of the program, waits until it exits, and kills it if it does not. Returns
  /// how it ended.
  std::string stop();

  /// Returns whether the program was killed because it did not respond or exit in time.
  bool was_killed() const noexcept { return was_killed_; }

 private:
  struct System;

  /// In bytes. Bounds the memory of an endless response; the largest document takes less.
  static constexpr std::size_t largest_response = 256'000'000;

  void kill();
  /// Kills the program, and returns why.
  std::string time_out();

  const std::chrono::milliseconds limit_;
  const std::unique_ptr<System> system_;
  bool was_killed_ = false;
};

}  // namespace tenon::command
