// SPDX-License-Identifier: BSL-1.0
//
// Reads a module's file in the ELF format without loading it: the notes, an exported object, what
// it needs, what would keep it in the process. The file may be hostile: every offset is checked
// before it is used, every loop has an end that the file cannot move, no more is allocated than the
// file holds.
#pragma once

#include "binary/byte_source.hpp"
#include "binary/elf_format.hpp"

#include <tenon/result.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon {

struct VersionTables;

/// What people call a machine, eg: "x86-64". The number is that of ELF files (e_machine).
std::string machine_name(std::uint16_t number);

/// A 64-bit shared library for this machine. Section headers are needed for `debug_link` alone, so
/// a stripped file is as good as any.
class ElfFile {
 public:
  /// Where an exported object lies, in addresses of the file.
  struct Object {
    std::uint64_t address;
    std::uint64_t room;  // bytes from there to the end of its segment
  };

  /// Which files are read: libraries alone, or programs as well, which may export symbols, too.
  enum class Accepts { libraries, programs };

  /// Reads headers, segments and the dynamic section. `source` must live as long as the result.
  /// Errors: empty-file, not-a-module, truncated-file, wrong-architecture,
  /// broken-file (the file contradicts itself), cannot-read.
  static Result<ElfFile> open(ByteSource& source, Accepts accepts = Accepts::libraries);

  /// The text of the manifest's note, without its terminator. Errors: no-manifest,
  /// two-manifests, broken-manifest, and those of open.
  Result<std::string> manifest_text() const;

  /// The defined object that other images see under `name`; nothing where there is none.
  Result<std::optional<Object>> find_object(std::string_view name) const;

  /// A text, and where in the file it stands.
  struct Text {
    std::string text;
    std::uint64_t place = 0;
  };
  /// What the file says about other libraries, and where it says so.
  struct Linkage {
    std::vector<Text> needed;       // names of the libraries that are loaded with it, in order
    std::optional<Text> run_path;   // folders in which to look for them first, with ':' between
    bool passes_run_path = true;    // the libraries are to look there for theirs, too
    std::vector<Text> versions_of;  // names of libraries of which versions are needed
    std::optional<std::uint64_t> soname;  // the place of the entry that names the file itself
  };
  Result<Linkage> linkage() const;

  /// The symbols that other images see, or that the file needs of them.
  class Symbols {
   public:
    std::span<const elf::Symbol> all() const { return symbols_; }
    std::string_view name(const elf::Symbol& symbol) const { return text(symbol.name); }
    /// The text that begins at an offset of the table of strings. REQUIRED: it lies in the table.
    std::string_view text(std::uint32_t offset) const { return strings_.data() + offset; }

   private:
    friend class ElfFile;
    std::vector<elf::Symbol> symbols_;
    std::vector<char> strings_;  // the last is '\0', and each name begins before it
    std::uint64_t place_ = 0;    // of the first symbol in the file
  };
  /// Also checks that they and the relocations are as the system's loader takes them for granted.
  Result<Symbols> symbols() const;

  /// The versions of symbols. Texts point into the symbols.
  struct Versions {
    /// A version of another library. The system's loader does without a weak one.
    struct Needed {
      std::string_view library, name;
      bool weak;
    };
    std::map<std::uint16_t, Needed> needed;             // by number
    std::map<std::uint16_t, std::string_view> defined;  // by number
    std::vector<std::uint16_t> numbers;                 // of each symbol; empty: there are none
  };
  /// REQUIRED: the symbols are those of this file.
  Versions versions(const Symbols& symbols) const;

  /// What would keep an image of the file in the process.
  struct Pins {
    bool nodelete = false;              // it asks to stay
    std::vector<std::uint64_t> unique;  // the places of `Symbol::info` of unique symbols
    std::string thread_exit;            // what it imports to run code when a thread ends, or empty
    std::string threads;                // what it imports to start threads, or empty
    std::string sanitizer;              // what it imports to start a sanitizer's runtime, or empty
  };
  Pins pins(const Symbols& symbols) const;

  /// The name of the file that holds the debug information (.gnu_debuglink); nothing where the file
  /// names none, or its section headers are damaged.
  std::optional<Text> debug_link() const;

