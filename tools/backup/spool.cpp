// SPDX-License-Identifier: BSL-1.0
#include "spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/path_error.hpp"
#include "item_files.hpp"

namespace backup {
namespace {

using tenon::tools::Descriptor;

constexpr std::size_t buffered = std::size_t{256} << 10;

tenon::Error cannot_spool(const std::filesystem::path& directory, int number) {
  return tenon::detail::cannot_write(directory,
                                     {.attempt = "unpacking the archive into a file in it",
                                      .number = number,
                                      .instead = "set TMPDIR to another directory"});
}

/// Creates a file for file systems that do not support files without a name.
int create_and_unlink(const std::filesystem::path& directory) {
  std::string name = (directory / ".tenon-spool.XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

int open_nameless(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  const bool unsupported = file < 0 && (errno == EOPNOTSUPP || errno == EISDIR);
  return unsupported ? create_and_unlink(directory) : file;
}

}  // namespace

Spool::Spool(std::filesystem::path directory, std::unique_ptr<Descriptor> file)
    : directory_(std::move(directory)), file_(std::move(file)) {
  buffer_.reserve(buffered);
}

tenon::Result<Spool> Spool::create(const std::filesystem::path& directory) {
  Descriptor file(open_nameless(directory));
  if (!file) return cannot_spool(directory, errno);
  auto owned = std::make_unique<Descriptor>(file.get());
  file.release();
  return Spool(directory, std::move(owned));
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
  if (!tenon::tools::write_all(file_->get(), buffer_)) return cannot_spool(directory_, errno);
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

tenon::Result<std::unique_ptr<Descriptor>> Spool::release() {
  if (auto flushed = flush(); !flushed) return std::move(flushed).error();
  return std::move(file_);
}

}  // namespace backup
