// SPDX-License-Identifier: BSL-1.0
//
// Reads a module in the PE format, a DLL for Windows, without loading it: the section with the
// manifest, an exported object, imported libraries, and the tables that the loader of Windows uses.
// Addresses are relative to the start of the image.
#pragma once

#include <tenon/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/byte_source.hpp"
#include "binary/module_binary.hpp"
#include "binary/pe_format.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A DLL for any machine.
class PeFile final : public ModuleBinary {
 public:
  /// Reads headers and sections. `source` must live as long as the result. Errors: not-a-module (a
  /// program, an assembly of .NET, another format), truncated-file, broken-file (the file
  /// contradicts itself), cannot-read.
  static Result<PeFile> open(ByteSource& source);

  /// Returns the name of the machine, eg: "x86-64".
  std::string machine() const;

  Result<void> check_system() const override;
  Result<std::string> manifest_text() const override;
  /// Error: no-module-object, for an object that is forwarded to another library.
  Result<std::optional<Object>> find_object(std::string_view name) const override;
  Error not_exported(std::string_view name) const override;
  /// Errors: broken-file, truncated-file, cannot-read.
  Result<std::vector<Pointer>> pointers() const override;

  /// A library that the file needs.
  struct Import {
    std::string library;                 // eg: "KERNEL32.dll"
    std::uint64_t library_at = 0;        // where that name begins in the file
    std::vector<std::string> functions;  // names, or ordinals such as "#12"
    bool delayed = false;                // loaded when the first of them is called
  };
  /// Returns the libraries in the order in which they are loaded, delayed ones last. All names are
  /// together at most four times as long as the file. Errors: those of pointers.
  Result<std::vector<Import>> imports() const;

  /// Returns the addresses of functions that Windows calls when it loads and unloads the file, and
  /// when threads begin and end. Errors: those of pointers.
  Result<std::vector<std::uint64_t>> thread_callbacks() const;

  /// Checks the tables that the loader of Windows walks: exports, thread callbacks, relocations.
  /// Errors: those of pointers.
  Result<void> check_tables() const;

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  /// A part of the image: the headers, or a section.
  struct Part {
    std::array<char, 8> name;
    Range file;
    Range memory;  // at least as large
    std::uint32_t flags;
  };

  explicit PeFile(ByteSource& source) : source_(&source) {}

  Error broken(std::string_view found) const;
  Error not_a_module(std::string_view found) const;
  Error not_exported_but(std::string_view found) const;

  Result<void> read_headers();
  Result<void> read_directories(std::uint64_t count_at);
  Result<void> read_sections(std::uint64_t offset, std::uint64_t count);
  Result<void> add_section(const pe::Section& section);

  std::uint64_t word_size() const { return is_64_ ? 8 : 4; }
  const pe::Directory& directory(pe::DirectoryIndex index) const { return directories_[index]; }
  /// Returns the part that contains the address; nullptr if there is none.
  const Part* part_of(std::uint64_t address) const;
  Result<void> read_memory(std::uint64_t address, std::span<std::byte> into,
                           std::string_view what) const override;
  /// Checks that a range lies in one part that can be read.
  Result<void> check(const Range& memory, std::string_view what) const;
  /// Returns the number of 32 or 64 bits at an address.
  Result<std::uint64_t> word_at(std::uint64_t address, std::string_view what) const;
  /// Returns the text at an address up to its terminator.
  Result<std::string> text_at(std::uint64_t address, std::string_view what) const;

  Result<std::optional<pe::Exports>> exports() const;
  Result<Object> object_at(std::uint32_t address, std::string_view name) const;
  Result<void> check_exports() const;

  /// Reads imports as far as the total length of tables and names allows.
  class ImportReader;

  ByteSource* source_;
  std::uint16_t machine_ = 0;
  bool is_64_ = false;
  std::uint64_t base_ = 0;  // the address of the image without relocation
  pe::ImageHeader image_{};
  std::array<pe::Directory, pe::directory_count> directories_{};
  std::vector<Part> parts_;  // by address
};

}}}  // namespace tenon::v0_1::detail