  /// Copies what the file holds for an address; what the segment has in memory alone is zero.
  template <class T>
  Result<void> read_address(std::uint64_t address, T& into, std::string_view what) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return read_address(address, std::as_writable_bytes(std::span(&into, 1)), what);
  }

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  struct Load {
    Range file;
    Range memory;  // at least as large
    std::uint32_t permissions = 0;
  };
  /// A part of the image that the system's loader uses, and the permissions that it needs there.
  struct Used {
    Range memory;
    std::uint32_t permissions = 0;
    std::string_view what;
  };
  struct Notes {
    Range file;
    std::uint64_t alignment = 4;
  };
  struct Dynamic {
    std::uint64_t strings = 0;
    std::uint64_t strings_size = 0;
    std::uint64_t symbols = 0;
    std::uint64_t gnu_hash = 0;
    std::uint64_t hash = 0;
    std::uint64_t flags = 0;
    std::uint64_t version_needs = 0;
    std::uint64_t version_definitions = 0;
    std::uint64_t versions = 0;
    std::uint64_t relative = 0;  // so many of the relocations come first and only add the base
    Range relocations{}, plt_relocations{}, packed_relocations{};
    bool text_relocations = false;
  };
  /// The entries of the dynamic section by tag; of two with one tag the last counts.
  class Entries;
  /// The note of ours that has been found so far.
  struct ManifestNote {
    std::uint64_t begin = 0;
    Range text;
  };
  /// A linker makes about ten segments; a file with more than 64 of one kind is refused.
  static constexpr std::size_t most_segments = 64;

  explicit ElfFile(ByteSource& source) : source_(&source) {}

  Error broken(std::string_view found) const;
  Error not_a_module(std::string_view found) const;

  Result<void> read_segments(const elf::Header& header);
  Result<void> add_segment(const elf::Segment& segment);
  Result<void> add_load(const elf::Segment& segment);
  Result<void> check_sealed() const;
  Result<void> check_segments(const elf::Header& header) const;
  Result<void> read_dynamic();
  Result<void> settle_dynamic(const Entries& entries);
  Result<void> check_tables(const Entries& entries) const;
  /// The segment that a part of the image lies in, if it has these permissions; otherwise nullptr.
  const Load* load_for(const Range& memory, std::uint32_t permissions) const;
  /// Checks that a part of the image lies in one segment with these permissions.
  Result<void> check(const Used& used) const;

  Result<void> search(const Notes& notes, std::optional<ManifestNote>& found) const;
  Result<bool> is_manifest(const elf::NoteHeader& header, std::uint64_t name) const;
  Result<void> take_manifest(std::uint64_t note, std::uint64_t text_size, std::uint64_t end,
                             std::optional<ManifestNote>& found) const;

  Result<std::optional<Object>> find_by_gnu_hash(std::string_view name) const;
  Result<std::optional<Object>> find_by_hash(std::string_view name) const;
  Result<std::optional<Object>> object_at(std::uint32_t index, std::string_view name) const;

  Result<Text> string_at(std::uint64_t offset, std::string_view what) const;
  Result<void> add_versions(std::vector<Text>& names) const;
  Result<std::uint64_t> symbol_count() const;
  VersionTables version_tables(std::uint64_t symbols) const;
  Result<std::uint64_t> count_by_gnu_hash() const;
  Result<void> check_relocations(std::uint64_t symbols) const;
  Result<void> check_relocation(std::uint64_t address) const;
  Result<void> check_packed_relocations() const;
  std::optional<Text> debug_link_in(const elf::Section& section) const;

  const Load* load_of(std::uint64_t address) const;
  Result<void> read_address(std::uint64_t address, std::span<std::byte> into,
                            std::string_view what) const;
  /// Where in the file `size` bytes at an address stand. Unlike read_address, all of them do.
  Result<std::uint64_t> place_of(std::uint64_t address, std::uint64_t size,
                                 std::string_view what) const;
  /// Calls `visit(element)` for each of a table at `address`. REQUIRED: its size does not overflow.
  template <class T, class Visit>
  Result<void> for_each(std::uint64_t address, std::uint64_t count, std::string_view what,
                        Visit visit) const;
  /// Element `index` of a table at `address`.
  template <class T>
  Result<void> read_element(std::uint64_t address, std::uint64_t index, T& into,
                            std::string_view what) const;

  ByteSource* source_;
  std::uint64_t page_ = 0;
  std::vector<Load> loads_;
  std::vector<Notes> notes_;
  std::vector<Used> used_;
  Range dynamic_range_;
  std::uint64_t dynamic_address_ = 0;
  std::optional<std::uint64_t> headers_address_;
  std::optional<Range> sealed_;
  Dynamic dynamic_;
};

}  // namespace tenon
