// SPDX-License-Identifier: BSL-1.0
#include "item_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/path_error.hpp"

namespace backup {
namespace {

using tenon::tools::Descriptor;

tenon::Error changed(const std::filesystem::path& path) {
  return tenon::Error({.code = "file-changed",
                       .message = "the file changed while it was in use",
                       .where = path.string(),
                       .needed = "the content that it had when its documents were found",
                       .fix = "run again, and do not change the input during the run"});
}

}  // namespace

tenon::Error cannot_read(const std::filesystem::path& path, int number) {
  return tenon::detail::cannot_read(path, {"reading it", number});
}

std::uint32_t ItemFiles::add(std::filesystem::path path, const struct stat& status) {
  files_.push_back({.path = std::move(path),
                    .open = nullptr,
                    .inode = status.st_ino,
                    .size = static_cast<std::uint64_t>(status.st_size),
                    .modified = status.st_mtim});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::uint32_t ItemFiles::add(std::filesystem::path path, std::unique_ptr<Descriptor> open) {
  files_.push_back({.path = std::move(path), .open = std::move(open)});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::uint32_t ItemFiles::add_head(std::string members) {
  heads_.push_back(std::move(members));
  return static_cast<std::uint32_t>(heads_.size() - 1);
}

ItemFiles::Shift ItemFiles::append(ItemFiles&& other) {
  const Shift shift{static_cast<std::uint32_t>(files_.size()),
                    static_cast<std::uint32_t>(heads_.size() - 1)};
  std::move(other.files_.begin(), other.files_.end(), std::back_inserter(files_));
  std::move(other.heads_.begin() + 1, other.heads_.end(), std::back_inserter(heads_));
  return shift;
}

tenon::Result<std::string> ItemFiles::read(const ItemPlace& place) const {
  const File& file = files_[place.file];
  if (file.open) return read_open(file, file.open->get(), place);
  const Descriptor opened(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened) return cannot_read(file.path, errno);
  struct stat status;
  if (::fstat(opened.get(), &status) != 0) return cannot_read(file.path, errno);
  const bool same = status.st_ino == file.inode &&
                    static_cast<std::uint64_t>(status.st_size) == file.size &&
                    status.st_mtim.tv_sec == file.modified.tv_sec &&
                    status.st_mtim.tv_nsec == file.modified.tv_nsec;
  if (!same) return changed(file.path);
  return read_open(file, opened.get(), place);
}

tenon::Result<std::string> ItemFiles::read_open(const File& file, int descriptor,
                                                const ItemPlace& place) const {
  // The members of the head replace the opening brace.
  std::string text = place.head == 0 ? std::string() : '{' + heads_[place.head] + ',';
  std::size_t filled = text.size();
  std::uint64_t offset = place.offset + (place.head == 0 ? 0 : 1);
  text.resize(filled + (place.offset + place.size - offset));
  while (filled < text.size()) {
    const ssize_t got =
        ::pread(descriptor, text.data() + filled, text.size() - filled, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(file.path, errno);
    if (got == 0) return changed(file.path);
    filled += static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
  return text;
}

}  // namespace backup
