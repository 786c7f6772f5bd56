// SPDX-License-Identifier: BSL-1.0
//
// The parts of the PE format that the reader needs: files for Windows, of 32 and 64 bits. All
// numbers are little-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace pe {

inline constexpr std::array<char, 2> dos_magic = {'M', 'Z'};
inline constexpr std::array<char, 4> signature = {'P', 'E', '\0', '\0'};
inline constexpr std::uint64_t signature_offset_at = 60;  // in the DOS header

inline constexpr std::uint16_t is_library = 0x2000;

/// Follows the signature.
struct FileHeader {
  std::uint16_t machine;
  std::uint16_t section_count;
  std::uint32_t time;
  std::uint32_t symbols_offset;
  std::uint32_t symbol_count;
  std::uint16_t optional_size;  // of the header between this one and the sections
  std::uint16_t flags;
};
static_assert(sizeof(FileHeader) == 20);

inline constexpr std::uint16_t optional_32 = 0x10b;
inline constexpr std::uint16_t optional_64 = 0x20b;
// Of the image base in the optional header.
inline constexpr std::uint64_t base_at_32 = 28;
inline constexpr std::uint64_t base_at_64 = 24;

/// Starts 32 bytes after the start of the optional header, which both kinds have in common there.
struct ImageHeader {
  std::uint32_t section_alignment;
  std::uint32_t file_alignment;
  std::array<std::uint16_t, 6> versions;
  std::uint32_t reserved;
  std::uint32_t image_size;
  std::uint32_t headers_size;
};
static_assert(sizeof(ImageHeader) == 32);
inline constexpr std::uint64_t image_header_at = 32;

// Of the number of directories in the optional header. The directories follow it.
inline constexpr std::uint64_t directory_count_at_32 = 92;
inline constexpr std::uint64_t directory_count_at_64 = 108;

struct Directory {
  std::uint32_t address;
  std::uint32_t size;
};
enum DirectoryIndex : std::size_t {
  exports = 0,
  imports = 1,
  relocations = 5,
  thread_local_storage = 9,
  delayed_imports = 13,
  common_language_runtime = 14,
  directory_count = 16,
};

inline constexpr std::uint32_t executable = 0x20000000;
inline constexpr std::uint32_t readable = 0x40000000;

struct Section {
  std::array<char, 8> name;  // without a terminator if it has 8 bytes
  std::uint32_t memory_size;
  std::uint32_t address;
  std::uint32_t file_size;
  std::uint32_t offset;
  std::uint32_t relocations_offset;
  std::uint32_t lines_offset;
  std::uint16_t relocation_count;
  std::uint16_t line_count;
  std::uint32_t flags;
};
static_assert(sizeof(Section) == 40);

struct Exports {
  std::uint32_t flags;
  std::uint32_t time;
  std::uint32_t version;
  std::uint32_t name;
  std::uint32_t first_ordinal;
  std::uint32_t function_count;
  std::uint32_t name_count;
  std::uint32_t functions;  // addresses by number
  std::uint32_t names;      // addresses of names, in the order of the names
  std::uint32_t numbers;    // of the function with each name
};
static_assert(sizeof(Exports) == 40);

/// A library. The last entry has no name.
struct Imports {
  std::uint32_t names;  // 0: only `addresses` has them
  std::uint32_t time;   // other than 0: `addresses` has addresses of another build of the library
  std::uint32_t forwarder;
  std::uint32_t library;
  std::uint32_t addresses;
};
static_assert(sizeof(Imports) == 20);

/// A library that is loaded when its first function is called. The last entry has no name.
struct DelayedImports {
  std::uint32_t flags;
  std::uint32_t library;
  std::uint32_t handle;
  std::uint32_t addresses;
  std::uint32_t names;
  std::uint32_t bound;
  std::uint32_t unload;
  std::uint32_t time;
};
static_assert(sizeof(DelayedImports) == 32);
inline constexpr std::uint32_t delayed_by_address = 1;  // otherwise a format of 1998

/// A page with relocations, which follow it with 16 bits each.
struct RelocationBlock {
  std::uint32_t address;
  std::uint32_t size;  // with this header
};
static_assert(sizeof(RelocationBlock) == 8);
// The other types are padding, or of other machines.
inline constexpr unsigned relocation_32 = 3;
inline constexpr unsigned relocation_64 = 10;

}}}  // namespace tenon::v0_1::pe
