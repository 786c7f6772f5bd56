// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/output.hpp"

#include <system_error>

#include "common/text_file.hpp"

namespace tenon::gen {
namespace {

namespace fs = std::filesystem;

/// Escapes a path for make.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#') text += '\\';
    text += c == '$' ? "$$" : std::string(1, c);
  }
  return text;
}

}  // namespace

void Output::write(const std::string& path, std::string_view content) const {
  const fs::path target = directory_ / path;
  if (tools::read_file(target).text == content) return;
  if (const fs::path parent = target.parent_path(); !parent.empty()) {
    std::error_code failed;
    fs::create_directories(parent, failed);
    if (failed) {
      throw tools::IoError(tools::cannot_write(parent, "creating the directory", failed.value()));
    }
  }
  tools::write_file(target, content);
}

std::string dependency_rule(const std::string& target, const std::vector<std::string>& inputs) {
  std::string rule = escaped(target) + ":";
  for (const std::string& input : inputs) rule += " \\\n  " + escaped(input);
  return rule + "\n";
}

}  // namespace tenon::gen
