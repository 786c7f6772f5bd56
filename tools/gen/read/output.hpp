// SPDX-License-Identifier: BSL-1.0
//
// Writes generated files, and files that people maintain.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
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

/// Replaces a file that people maintain: if this fails, the file keeps its content. Throws IoError.
void replace_maintained(const std::filesystem::path& path, std::string_view content);

/// Returns a rule of make by which `target` depends on `inputs`.
std::string dependency_rule(const std::string& target, const std::vector<std::string>& inputs);

}  // namespace tenon::gen
