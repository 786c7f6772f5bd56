// SPDX-License-Identifier: BSL-1.0
#include "item_files.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "base/path_error.hpp"

namespace backup {
namespace {

tenon::Error changed(std::string path) {
  return tenon::Error({.code = "file-changed",
                       .message = "the file changed while it was in use",
                       .where = std::move(path),
                       .needed = "the content that it had when its documents were found",
                       .fix = "run again, and do not change the input during the run"});
}

}  // namespace

tenon::Error cannot_read(const std::filesystem::path& path, int number) {
  return tenon::detail::cannot_read(path, {"reading it", number});
}

tenon::Result<tenon::platform::File> open_documents(const std::filesystem::path& path) {
  auto file = tenon::platform::File::open(path, true);
  if (!file && file.error().code() == "not-found") return cannot_read(path, ENOENT);
  return file;
}

std::uint32_t ItemFiles::add(std::filesystem::path path,
                             const tenon::platform::FileIdentity& identity) {
  files_.push_back({.path = std::move(path),
                    .open = nullptr,
                    .inode = identity.inode,
                    .size = identity.size,
                    .modified = identity.modified});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::uint32_t ItemFiles::add(tenon::platform::File open) {
  files_.push_back(
      {.path = open.path(), .open = std::make_unique<tenon::platform::File>(std::move(open))});
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
  if (file.open) return read_open(*file.open, place);
  const auto opened = open_documents(file.path);
  if (!opened) return opened.error();
  const tenon::platform::FileIdentity& now = opened->identity();
  const bool same =
      now.inode == file.inode && now.size == file.size && now.modified == file.modified;
  if (!same) return changed(opened->path());
  return read_open(*opened, place);
}

tenon::Result<std::string> ItemFiles::read_open(const tenon::platform::File& file,
                                                const ItemPlace& place) const {
  // The members of the head replace the opening brace.
  std::string text = place.head == 0 ? std::string() : '{' + heads_[place.head] + ',';
  const std::size_t begin = text.size();
  const std::uint64_t offset = place.offset + (place.head == 0 ? 0 : 1);
  text.resize(begin + (place.offset + place.size - offset));
  const auto rest = std::as_writable_bytes(std::span(text).subspan(begin));
  const auto got = file.read_at(offset, rest);
  if (!got) return got.error();
  if (*got < rest.size()) return changed(file.path());
  return text;
}

}  // namespace backup
