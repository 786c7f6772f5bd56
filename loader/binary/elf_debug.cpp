// SPDX-License-Identifier: BSL-1.0
//
// Reads the link to separate debug information. It is in a section that belongs to no segment, so
// only this reader needs the section headers.
#include <algorithm>

#include "binary/elf.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::string_view link_section = ".gnu_debuglink";
constexpr std::size_t max_file_name = 255;  // the limit of file systems

/// Returns whether the name at an offset of the table of names is `name`.
bool is_named(ByteSource& source, const elf::Section& names, std::uint32_t offset,
              std::string_view name) {
  std::array<char, link_section.size() + 1> text;
  const bool there = offset < names.size && names.size - offset >= text.size() &&
                     source.contains(names.offset, names.size) &&
                     source.read(names.offset + offset, text, "the name of a section");
  return there && std::string_view(text.data(), name.size()) == name && text.back() == '\0';
}

}  // namespace

std::optional<ElfFile::Text> ElfFile::debug_link() const {
  elf::Header header;
  if (!source_->read(0, header, "the ELF header")) return std::nullopt;
  if (header.sections_offset == 0 || header.section_size != sizeof(elf::Section)) {
    return std::nullopt;
  }
  const auto read = [&](std::uint64_t index, elf::Section& section) {
    return source_->read(header.sections_offset + index * sizeof section, section, "a section")
        .has_value();
  };
  elf::Section names;
  if (header.section_names >= header.section_count || !read(header.section_names, names)) {
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(header.section_count, elf::max_sections);
       ++i) {
    elf::Section section;
    if (!read(i, section)) return std::nullopt;
    if (is_named(*source_, names, section.name, link_section)) return debug_link_in(section);
  }
  return std::nullopt;
}

/// The section holds the name of a file, zeros, and a checksum.
std::optional<ElfFile::Text> ElfFile::debug_link_in(const elf::Section& section) const {
  if (!source_->contains(section.offset, section.size)) return std::nullopt;
  // The private copy changes this name, so the section must not be loaded.
  const bool loaded = std::any_of(loads_.begin(), loads_.end(), [&](const Load& load) {
    return section.offset < load.file.begin + load.file.size &&
           load.file.begin < section.offset + section.size;
  });
  std::array<char, max_file_name + 1> block;
  const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), section.size));
  if (loaded || !source_->read(section.offset, std::as_writable_bytes(part), "a section")) {
    return std::nullopt;
  }
  const auto end = std::find(part.begin(), part.end(), '\0');
  Text link{.text = std::string(part.begin(), end), .offset = section.offset};
  const bool is_name = end != part.end() && !link.text.empty() && link.text != "." &&
                       link.text != ".." && link.text.find('/') == std::string::npos;
  return is_name ? std::optional(std::move(link)) : std::nullopt;
}

}}}  // namespace tenon::v0_1::detail
