// SPDX-License-Identifier: BSL-1.0
//
// Reads a module in the ELF format without loading it: notes, an exported object, needed libraries,
// and whether it can be unloaded.
#pragma once

#include <tenon/library_rules.hpp>
#include <tenon/result.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/byte_source.hpp"
#include "binary/elf_format.hpp"
#include "binary/module_binary.hpp"
#include "platform/machine.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

struct VersionTables;

/// Returns the name of a machine, eg: "x86-64". `number` is the e_machine of ELF files.
std::string machine_name(std::uint16_t number);

/// A 64-bit shared library for this machine. Only `debug_link` needs section headers, so stripped
/// files are fully supported.
class ElfFile final : public ModuleBinary {
 public:
  /// The files that are accepted: only libraries, or libraries and programs.
  enum class Accepts { libraries, programs };

  /// Reads headers, segments and the dynamic section, and checks them for a system with pages of
  /// `page` bytes. `source` must live as long as the result.
  /// Errors: empty-file, not-a-module, truncated-file, wrong-architecture,
  /// broken-file (the file contradicts itself), cannot-read.
  static Result<ElfFile> open(ByteSource& source, Accepts accepts = Accepts::libraries,
                              std::uint64_t page = platform::page_size());

  /// Always succeeds, since `open` refuses files for other systems.
  Result<void> check_system() const override;
  Result<std::string> manifest_text() const override;
  Result<std::optional<Object>> find_object(std::string_view name) const override;
  Error not_exported(std::string_view name) const override;
  /// Errors: those of symbols.
  Result<std::vector<Pointer>> pointers() const override;

  /// A text, and its offset in the file.
  struct Text {
    std::string text;
    std::uint64_t offset = 0;
  };
  /// The references of the file to other libraries.
  struct Linkage {
    std::vector<Text> needed;      // names of the libraries that are loaded with it, in order
    std::optional<Text> run_path;  // directories that are searched first, separated by ':'
    bool passes_run_path = true;   // needed libraries search these directories as well (DT_RPATH)
    bool default_directories = true;  // those of the system are searched last (no DF_1_NODEFLIB)
    std::vector<Text> versions_of;    // names of libraries of which versions are needed
    std::optional<std::uint64_t> soname;  // offset of the entry that names the file itself
  };
  Result<Linkage> linkage() const;

  /// The symbols that the file exports or imports.
  class Symbols {
   public:
    std::span<const elf::Symbol> all() const { return symbols_; }
    std::string_view name(const elf::Symbol& symbol) const { return text(symbol.name); }
    /// Returns the text at an offset of the string table. REQUIRED: the offset lies in the table.
    std::string_view text(std::uint32_t offset) const { return strings_.data() + offset; }

   private:
    friend class ElfFile;
    std::vector<elf::Symbol> symbols_;
    std::vector<char> strings_;  // the last is '\0', and each name begins before it
    std::uint64_t offset_ = 0;   // of the first symbol in the file
    bool static_tls_ = false;  // relocations fix the place of the file's own thread-local variables
  };
  /// Returns the symbols. Also checks them and the relocations, because the dynamic loader does
  /// not. The names of all symbols and of their versions are together at most four times as long as
  /// the file.
  Result<Symbols> symbols() const;

  /// The versions of symbols. Texts point into the symbols.
  struct Versions {
    /// A version of another library. The dynamic loader tolerates a missing weak version.
    struct Needed {
      std::string_view library, name;
      bool weak;
    };
    std::map<std::uint16_t, Needed> needed;             // by number
    std::map<std::uint16_t, std::string_view> defined;  // by number
    std::vector<std::uint16_t> numbers;                 // of each symbol; empty: there are none
  };
  /// Returns the versions of symbols. REQUIRED: the symbols are those of this file.
  Versions versions(const Symbols& symbols) const;

  /// Properties that keep an image of the file from being unloaded or replaced. Imported functions
  /// are empty if there are none.
  struct UnloadBlockers {
    bool nodelete = false;              // DF_1_NODELETE
    std::vector<std::uint64_t> unique;  // offsets of `Symbol::info` of unique symbols
    std::string thread_exit;            // imported function that registers code for thread exit
    std::string threads;                // imported function that starts threads
    std::string handlers;               // imported function that may set signal handlers
    std::string sanitizer;              // imported function that starts a sanitizer's runtime
    std::uint64_t static_tls = 0;       // bytes of thread-local variables at a fixed place
    std::vector<LibraryRule> rules;     // that apply, see rules_for
    std::vector<std::string> ruled;     // its own functions that rules name
  };
  UnloadBlockers unload_blockers(const Symbols& symbols) const;

  /// Properties because of which the dynamic loader of a system may refuse the file.
  struct Demands {
    bool no_dlopen = false;         // DF_1_NOOPEN: only programs may be linked with it
    bool executable_stack = false;  // PT_GNU_STACK
    std::uint32_t processor = 0;    // levels, a bit each (GNU_PROPERTY_X86_ISA_1_NEEDED)
  };
  /// Returns them. Error: broken-file, for a note that the dynamic loader would read past its end.
  Result<Demands> demands() const;

  /// A function that the dynamic loader calls when it loads the file.
  struct Constructor {
    std::uint64_t address = 0;
    std::vector<std::byte> code = {};  // the first bytes of it, at most 64
  };
  /// Returns them in the order in which they are called, without those in other libraries. Errors:
  /// those of symbols.
  Result<std::vector<Constructor>> constructors() const;

