// SPDX-License-Identifier: BSL-1.0
//
// A module file of any format, read without loading it. The readers of the formats implement it.
// Files may be hostile: every offset is checked before it is used, every loop has a bound that does
// not depend on the file, and no more memory is allocated than a small multiple of the bytes of the
// file.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "binary/byte_source.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class ModuleBinary {
 public:
  virtual ~ModuleBinary() = default;

  /// Checks that this system loads files of the format and machine. Error: wrong-architecture.
  virtual Result<void> check_system() const = 0;

  /// Returns the text of the note with the manifest, without its terminator. Errors: no-manifest,
  /// two-manifests, broken-manifest, truncated-file, broken-file, cannot-read.
  virtual Result<std::string> manifest_text() const = 0;

  /// The location of an exported object.
  struct Object {
    std::uint64_t address;    // in the file
    std::uint64_t available;  // bytes from there to the end of its segment
  };
  /// Returns the exported object with this name; nothing if there is none.
  virtual Result<std::optional<Object>> find_object(std::string_view name) const = 0;

  /// Returns the error of a file that does not export the object: no-module-object.
  virtual Error not_exported(std::string_view name) const = 0;

  /// A pointer that the system's loader stores in the image.
  struct Pointer {
    std::uint64_t address;
    /// The address in the file that it points to, or any other number than 0 if it points to a
    /// symbol of another library.
    std::uint64_t target;
  };
  /// Returns the pointers of relocations by address, at most one for each. Pointers of packed
  /// relocations are not among them: read_address returns their targets.
  virtual Result<std::vector<Pointer>> pointers() const = 0;

  /// Reads the initial content of memory at an address. Bytes that are not in the file are zero.
  template <class T>
  Result<void> read_address(std::uint64_t address, T& into, std::string_view what) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return read_memory(address, std::as_writable_bytes(std::span(&into, 1)), what);
  }

 protected:
  ModuleBinary() = default;
  ModuleBinary(const ModuleBinary&) = default;
  ModuleBinary(ModuleBinary&&) = default;
  ModuleBinary& operator=(const ModuleBinary&) = default;
  ModuleBinary& operator=(ModuleBinary&&) = default;

 private:
  virtual Result<void> read_memory(std::uint64_t address, std::span<std::byte> into,
                                   std::string_view what) const = 0;
};

/// Opens a file in any of the formats. `source` must live as long as the result. Errors: those of
/// ElfFile::open and PeFile::open.
Result<std::unique_ptr<ModuleBinary>> open_module_binary(ByteSource& source);

}}}  // namespace tenon::v0_1::detail
