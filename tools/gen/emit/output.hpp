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

/// A directory for generated files. A file whose content has not changed is not written, so that
/// nothing is rebuilt.
class Output {
 public:
  explicit Output(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Returns the output for a subdirectory.
  Output in(const std::string& path) const { return Output(directory_ / path); }

  /// Writes `directory/path`, and creates missing directories. Throws IoError.
  void write(const std::string& path, std::string_view content) const;

 private:
  std::filesystem::path directory_;
};

/// Returns a rule of make by which `target` depends on `inputs`.
std::string dependency_rule(const std::string& target, const std::vector<std::string>& inputs);

}  // namespace tenon::gen
