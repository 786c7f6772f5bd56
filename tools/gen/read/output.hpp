// SPDX-License-Identifier: BSL-1.0
//
// Where generated files go.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::gen {

/// A folder that generated files are written to. A file whose content is the same is left alone, so
/// that nothing is rebuilt for it.
class Output {
 public:
  explicit Output(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The same, for a folder below.
  Output in(const std::string& path) const { return Output(folder_ / path); }

  /// Writes `folder/path` and the folders above it. Throws EnvironmentError.
  void write(const std::string& path, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

/// The rule of make that says what `target` was made from.
std::string dependency_rule(const std::string& target, const std::vector<std::string>& inputs);

}  // namespace tenon::gen
