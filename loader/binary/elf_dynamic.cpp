// SPDX-License-Identifier: BSL-1.0
//
// Reads the dynamic section and checks that its tables lie in suitable segments. The dynamic loader
// does not check this: it would crash the process.
#include <algorithm>
#include <string>

#include "binary/elf.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Real libraries have far fewer entries.
constexpr std::uint64_t max_dynamic_entries = 4096;

/// A table that two entries describe.
struct Table {
  std::uint64_t address;  // tag
  std::uint64_t size;     // tag
  std::string_view what;
};
constexpr Table tables[] = {
    {elf::dynamic_strings, elf::dynamic_strings_size, "the table of strings"},
    {elf::dynamic_relocations, elf::dynamic_relocations_size, "the relocations"},
    {elf::dynamic_plt_relocations, elf::dynamic_plt_relocations_size,
     "the relocations of functions"},
    {elf::dynamic_packed_relocations, elf::dynamic_packed_relocations_size,
     "the packed relocations"},
    {elf::dynamic_init_array, elf::dynamic_init_array_size, "the list of constructors"},
    {elf::dynamic_fini_array, elf::dynamic_fini_array_size, "the list of destructors"},
};

/// A value that the dynamic loader asserts.
struct Fixed {
  std::uint64_t if_present;  // tag
  std::uint64_t tag;
  std::uint64_t value;
};
constexpr Fixed fixed[] = {
    {elf::dynamic_relocations, elf::dynamic_relocation_size, sizeof(elf::Relocation)},
    {elf::dynamic_packed_relocations, elf::dynamic_packed_relocation_size, sizeof(std::uint64_t)},
    {elf::dynamic_plt_relocations, elf::dynamic_plt_relocation_type, elf::dynamic_relocations},
};

}  // namespace

class ElfFile::Entries {
 public:
  /// Returns the value of a tag; nullptr if this reader does not use the tag.
  std::optional<std::uint64_t>* of(std::uint64_t tag) {
    if (tag < low_.size()) return &low_[tag];
    const auto at = std::find(std::begin(high_tags), std::end(high_tags), tag);
    return at != std::end(high_tags) ? &high_[at - std::begin(high_tags)] : nullptr;
  }
  std::optional<std::uint64_t> operator[](std::uint64_t tag) const {
    return *const_cast<Entries*>(this)->of(tag);
  }
  std::uint64_t or_zero(std::uint64_t tag) const { return (*this)[tag].value_or(0); }

 private:
  static constexpr std::uint64_t high_tags[] = {
      elf::dynamic_gnu_hash,      elf::dynamic_flags_1,
      elf::dynamic_version_needs, elf::dynamic_version_definitions,
      elf::dynamic_versions,      elf::dynamic_relative_count};

  std::array<std::optional<std::uint64_t>, elf::dynamic_packed_relocation_size + 1> low_;
  std::array<std::optional<std::uint64_t>, std::size(high_tags)> high_;
};

Result<void> ElfFile::read_dynamic() {
  if (dynamic_range_.size == 0) {
    return not_a_module("an ELF file that cannot be loaded, perhaps debug information");
  }
  Entries entries;
  const auto count = std::min(dynamic_range_.size / sizeof(elf::DynamicEntry), max_dynamic_entries);
  for (std::uint64_t i = 0; i < count; ++i) {
    elf::DynamicEntry entry;
    const auto offset = dynamic_range_.begin + i * sizeof entry;
    if (auto read = source_->read(offset, entry, "the dynamic section"); !read) return read;
    if (entry.tag == elf::dynamic_end) return set_dynamic(entries);
    if (entry.tag >= elf::dynamic_android_begin && entry.tag <= elf::dynamic_android_end) {
      // glibc ignores them, and would call constructors at unrelocated addresses.
      return source_->problem("wrong-architecture", "relocations in the format of Android",
                              "relocations in the format of this system",
                              "link the plugin without --pack-dyn-relocs=android");
    }
    if (auto* known = entries.of(entry.tag)) *known = entry.value;
  }
  return broken("a dynamic section without an end");
}

Result<void> ElfFile::set_dynamic(const Entries& entries) {
  const auto range = [&entries](std::uint64_t address, std::uint64_t size) {
    return Range{entries.or_zero(address), entries.or_zero(size)};
  };
  dynamic_ = {
      .strings = entries.or_zero(elf::dynamic_strings),
      .strings_size = entries.or_zero(elf::dynamic_strings_size),
      .symbols = entries.or_zero(elf::dynamic_symbols),
      .gnu_hash = entries.or_zero(elf::dynamic_gnu_hash),
      .hash = entries.or_zero(elf::dynamic_hash),
      .flags = entries.or_zero(elf::dynamic_flags_1),
      .version_needs = entries.or_zero(elf::dynamic_version_needs),
      .version_definitions = entries.or_zero(elf::dynamic_version_definitions),
      .versions = entries.or_zero(elf::dynamic_versions),
      .relative = entries.or_zero(elf::dynamic_relative_count),
      .relocations = range(elf::dynamic_relocations, elf::dynamic_relocations_size),
      .plt_relocations = range(elf::dynamic_plt_relocations, elf::dynamic_plt_relocations_size),
      .packed_relocations =
          range(elf::dynamic_packed_relocations, elf::dynamic_packed_relocations_size),
      .constructors = range(elf::dynamic_init_array, elf::dynamic_init_array_size),
      .text_relocations = entries[elf::dynamic_text_relocations].has_value() ||
                          (entries.or_zero(elf::dynamic_flags) & elf::flag_text_relocations) != 0};
  return check_tables(entries);
}

