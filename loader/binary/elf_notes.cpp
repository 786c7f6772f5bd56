// SPDX-License-Identifier: BSL-1.0
//
// Finds notes through the program headers: the manifest, and the processor that the file needs.
#include <tenon/abi.h>

#include <algorithm>
#include <array>

#include "binary/elf.hpp"
#include "binary/manifest_note.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr unsigned max_notes = 256;  // in one segment; a compiler writes about three
constexpr std::uint64_t max_zeros = max_manifest_size + 4096;  // that are skipped in one segment
constexpr unsigned max_properties = 64;  // in one note; there are fewer than ten

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

Result<std::string> ElfFile::manifest_text() const {
  std::optional<ManifestText> found;
  const auto visit = [&](Note& note) -> Result<void> {
    const auto ours = has_name(note, manifest_note_name, TENON_NOTE_TYPE);
    if (!ours) return ours.error();
    if (!*ours) return {};
    note.text = note.begin + sizeof(ManifestNote);
    return take_manifest(note, found);
  };
  for (Notes notes : notes_) {
    auto visited = for_each_note(notes, visit);
    const bool read = visited ? found.has_value() : visited.error().code() != "broken-file";
    if (!read && notes.alignment == alignment_of_properties) {
      notes.alignment = 4;  // mold mixes notes with both alignments
      visited = for_each_note(notes, visit);
    }
    if (!visited) return std::move(visited).error();
  }
  if (!found) return no_manifest(*source_, "a segment of notes");
  return read_manifest(*source_, found->text.begin, found->text.size);
}

Result<ElfFile::Demands> ElfFile::demands() const {
  Demands demands{.no_dlopen = (dynamic_.flags & elf::flag_1_no_dlopen) != 0,
                  .executable_stack = executable_stack_};
  if (!platform::has_processor_levels) return demands;
  Result<std::uint32_t> processor = std::uint32_t{0};
  const auto visit = [&](const Note& note) -> Result<void> {
    const auto has_properties = has_name(note, "GNU", elf::note_properties);
    if (has_properties && !*has_properties) return {};
    processor = has_properties ? processor_in(note) : has_properties.error();
    return processor ? Result<void>() : processor.error();
  };
  for (const Notes& notes : notes_) {
    if (notes.alignment != alignment_of_properties) continue;
    // Like the dynamic loader, stops at a note that it cannot read.
    static_cast<void>(for_each_note(notes, visit));
    if (!processor) return processor.error();
  }
  demands.processor = *processor;
  return demands;
}

template <class Visit>
Result<void> ElfFile::for_each_note(const Notes& notes, Visit visit) const {
  // Sizes in a note have 32 bits and its segment lies in the file, so no sum here can overflow.
  const auto start = notes.file.begin;
  const auto padded = [&](std::uint64_t offset) {
    return start + aligned(offset - start, notes.alignment);
  };
  Note note{.header = {}, .begin = start, .text = start, .end = start + notes.file.size};
  for (unsigned seen = 0; note.end - note.begin >= sizeof note.header; ++seen) {
    if (seen == max_notes) return broken("more than 256 notes in one segment");
    if (auto read = source_->read(note.begin, note.header, "a note"); !read) return read;
    if (note.header == elf::NoteHeader{} && notes.alignment != alignment_of_properties) {
      const auto rest = note.begin + sizeof note.header;
      const auto limit = std::min(note.end, start + max_zeros);
      const auto end = end_of_zeros(rest, std::max(rest, limit));
      if (!end) return end.error();
      note.begin = *end - (*end - start) % notes.alignment;
      continue;
    }
    note.text = padded(note.begin + sizeof note.header + note.header.name_size);
    if (auto visited = visit(note); !visited) return visited;
    if (note.text > note.end || note.header.text_size > note.end - note.text) {
      return broken("a note larger than its segment");
    }
    note.begin = padded(note.text + note.header.text_size);
    if (note.begin > note.end) return {};  // the last note may lack its padding
  }
  return {};
}

/// Returns the offset of the first byte in a range that is not zero; `end` if there is none.
/// llvm-objcopy leaves zeros where a section was that it removes.
Result<std::uint64_t> ElfFile::end_of_zeros(std::uint64_t begin, std::uint64_t end) const {
  std::array<std::byte, 4096> block;
  for (auto at = begin; at < end; at += block.size()) {
    const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), end - at));
    if (auto read = source_->read(at, part, "the notes"); !read) return std::move(read).error();
    const auto other = std::ranges::find_if(part, [](std::byte b) { return b != std::byte{0}; });
    if (other != part.end()) return at + static_cast<std::uint64_t>(other - part.begin());
  }
  return end;
}

Result<bool> ElfFile::has_name(const Note& note, std::string_view name, std::uint32_t type) const {
  std::array<char, 8> bytes;
  const std::size_t size = name.size() + 1;  // with its terminator
  const auto begin = note.begin + sizeof note.header;
  if (note.header.name_size != size || note.header.type != type || note.end - begin < size) {
    return false;
  }
  const auto read = std::span(bytes).first(size);
  auto done = source_->read(begin, std::as_writable_bytes(read), "the name of a note");
  if (!done) return std::move(done).error();
  return std::string_view(read.data(), size - 1) == name && read.back() == '\0';
}

Result<void> ElfFile::take_manifest(const Note& note, std::optional<ManifestText>& found) const {
  if (found && found->begin != note.begin) return two_manifests(*source_);
  const std::uint64_t size = note.header.text_size;
  if (auto good = check_manifest_size(*source_, size); !good) return good;
  if (note.text > note.end || size > note.end - note.text) {
    return broken_manifest(*source_, "a note larger than its segment");
  }
  found = ManifestText{.begin = note.begin, .text = {note.text, size}};
  return {};
}

/// Returns the levels that a note with properties states. Like the dynamic loader, ignores notes
/// with sizes or an order that linkers do not write. That one does not check where a note ends.
Result<std::uint32_t> ElfFile::processor_in(const Note& note) const {
  constexpr std::uint32_t none = 0;
  std::uint64_t remaining = note.header.text_size;
  if (remaining % alignment_of_properties != 0) return none;
  if (note.text > note.end || remaining > note.end - note.text) {
    return broken("a note larger than its segment");
  }
  elf::Property last{};
  for (unsigned seen = 0; seen < max_properties && remaining >= sizeof last; ++seen) {
    elf::Property property;
    const auto at = note.text + note.header.text_size - remaining;
    if (auto read = source_->read(at, property, "a property"); !read) return read.error();
    remaining -= sizeof property;
    if (property.size > remaining || property.type < last.type) return none;
    if (property.type == elf::property_x86_processor && property.size == sizeof none) {
      std::uint32_t levels;
      auto read = source_->read(at + sizeof property, levels, "a property");
      return read ? Result<std::uint32_t>(levels) : read.error();
    }
    remaining -= aligned(property.size, alignment_of_properties);
    last = property;
  }
  return none;
}

}}}  // namespace tenon::v0_1::detail
