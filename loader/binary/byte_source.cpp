// SPDX-License-Identifier: BSL-1.0
#include "binary/byte_source.hpp"

#include <cstring>
#include <string>

#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

Error ByteSource::problem(std::string_view code, std::string_view found, std::string_view needed,
                          std::string_view fix) const {
  return Error({.code = std::string(code),
                .where = std::string(path_),
                .found = std::string(found),
                .needed = std::string(needed),
                .fix = std::string(fix)});
}

Error ByteSource::truncated(std::uint64_t offset, std::uint64_t size, std::string_view what) const {
  const auto needed =
      std::string(what) + ": " + std::to_string(size) + " bytes at byte " + std::to_string(offset);
  return problem("truncated-file", "the file ends after " + std::to_string(size_) + " bytes",
                 needed, "copy or build the file again: a part of it is missing or damaged");
}

FileSource::FileSource(const platform::File& file)
    : ByteSource(file.path(), file.identity().size), file_(file) {}

bool FileSource::Window::copy(std::uint64_t from, std::span<std::byte> into) const {
  if (from < offset || from - offset > size || into.size() > size - (from - offset)) return false;
  std::memcpy(into.data(), bytes.data() + (from - offset), into.size());
  return true;
}

Result<void> FileSource::fill(Window& window, std::uint64_t offset) {
  window.size = 0;
  set_cached(0, {});
  const auto count = file_.read_at(offset, window.bytes);
  if (!count) return count.error();
  window.offset = offset;
  window.size = *count;
  return {};
}

/// Copies from a window and caches it, because the next read is most often in the same window.
bool FileSource::copy_from(const Window& window, std::uint64_t offset, std::span<std::byte> into) {
  if (!window.copy(offset, into)) return false;
  set_cached(window.offset, std::span(window.bytes).first(window.size));
  return true;
}

Result<void> FileSource::copy(std::uint64_t offset, std::span<std::byte> into,
                              std::string_view what) {
  if (into.empty() || copy_from(start_, offset, into) || copy_from(recent_, offset, into)) {
    return {};
  }

  if (into.size() > window_size) {
    const auto count = file_.read_at(offset, into);
    if (!count) return count.error();
    return *count == into.size() ? Result<void>() : truncated(offset, into.size(), what);
  }

  const auto begin = offset - offset % window_size;
  const bool crosses = offset - begin + into.size() > window_size;
  auto& window = begin == 0 && !crosses ? start_ : recent_;
  if (auto filled = fill(window, crosses ? offset : begin); !filled) return filled;
  const bool there = copy_from(window, offset, into);
  return there ? Result<void>() : truncated(offset, into.size(), what);  // the file has shrunk
}

}}}  // namespace tenon::v0_1::detail
