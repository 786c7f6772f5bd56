// SPDX-License-Identifier: BSL-1.0
//
// Where the readers of this room get their bytes from: a whole file in memory, or an open file of
// which only the pieces that are asked for are read. No offset and no size is believed: a read
// past the end is an error, never an access.
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

namespace tenon {

namespace platform {
class File;
}

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// What the bytes are of, for messages.
  std::string_view path() const { return path_; }
  std::uint64_t size() const { return size_; }

  /// Copies the bytes at `offset`. `what` names them for the message. Errors: truncated-file,
  /// cannot-read.
  Result<void> read(std::uint64_t offset, std::span<std::byte> into, std::string_view what) {
    const std::uint64_t start = offset - shown_at_;
    if (start <= shown_.size() && into.size() <= shown_.size() - start) {
      if (!into.empty()) std::memcpy(into.data(), shown_.data() + start, into.size());
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

  /// An error about this file.
  Error finding(std::string_view code, std::string_view found, std::string_view needed,
                std::string_view fix) const;

  /// The error for bytes that should be there and are not.
  Error truncated(std::uint64_t offset, std::uint64_t size, std::string_view what) const;

 protected:
  /// `path` must live as long as the source.
  ByteSource(std::string_view path, std::uint64_t size) : path_(path), size_(size) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads of these bytes, which stand at `offset`, need no call of `copy` from now on.
  void show(std::uint64_t offset, std::span<const std::byte> bytes) {
    shown_at_ = offset;
    shown_ = bytes.first(std::min<std::uint64_t>(bytes.size(), size_ - offset));
  }

 private:
  virtual Result<void> copy(std::uint64_t offset, std::span<std::byte> into,
                            std::string_view what) = 0;

  std::string_view path_;
  std::uint64_t size_;
  std::uint64_t shown_at_ = 0;
  std::span<const std::byte> shown_;
};

/// A file that is in memory as a whole.
class MemorySource final : public ByteSource {
 public:
  /// Both must live as long as the source.
  MemorySource(std::string_view path, std::span<const std::byte> bytes)
      : ByteSource(path, bytes.size()) {
    show(0, bytes);
  }

 private:
  // All of it is shown, so a read ends before it comes to this.
  Result<void> copy(std::uint64_t, std::span<std::byte>, std::string_view) override { return {}; }
};

/// An open file. What is read once serves the reads close to it: a small module costs two or three
/// calls of the system.
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
  Window start_;   // of the file: headers, and in small modules note and symbols
  Window recent_;  // what was read last
};

}  // namespace tenon
