// SPDX-License-Identifier: BSL-1.0
#include "gen/read/output.hpp"

#include "gen/read/spec_files.hpp"

#include "common/text_file.hpp"

#include "platform/replace_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace tenon::gen {
namespace {

namespace fs = std::filesystem;

bool has_content(const fs::path& path, std::string_view content) {
  return tools::read_file(path).text == content;
}

[[noreturn]] void throw_cannot_write(const fs::path& path, const std::error_code& reason) {
  throw IoError("cannot write " + path.generic_string() + ": " + reason.message());
}

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
  const fs::path target = folder_ / path;
  if (has_content(target, content)) return;
  std::error_code status;
  fs::create_directories(target.parent_path(), status);
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) throw_cannot_write(target, {errno, std::generic_category()});
}

void replace_maintained(const fs::path& path, std::string_view content) {
  const platform::ReplaceResult result = platform::replace_content(path, content);
  if (result.failed) throw_cannot_write(path, result.failed);
}

std::string dependency_rule(const std::string& target, const std::vector<std::string>& inputs) {
  std::string rule = escaped(target) + ":";
  for (const std::string& input : inputs) rule += " \\\n  " + escaped(input);
  return rule + "\n";
}

}  // namespace tenon::gen
