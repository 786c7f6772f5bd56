// SPDX-License-Identifier: BSL-1.0
#include "rewriting.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

namespace tenon::command {

Rewriting::Rewriting(const std::filesystem::path& path)
    : path_(path), old_(path, std::ios::binary) {}

void Rewriting::write(std::string_view line) {
  text_.append(line) += '\n';
  if (text_.size() >= piece) flush();
}

std::optional<platform::ReplaceResult> Rewriting::commit() {
  flush();
  const bool same = !fresh_ && old_.peek() == std::ifstream::traits_type::eof();
  if (same && !old_.bad()) return std::nullopt;
  begin();
  if (same_ != 0) return platform::ReplaceResult{std::make_error_code(std::errc::io_error)};
  return fresh_->commit();
}

void Rewriting::flush() {
  if (!fresh_ && is_next(text_)) {
    same_ += text_.size();
  } else {
    begin();
    fresh_->append(text_);
  }
  text_.clear();
}

bool Rewriting::is_next(std::string_view text) {
  compared_.resize(text.size());
  old_.read(compared_.data(), static_cast<std::streamsize>(compared_.size()));
  return old_.gcount() == static_cast<std::streamsize>(text.size()) && compared_ == text;
}

/// Takes over what is as it was; `same_` stays above 0 where that cannot be read again.
void Rewriting::begin() {
  if (fresh_) return;
  fresh_.emplace(path_);
  old_.clear();
  old_.seekg(0);
  std::vector<char> memory(std::min<std::uintmax_t>(piece, same_));
  while (same_ != 0) {
    const auto count = std::min<std::uintmax_t>(memory.size(), same_);
    old_.read(memory.data(), static_cast<std::streamsize>(count));
    if (old_.gcount() != static_cast<std::streamsize>(count)) return;
    fresh_->append({memory.data(), static_cast<std::size_t>(count)});
    same_ -= count;
  }
}

}  // namespace tenon::command
