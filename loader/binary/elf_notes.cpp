// SPDX-License-Identifier: BSL-1.0
//
// Finds the note with the manifest through the program headers.
#include <tenon/abi.h>

#include <cstring>

#include "binary/elf.hpp"

namespace tenon::inline v0_1::detail {
namespace {

constexpr char note_name[6] = "tenon";
constexpr std::uint64_t text_in_note = 20;  // after the header and the name, padded to 8 bytes
constexpr std::uint64_t max_text_size = 1 << 20;
constexpr unsigned max_notes = 256;  // in one segment; a compiler writes about three

Error broken_manifest(const ByteSource& source, std::string_view found) {
  return source.problem("broken-manifest", found,
                        "a note with a text of 1 byte to 1 MiB and its terminator",
                        "build the module with TENON_MODULE or TENON_PLUGIN, which write the note");
}

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

Result<std::string> ElfFile::manifest_text() const {
  std::optional<ManifestNote> found;
  for (const auto& notes : notes_) {
    if (auto searched = search(notes, found); !searched) return std::move(searched).error();
  }
  if (!found) {
    return source_->problem(
        "no-manifest", "a shared library without a tenon note",
        "the note that TENON_MODULE or TENON_PLUGIN writes, in a segment of notes",
        "if this is a plugin, declare it with one of them; otherwise remove it from the plugin "
        "folder");
  }
  std::string text(found->text.size, '\0');
  const auto bytes = std::as_writable_bytes(std::span(text));
  if (auto read = source_->read(found->text.begin, bytes, "the manifest"); !read) {
    return std::move(read).error();
  }
  if (text.find('\0') != text.size() - 1) {
    return broken_manifest(*source_, "a text whose terminator is missing or not at its end");
  }
  text.pop_back();
  return text;
}

Result<void> ElfFile::search(const Notes& notes, std::optional<ManifestNote>& found) const {
  // Sizes in a note have 32 bits and its segment lies in the file, so no sum here can overflow.
  const auto end = notes.file.begin + notes.file.size;
  auto note = notes.file.begin;
  for (unsigned seen = 0; end - note >= sizeof(elf::NoteHeader); ++seen) {
    if (seen == max_notes) return broken("more than 256 notes in one segment");
    elf::NoteHeader header;
    if (auto read = source_->read(note, header, "a note"); !read) return read;

    const auto name = note + sizeof header;
    auto text =
        notes.file.begin + aligned(name - notes.file.begin + header.name_size, notes.alignment);
    if (end - name >= sizeof note_name) {
      const auto ours = is_manifest(header, name);
      if (!ours) return ours.error();
      if (*ours) {
        text = note + text_in_note;
        if (auto taken = take_manifest(note, header.text_size, end, found); !taken) return taken;
      }
    }
    if (text > end || header.text_size > end - text)
      return broken("a note larger than its segment");
    note = notes.file.begin + aligned(text - notes.file.begin + header.text_size, notes.alignment);
    if (note > end) return {};  // the last note may lack its padding
  }
  return {};
}

Result<bool> ElfFile::is_manifest(const elf::NoteHeader& header, std::uint64_t name) const {
  if (header.name_size != sizeof note_name || header.type != TENON_NOTE_TYPE) return false;
  char bytes[sizeof note_name];
  if (auto read = source_->read(name, bytes, "the name of a note"); !read) {
    return std::move(read).error();
  }
  return std::memcmp(bytes, note_name, sizeof note_name) == 0;
}

Result<void> ElfFile::take_manifest(std::uint64_t note, std::uint64_t text_size, std::uint64_t end,
                                    std::optional<ManifestNote>& found) const {
  if (found && found->begin != note) {
    return source_->problem(
        "two-manifests", "more than one tenon note", "exactly one",
        "declare one module per library: list all its plugins in one TENON_MODULE");
  }
  if (text_size < 2) return broken_manifest(*source_, "an empty note");
  if (text_size > max_text_size + 1) return broken_manifest(*source_, "a note of more than 1 MiB");
  const auto text = note + text_in_note;
  if (text > end || text_size > end - text) {
    return broken_manifest(*source_, "a note larger than its segment");
  }
  found = ManifestNote{.begin = note, .text = {text, text_size}};
  return {};
}

}  // namespace tenon::inline v0_1::detail
