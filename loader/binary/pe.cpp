// SPDX-License-Identifier: BSL-1.0
//
// Headers and sections; the manifest.
#include "binary/pe.hpp"

#include <tenon/abi.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "binary/elf.hpp"
#include "binary/manifest_note.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// The loader of Windows accepts no more.
constexpr std::size_t max_sections = 96;
// Sections of images with smaller alignment are not mapped one by one.
constexpr std::uint64_t page_size = 4096;
// To this the loader of Windows rounds offsets of sections down.
constexpr std::uint64_t sector_size = 512;
// Far above the longest names that compilers generate.
constexpr std::size_t max_name_length = 65536;
// The note with the largest manifest, and its padding.
constexpr std::uint64_t max_notes_size = max_manifest_size + 4096;

constexpr std::string_view manifest_section{".tenon\0\0", 8};

/// Machines by their number in PE and in ELF files.
struct Machine {
  std::uint16_t number;
  std::uint16_t elf_number;
};
constexpr Machine machines[] = {
    {0x14c, 3}, {0x1c0, 40}, {0x1c4, 40}, {0x5064, 243}, {0x6264, 258}, {0x8664, 62}, {0xaa64, 183},
};

std::uint64_t rounded_up(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

Error PeFile::broken(std::string_view found) const {
  return source_->problem("broken-file", found, "a file as a linker writes it",
                          "copy or build the file again: a part of it is damaged");
}

Error PeFile::not_a_module(std::string_view found) const {
  return source_->problem("not-a-module", found, "a native shared library (.dll)",
                          "keep only modules in plugin directories");
}

std::string PeFile::machine() const {
  const auto known = std::ranges::find(machines, machine_, &Machine::number);
  if (known != std::end(machines)) return machine_name(known->elf_number);
  return "machine " + std::to_string(machine_);
}

Result<void> PeFile::check_system() const {
  const auto known = std::ranges::find(machines, machine_, &Machine::number);
  const bool same = known != std::end(machines) && known->elf_number == platform::host_machine;
  if (platform::loads_dlls && same && is_64_) return {};
  const std::string format =
      platform::loads_dlls ? "a file for Windows on " : "a file in the ELF format for ";
  return source_->problem("wrong-architecture", "a file for Windows on " + machine(),
                          format + machine_name(platform::host_machine),
                          "use a build of the plugin for this system");
}

Result<PeFile> PeFile::open(ByteSource& source) {
  PeFile file(source);
  if (auto read = file.read_headers(); !read) return std::move(read).error();
  return file;
}

Result<void> PeFile::read_headers() {
  std::array<char, 2> magic{};
  if (auto read = source_->read(0, magic, "the DOS header"); !read) return read;
  if (magic != pe::dos_magic) return not_a_module("another format");
  // The headers may overlap, so each is read where the previous one says.
  std::uint32_t start = 0;
  if (auto read = source_->read(pe::signature_offset_at, start, "the DOS header"); !read) {
    return read;
  }
  std::array<char, 4> signature{};
  if (auto read = source_->read(start, signature, "the PE signature"); !read) return read;
  if (signature != pe::signature) {
    return not_a_module("a program for DOS, or a file for Windows without a PE header");
  }
  pe::FileHeader header;
  const auto header_at = start + sizeof signature;
  if (auto read = source_->read(header_at, header, "the PE header"); !read) return read;
  machine_ = header.machine;

  constexpr std::string_view what = "the optional header";
  const auto optional = header_at + sizeof header;
  std::uint16_t kind = 0;
  if (auto read = source_->read(optional, kind, what); !read) return read;
  if (kind != pe::optional_32 && kind != pe::optional_64) {
    return broken("an optional header of an unknown kind");
  }
  is_64_ = kind == pe::optional_64;
  auto read = is_64_ ? source_->read(optional + pe::base_at_64, base_, what) : Result<void>();
  if (!is_64_) {
    std::uint32_t base = 0;
    read = source_->read(optional + pe::base_at_32, base, what);
    base_ = base;
  }
  if (read) read = source_->read(optional + pe::image_header_at, image_, what);
  if (read) {
    read = read_directories(optional +
                            (is_64_ ? pe::directory_count_at_64 : pe::directory_count_at_32));
  }
  if (read) read = read_sections(optional + header.optional_size, header.section_count);
  if (!read) return read;
  if ((header.flags & pe::is_library) == 0) return not_a_module("a program for Windows");
  if (directory(pe::common_language_runtime).address != 0) {
    return not_a_module("an assembly of .NET");
  }
  return {};
}

Result<void> PeFile::read_directories(std::uint64_t count_at) {
  constexpr std::string_view what = "the table of directories";
  std::uint32_t count = 0;
  if (auto read = source_->read(count_at, count, what); !read) return read;
  const auto known = std::span(directories_).first(std::min<std::size_t>(count, 16));
  return source_->read(count_at + sizeof count, std::as_writable_bytes(known), what);
}

Result<void> PeFile::read_sections(std::uint64_t offset, std::uint64_t count) {
  if (!std::has_single_bit(image_.section_alignment) ||
      !std::has_single_bit(image_.file_alignment) ||
      image_.file_alignment > image_.section_alignment) {
    return broken("sections with an impossible alignment");
  }
  if (count > max_sections) return broken("more than 96 sections");
  parts_.reserve(count + 1);
  const std::uint64_t headers = image_.headers_size;
  parts_.push_back({{}, {0, std::min(headers, source_->size())}, {0, headers}, pe::readable});
  for (std::uint64_t i = 0; i < count; ++i) {
    pe::Section section;
    auto read = source_->read(offset + i * sizeof section, section, "a section header");
    if (read) read = add_section(section);
    if (!read) return read;
  }
  return {};
}

Result<void> PeFile::add_section(const pe::Section& section) {
  const bool by_pages = image_.section_alignment >= page_size;
  const std::uint64_t offset =
      by_pages ? section.offset / sector_size * sector_size : section.offset;
  if (!source_->contains(offset, section.file_size)) {
    return source_->truncated(offset, section.file_size, "a section");
  }
  const std::uint64_t stated = section.memory_size != 0 ? section.memory_size : section.file_size;
  const Range memory{section.address, rounded_up(stated, image_.section_alignment)};
  if (memory.begin % image_.section_alignment != 0) {
    return broken("a section that cannot be mapped in whole pages");
  }
  if (!by_pages && section.file_size != 0 && section.offset != section.address) {
    return broken("sections smaller than a page that are not where they are in the file");
  }
  const Range& before = parts_.back().memory;
  if (memory.begin < before.begin + before.size) return broken("sections that overlap");
  if (memory.begin + memory.size > rounded_up(image_.image_size, image_.section_alignment)) {
    return broken("a section outside of the image");
  }
  parts_.push_back({section.name,
                    {offset, std::min<std::uint64_t>(section.file_size, memory.size)},
                    memory,
                    section.flags});
  return {};
}

const PeFile::Part* PeFile::part_of(std::uint64_t address) const {
  const auto begin = [](const Part& part) { return part.memory.begin; };
  const auto next = std::ranges::upper_bound(parts_, address, {}, begin);
  if (next == parts_.begin()) return nullptr;
  const Part& part = *(next - 1);
  return address - part.memory.begin < part.memory.size ? &part : nullptr;
}

Result<void> PeFile::check(const Range& memory, std::string_view what) const {
  const Part* part = part_of(memory.begin);
  if (part == nullptr || memory.size > part->memory.size - (memory.begin - part->memory.begin)) {
    return broken(std::string(what) + " outside of the sections");
  }
  if ((part->flags & pe::readable) == 0) {
    return broken(std::string(what) + " in a section that is not readable");
  }
  return {};
}

Result<void> PeFile::read_memory(std::uint64_t address, std::span<std::byte> into,
                                 std::string_view what) const {
  if (auto good = check({address, into.size()}, what); !good) return good;
  const Part& part = *part_of(address);
  const auto start = address - part.memory.begin;
  const auto in_file = start < part.file.size ? part.file.size - start : 0;
  const auto count = std::min<std::uint64_t>(into.size(), in_file);
  std::ranges::fill(into.subspan(count), std::byte{0});
  if (count == 0) return {};
  return source_->read(part.file.begin + start, into.first(count), what);
}

Result<std::uint64_t> PeFile::word_at(std::uint64_t address, std::string_view what) const {
  std::uint64_t word = 0;
  const auto bytes = std::as_writable_bytes(std::span(&word, 1)).first(word_size());
  auto read = read_memory(address, bytes, what);
  return read ? Result<std::uint64_t>(word) : std::move(read).error();
}

Result<std::string> PeFile::text_at(std::uint64_t address, std::string_view what) const {
  std::string text;
  std::array<char, 64> block;
  const Part* part = part_of(address);
  while (part != nullptr && text.size() < max_name_length) {
    const auto at = address + text.size();
    const auto left = part->memory.begin + part->memory.size - at;
    if (left == 0) break;
    const auto bytes = std::span(block).first(std::min<std::uint64_t>(block.size(), left));
    auto read = read_memory(at, std::as_writable_bytes(bytes), what);
    if (!read) return std::move(read).error();
    const auto end = std::ranges::find(bytes, '\0');
    text.append(bytes.begin(), end);
    if (end != bytes.end()) return text;
  }
  return broken(std::string(what) +
                (part == nullptr ? " outside of the sections" : " without an end"));
}

Result<std::string> PeFile::manifest_text() const {
  const auto is_ours = [](const Part& part) {
    return std::string_view(part.name.data(), part.name.size()) == manifest_section;
  };
  const auto part = std::ranges::find_if(parts_, is_ours);
  if (part == parts_.end()) return no_manifest(*source_, "the section .tenon");
  if (std::find_if(part + 1, parts_.end(), is_ours) != parts_.end()) return two_manifests(*source_);
  if (part->file.size > max_notes_size) {
    return broken_manifest(*source_, "a section of more than 1 MiB");
  }
  std::string notes(part->file.size, '\0');
  auto read = source_->read(part->file.begin, std::as_writable_bytes(std::span(notes)),
                            "the section .tenon");
  if (!read) return std::move(read).error();

  std::optional<Range> found;
  ManifestNote note;
  for (std::uint64_t at = 0; notes.size() - at >= sizeof note;) {
    std::memcpy(&note, notes.data() + at, sizeof note);
    if (note.name_size == 0) {  // padding
      at += sizeof note.name_size;
      continue;
    }
    constexpr std::size_t name_size = manifest_note_name.size() + 1;
    if (note.name_size != name_size || note.type != TENON_NOTE_TYPE ||
        std::memcmp(note.name.data(), manifest_note_name.data(), name_size) != 0) {
      return broken_manifest(*source_, "a note with another name or type");
    }
    if (found) return two_manifests(*source_);
    at += sizeof note;
    if (auto good = check_manifest_size(*source_, note.text_size); !good) {
      return std::move(good).error();
    }
    if (note.text_size > notes.size() - at) {
      return broken_manifest(*source_, "a note larger than its section");
    }
    found = Range{part->file.begin + at, note.text_size};
    at = std::min<std::uint64_t>(rounded_up(at + note.text_size, sizeof note.name_size),
                                 notes.size());
  }
  if (!found) return no_manifest(*source_, "the section .tenon");
  return read_manifest(*source_, found->begin, found->size);
}

}}}  // namespace tenon::v0_1::detail
