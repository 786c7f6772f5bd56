// SPDX-License-Identifier: BSL-1.0
//
// Writes generated files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::gen {

/// A folder for generated files. A file whose content has not changed is not written, so that
/// nothing is rebuilt.
class Output {
 public:
  explicit Output(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the output for a subfolder.
  Output in(const std::string& path) const { return Output(folder_ / path); }

  /// Writes `folder/path`, and creates missing folders. Throws IoError.
  void write(const std::string& path, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

/// Returns a rule of make by which `target` depends on `inputs`.
std::string dependency_rule(const std::string& target, const std::vector<std::string>& inputs);

}  // namespace tenon::gen
