// SPDX-License-Identifier: BSL-1.0
#include "spool.hpp"

#include <utility>

#include "base/path_error.hpp"

namespace backup {
namespace {

using tenon::platform::NamelessFile;

constexpr std::size_t buffered = std::size_t{256} << 10;

tenon::Error cannot_spool(const std::filesystem::path& directory, int number) {
  return tenon::detail::cannot_write(directory,
                                     {.attempt = "unpacking the archive into a file in it",
                                      .number = number,
                                      .instead = "set TMPDIR to another directory"});
}

}  // namespace

Spool::Spool(std::filesystem::path directory, NamelessFile file)
    : directory_(std::move(directory)), file_(std::move(file)) {
  buffer_.reserve(buffered);
}

tenon::Result<Spool> Spool::create(const std::filesystem::path& directory) {
  NamelessFile file(directory);
  if (file.error() != 0) return cannot_spool(directory, file.error());
  return Spool(directory, std::move(file));
}

tenon::Result<void> Spool::append(std::string_view data) {
  while (!data.empty()) {
    const auto part = data.substr(0, buffered - buffer_.size());
    buffer_.append(part);
    data.remove_prefix(part.size());
    if (buffer_.size() < buffered) continue;
    if (auto flushed = flush(); !flushed) return flushed;
  }
  return {};
}

tenon::Result<void> Spool::flush() {
  file_.append(buffer_);
  if (file_.error() != 0) return cannot_spool(directory_, file_.error());
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

tenon::Result<tenon::platform::File> Spool::release() {
  if (auto flushed = flush(); !flushed) return std::move(flushed).error();
  return std::move(file_).to_read(directory_);
}

}  // namespace backup