Result<void> ElfFile::check_tables(const Entries& entries) const {
  for (const auto& [address, size, what] : tables) {
    if (entries[address] && !entries[size]) return broken(std::string(what) + " without a size");
    const RequiredRange table{
        {entries.or_zero(address), entries.or_zero(size)}, elf::readable, what};
    if (table.memory.size == 0) continue;
    if (auto good = check(table); !good) return good;
  }
  // Only the first elements are checked here; the readers of the tables check the rest.
  const RequiredRange starts[] = {
      {{dynamic_.symbols, sizeof(elf::Symbol)}, elf::readable, "the symbols"},
      {{dynamic_.gnu_hash, sizeof(elf::GnuHashHeader)}, elf::readable, "the hash table"},
      {{dynamic_.hash, sizeof(elf::HashHeader)}, elf::readable, "the hash table"},
      {{dynamic_.versions, sizeof(std::uint16_t)}, elf::readable, "the versions of symbols"},
  };
  for (const RequiredRange& start : starts) {
    if (start.memory.begin == 0) continue;
    if (auto good = check(start); !good) return good;
  }
  if (dynamic_.strings == 0 || dynamic_.symbols == 0) return broken("no table of symbols");
  for (const auto tag : {elf::dynamic_init, elf::dynamic_fini}) {
    if (!entries[tag]) continue;
    auto good = check({{*entries[tag], 1},
                       elf::executable,
                       tag == elf::dynamic_init ? "the first constructor" : "the last destructor"});
    if (!good) return good;
  }
  for (const auto& [if_present, tag, value] : fixed) {
    if (entries[if_present] && entries[tag] != value) {
      return broken("relocations of an unknown format");
    }
  }
  if (entries[elf::dynamic_plt_relocation_type] && !entries[elf::dynamic_plt_relocations]) {
    return broken("a type of relocations of functions without the relocations");
  }
  if (dynamic_.relative > dynamic_.relocations.size / sizeof(elf::Relocation)) {
    return broken("more relative relocations than relocations");
  }
  return {};
}

/// Checks that the dynamic loader, which uses addresses, reads the same bytes as this reader, which
/// uses file offsets.
Result<void> ElfFile::check_segments(const elf::Header& header) const {
  const auto offset = file_offset(dynamic_address_, dynamic_range_.size, "the dynamic section");
  if (!offset) return offset.error();
  if (*offset != dynamic_range_.begin) return broken("a dynamic section that is mapped elsewhere");
  if (headers_address_) {
    const auto size = header.segment_count * sizeof(elf::Segment);
    const auto headers = file_offset(*headers_address_, size, "the program headers");
    if (!headers) return headers.error();
    if (*headers != header.segments_offset)
      return broken("program headers that are mapped elsewhere");
  }
  for (const Notes& notes : notes_) {
    if (notes.alignment != alignment_of_properties || notes.file.size == 0) continue;
    const auto begin = file_offset(notes.memory.begin, notes.memory.size, "the notes");
    if (!begin) return begin.error();
    if (*begin != notes.file.begin || notes.memory.size != notes.file.size) {
      return broken("notes that are mapped elsewhere");
    }
  }
  for (const RequiredRange& range : required_) {
    if (range.memory.size == 0) continue;
    if (auto good = check(range); !good) return good;
  }
  return check_relro();
}

/// Checks the part that becomes read-only after relocation, of which the dynamic loader takes the
/// whole pages. Linkers may round its end up, past the end of its segment. No page of another
/// segment, or of another image, may become read-only.
Result<void> ElfFile::check_relro() const {
  if (!relro_ || relro_->size == 0) return {};
  const RequiredRange first{
      {relro_->begin, 1}, elf::readable | elf::writable, "the part that becomes read-only"};
  if (auto good = check(first); !good) return good;
  const Load* const load = load_of(relro_->begin);
  const std::uint64_t limit = load == &loads_.back()
                                  ? load->memory.begin + load->memory.size + (page_ - 1)
                                  : load[1].memory.begin;
  // A sum that overflows makes the difference small.
  if (relro_->size < limit - limit % page_ + page_ - relro_->begin) return {};
  return not_in_pages("a part that becomes read-only past the end of its segment");
}

}}}  // namespace tenon::v0_1::detail
