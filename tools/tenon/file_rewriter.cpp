// SPDX-License-Identifier: BSL-1.0
#include "file_rewriter.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

namespace tenon::command {

FileRewriter::FileRewriter(const std::filesystem::path& path)
    : path_(path), old_(path, std::ios::binary) {}

void FileRewriter::write(std::string_view line) {
  text_.append(line) += '\n';
  if (text_.size() >= chunk_size) flush();
}

std::optional<platform::ReplaceResult> FileRewriter::commit() {
  flush();
  const bool same = !replacement_ && old_.peek() == std::ifstream::traits_type::eof();
  if (same && !old_.bad()) return std::nullopt;
  begin_replacement();
  if (unchanged_ != 0) return platform::ReplaceResult{std::make_error_code(std::errc::io_error)};
  return replacement_->commit();
}

void FileRewriter::flush() {
  if (!replacement_ && matches_next(text_)) {
    unchanged_ += text_.size();
  } else {
    begin_replacement();
    replacement_->append(text_);
  }
  text_.clear();
}

bool FileRewriter::matches_next(std::string_view text) {
  compared_.resize(text.size());
  old_.read(compared_.data(), static_cast<std::streamsize>(compared_.size()));
  return old_.gcount() == static_cast<std::streamsize>(text.size()) && compared_ == text;
}

/// Copies the unchanged beginning. `unchanged_` stays above 0 if it cannot be read again.
void FileRewriter::begin_replacement() {
  if (replacement_) return;
  replacement_.emplace(path_);
  old_.clear();
  old_.seekg(0);
  std::vector<char> memory(std::min<std::uintmax_t>(chunk_size, unchanged_));
  while (unchanged_ != 0) {
    const auto count = std::min<std::uintmax_t>(memory.size(), unchanged_);
    old_.read(memory.data(), static_cast<std::streamsize>(count));
    if (old_.gcount() != static_cast<std::streamsize>(count)) return;
    replacement_->append({memory.data(), static_cast<std::size_t>(count)});
    unchanged_ -= count;
  }
}

}  // namespace tenon::command