  /// Returns the name of the file with the debug information (.gnu_debuglink); nothing if there is
  /// none, or the section headers are damaged.
  std::optional<Text> debug_link() const;

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  /// A segment that is mapped.
  struct Load {
    Range file;
    Range memory;  // at least as large
    std::uint32_t permissions = 0;
  };
  /// A part of the image that the dynamic loader uses, and the permissions that it needs there.
  struct RequiredRange {
    Range memory;
    std::uint32_t permissions = 0;
    std::string_view what;
  };
  struct Notes {
    Range file;
    Range memory;
    std::uint64_t alignment = 4;
  };
  /// One note in a segment of notes, by offsets in the file.
  struct Note {
    elf::NoteHeader header;
    std::uint64_t begin;
    std::uint64_t text;
    std::uint64_t end;  // of the segment
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
    std::uint64_t relative = 0;  // number of relative relocations, which come first
    Range relocations{}, plt_relocations{}, packed_relocations{};
    Range constructors{};  // pointers to them
    bool text_relocations = false;
  };
  /// The entries of the dynamic section by tag. The last entry with a tag counts.
  class Entries;
  /// The text of a note with a manifest.
  struct ManifestText {
    std::uint64_t begin = 0;
    Range text;
  };
  /// A linker makes about ten segments; a file with more than 64 of one kind is refused.
  static constexpr std::size_t max_segments = 64;
  /// The dynamic loader reads only notes with this alignment.
  static constexpr std::uint64_t alignment_of_properties = 8;

  explicit ElfFile(ByteSource& source) : source_(&source) {}

  Error broken(std::string_view found) const;
  /// Returns the error of a file that was linked for other pages than those of this system.
  Error not_in_pages(std::string_view found) const;
  Error not_a_module(std::string_view found) const;

  Result<void> read_segments(const elf::Header& header);
  Result<void> add_segment(const elf::Segment& segment);
  Result<void> add_load(const elf::Segment& segment);
  Result<void> check_relro() const;
  Result<void> check_segments(const elf::Header& header) const;
  Result<void> read_dynamic();
  Result<void> set_dynamic(const Entries& entries);
  Result<void> check_tables(const Entries& entries) const;
  /// Returns the segment that contains a range, if it has these permissions; otherwise nullptr.
  const Load* load_for(const Range& memory, std::uint32_t permissions) const;
  /// Checks that a range lies in one segment with the required permissions.
  Result<void> check(const RequiredRange& range) const;

  /// Calls `visit(note)` for each note of a segment, which may correct where the text begins.
  template <class Visit>
  Result<void> for_each_note(const Notes& notes, Visit visit) const;
  Result<std::uint64_t> end_of_zeros(std::uint64_t begin, std::uint64_t end) const;
  Result<bool> has_name(const Note& note, std::string_view name, std::uint32_t type) const;
  Result<void> take_manifest(const Note& note, std::optional<ManifestText>& found) const;
  Result<std::uint32_t> processor_in(const Note& note) const;

  Result<std::optional<Object>> find_by_gnu_hash(std::string_view name) const;
  Result<std::optional<Object>> find_by_hash(std::string_view name) const;
  Result<std::optional<Object>> object_at(std::uint32_t index, std::string_view name) const;

  Result<Text> string_at(std::uint64_t offset, std::string_view what, std::size_t max_length) const;
  Result<void> add_versions(std::vector<Text>& names) const;
  struct Relocations {
    std::uint64_t referenced = 0;           // one more than the largest number of a symbol
    std::vector<std::uint32_t> static_tls;  // symbols of thread-local variables at a fixed place
  };
  /// Returns the number of symbols. `referenced` is a result of check_relocations.
  Result<std::uint64_t> symbol_count(std::uint64_t referenced) const;
  VersionTables version_tables(std::uint64_t symbols) const;
  Result<std::uint64_t> count_by_gnu_hash(std::uint64_t referenced) const;
  /// Returns the smallest number of symbols of which no relocation exceeds the last one.
  Result<Relocations> check_relocations() const;
  Result<void> check_relocation(std::uint64_t address) const;
  Result<void> check_packed_relocations() const;
  Result<void> check_names(const Symbols& symbols) const;
  bool marks_packed_relocations(const Symbols& symbols) const;
  std::optional<Text> debug_link_in(const elf::Section& section) const;

  const Load* load_of(std::uint64_t address) const;
  Result<void> read_memory(std::uint64_t address, std::span<std::byte> into,
                           std::string_view what) const override;
  /// Returns the file offset of `size` bytes at an address. Unlike for read_memory, all of them
  /// must be in the file.
  Result<std::uint64_t> file_offset(std::uint64_t address, std::uint64_t size,
                                    std::string_view what) const;
  /// Calls `visit(element)` for each element of a table. REQUIRED: its size does not overflow.
  template <class T, class Visit>
  Result<void> for_each(std::uint64_t address, std::uint64_t count, std::string_view what,
                        Visit visit) const;
  /// Reads an element of a table.
  template <class T>
  Result<void> read_element(std::uint64_t address, std::uint64_t index, T& into,
                            std::string_view what) const;

  ByteSource* source_;
  std::uint64_t page_ = 0;
  std::vector<Load> loads_;
  std::vector<Notes> notes_;
  std::vector<RequiredRange> required_;
  Range dynamic_range_;
  std::uint64_t dynamic_address_ = 0;
  std::optional<std::uint64_t> headers_address_;
  std::optional<Range> relro_;
  std::uint64_t thread_local_size_ = 0;
  bool executable_stack_ = platform::stack_is_executable_by_default;
  Dynamic dynamic_;
};

}}}  // namespace tenon::v0_1::detail
