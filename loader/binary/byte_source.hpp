// SPDX-License-Identifier: BSL-1.0
//
// The input of the readers in this directory: a whole file in memory, or an open file of which only
// the requested pieces are read. Every offset and size is checked: a read past the end is an error,
// never an access.
#pragma once

#include <tenon/result.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace tenon { inline namespace v0_1 { namespace platform {
class File;
}}}  // namespace tenon::v0_1::platform

namespace tenon { inline namespace v0_1 { namespace detail {

/// A bounded source of bytes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Returns the path of the file, for messages.
  std::string_view path() const { return path_; }
  std::uint64_t size() const { return size_; }

  /// Copies the bytes at `offset`. `what` names them for the message. Errors: truncated-file,
  /// cannot-read.
  Result<void> read(std::uint64_t offset, std::span<std::byte> into, std::string_view what) {
    const std::uint64_t start = offset - cached_at_;
    if (start <= cached_.size() && into.size() <= cached_.size() - start) {
      if (!into.empty()) std::memcpy(into.data(), cached_.data() + start, into.size());
      return {};
    }
    if (!contains(offset, into.size())) return truncated(offset, into.size(), what);
    return copy(offset, into, what);
  }
  template <class T>
  Result<void> read(std::uint64_t offset, T& into, std::string_view what) {
    static_assert(std::is_trivially_copyable_v<T>);
    return read(offset, std::as_writable_bytes(std::span(&into, 1)), what);
  }

  bool contains(std::uint64_t offset, std::uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }

  /// Returns an error about this file.
  Error problem(std::string_view code, std::string_view found, std::string_view needed,
                std::string_view fix) const;

  /// Returns the error for bytes past the end of the file.
  Error truncated(std::uint64_t offset, std::uint64_t size, std::string_view what) const;

 protected:
  /// `path` must live as long as the source.
  ByteSource(std::string_view path, std::uint64_t size) : path_(path), size_(size) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Makes `read` return these bytes, which lie at `offset`, without calling `copy`.
  void set_cached(std::uint64_t offset, std::span<const std::byte> bytes) {
    cached_at_ = offset;
    cached_ = bytes.first(std::min<std::uint64_t>(bytes.size(), size_ - offset));
  }

 private:
  virtual Result<void> copy(std::uint64_t offset, std::span<std::byte> into,
                            std::string_view what) = 0;

  std::string_view path_;
  std::uint64_t size_;
  std::uint64_t cached_at_ = 0;
  std::span<const std::byte> cached_;
};

/// A whole file in memory.
class MemorySource final : public ByteSource {
 public:
  /// Both must live as long as the source.
  MemorySource(std::string_view path, std::span<const std::byte> bytes)
      : ByteSource(path, bytes.size()) {
    set_cached(0, bytes);
  }

 private:
  // Never called: all bytes are cached.
  Result<void> copy(std::uint64_t, std::span<std::byte>, std::string_view) override { return {}; }
};

/// An open file. Reads are buffered, so a small module costs two or three system calls.
class FileSource final : public ByteSource {
 public:
  /// `file` must live as long as the source.
  explicit FileSource(const platform::File& file);

 private:
  static constexpr std::size_t window_size = 4096;

  struct Window {
    std::uint64_t offset = 0;
    std::size_t size = 0;
    std::array<std::byte, window_size> bytes;

    bool copy(std::uint64_t from, std::span<std::byte> into) const;
  };
  bool copy_from(const Window& window, std::uint64_t offset, std::span<std::byte> into);

  Result<void> copy(std::uint64_t offset, std::span<std::byte> into,
                    std::string_view what) override;
  Result<void> fill(Window& window, std::uint64_t offset);

  const platform::File& file_;
  Window start_;   // the start of the file: headers, and in small modules note and symbols
  Window recent_;  // the window that was read last
};

}}}  // namespace tenon::v0_1::detail
