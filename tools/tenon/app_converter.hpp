// SPDX-License-Identifier: BSL-1.0
//
// Runs the converter program of an app (see tenon/detail/converter.hpp).
#pragma once

#include <tenon/document.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "converter_process.hpp"

namespace tenon::command {

/// Starts the program for the first document, and again after it has failed. A program that did not
/// respond or exit in time is not started again: all later documents get the same error, because
/// each would take as long. The destructor ends it.
class AppConverter {
 public:
  /// `limit` bounds the conversion of one document, and the time in which the program must exit.
  AppConverter(std::filesystem::path program, std::chrono::milliseconds limit);

  /// Like DocumentConverter::convert. Additional error: converter-failed, if the program crashes,
  /// does not respond, or its response is invalid.
  Result<std::string_view> convert(std::string_view text, const DocumentReadOptions& options);

 private:
  Error failed(std::string why);

  std::filesystem::path program_;
  std::chrono::milliseconds limit_;
  std::unique_ptr<ConverterProcess> process_;  // nullptr: not running
  std::optional<Error> given_up_;
  std::string response_;
  tenon::json::Parser parser_;
};

}  // namespace tenon::command
