// SPDX-License-Identifier: BSL-1.0
//
// Queries about loaded images and their addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

/// The address ranges of the segments of one loaded image.
class ImageMap {
 public:
  /// Returns the map of the image that was loaded from this path; empty if none was.
  static ImageMap of(const std::filesystem::path& path);

  bool empty() const noexcept { return segments_.empty(); }
  /// Returns whether `size` bytes at `address` lie in one readable segment.
  bool contains(const void* address, std::size_t size) const noexcept;
  /// Returns whether `address` lies in an executable segment.
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

/// Returns the file that the code at an address was loaded from; empty if there is none.
std::string image_at(const void* address);
/// Returns the offset of an address from the start of its image; 0 if there is none.
std::uint64_t offset_at(const void* address);
/// Returns whether the file at a path is loaded, under this or another name. A path without a
/// directory is the name of a library.
bool is_loaded(const std::filesystem::path& path);
/// Returns whether an image is mapped that was loaded under exactly this path. Other names of the
/// file do not count.
bool is_mapped(const std::filesystem::path& path) noexcept;
/// Returns the files of the other images that import symbols from the image that was loaded from a
/// path. Symbols that they have looked up with dlsym do not count.
std::vector<std::string> importers_of(const std::filesystem::path& path);
/// Keeps the image that was loaded from a path mapped until the process exits, with all libraries
/// that it needs.
void pin_image(const std::filesystem::path& path);
/// Makes the dynamic loader check again whether a closed image can be unmapped. Runs the
/// destructors of the image if so.
void release_image(const std::filesystem::path& path);
/// Returns whether the program, or a library that it was started with, exports a symbol of this
/// name (and version, if one is given).
bool has_global_symbol(const char* name, const char* version = nullptr);
/// Returns whether the dynamic loader searches a run path that does not apply to modules (RUNPATH)
/// when this library loads another one by its name.
bool searches_own_run_path();
/// Returns the text for the error with which this thread has just failed to load a library.
std::string load_error(const std::error_code& failed);

}}}  // namespace tenon::v0_1::platform
