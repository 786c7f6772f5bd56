// SPDX-License-Identifier: BSL-1.0
//
// The converter of an app (tenon/gen/converter.hpp) as the command uses it.
#pragma once

#include <tenon/document.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::command {

/// Starts the program when the first document needs it, and again after it has failed. It ends with
/// this object.
class AppConverter {
 public:
  /// Waits at most `limit` for the answer about a document, and as long for the program to end.
  AppConverter(std::filesystem::path program, std::chrono::milliseconds limit);
  ~AppConverter();

  /// As DocumentConverter::convert. Error besides: `converter-failed`, where the program has no
  /// answer.
  Result<std::string_view> convert(std::string_view text, const DocumentReadOptions& how);

 private:
  class Process;

  Error failed(std::string why);

  std::filesystem::path program_;
  std::chrono::milliseconds limit_;
  std::unique_ptr<Process> process_;  // nullptr: none runs
  std::string answer_;
  json::Parser parser_;
};

}  // namespace tenon::command
