// SPDX-License-Identifier: BSL-1.0
//
// Which addresses of the process belong to a loaded image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon::platform {

/// The segments of one loaded image.
class ImageMap {
 public:
  /// Of the image loaded from this path; empty where none is.
  static ImageMap of(const std::filesystem::path& path);

  bool empty() const noexcept { return segments_.empty(); }
  /// Whether `size` bytes at `address` lie in one segment that can be read.
  bool contains(const void* address, std::size_t size) const noexcept;
  /// Whether `address` lies in a segment with code.
  bool contains_code(const void* address) const noexcept;

 private:
  struct Segment {
    const char* begin;
    const char* end;
    bool readable;
    bool code;
  };
  std::vector<Segment> segments_;
};

/// The file that the code at an address was loaded from; empty where it is none.
std::string image_at(const void* address);
/// How far behind the beginning of that file's image an address lies; 0 where there is none.
std::uint64_t offset_at(const void* address);
/// Whether the file at a path is loaded already, under this or another name; without a folder,
/// whether a library of that name is.
bool is_loaded(const std::filesystem::path& path);
/// Returns whether an image is mapped that was loaded under exactly this path. Other names of the
/// file do not count.
bool is_mapped(const std::filesystem::path& path) noexcept;
/// Keeps what is loaded from a path in the process until that ends, with all that it needs.
void pin_image(const std::filesystem::path& path);
/// Lets the system's loader look again whether an image goes that nobody has open. Runs what the
/// image does when it goes.
void release_image(const std::filesystem::path& path);
/// Whether the program, or a library that it was started with, has a function or object of this
/// name, and with a version, in that one.
bool has_global_symbol(const char* name, const char* version = nullptr);
/// Why the system's loader failed last on this thread; empty where it did not.
std::string last_load_error();

}  // namespace tenon::platform
