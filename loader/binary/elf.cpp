// SPDX-License-Identifier: BSL-1.0
//
// Headers and segments; the mapping from addresses to offsets in the file.
#include "binary/elf.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "binary/foreign_format.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

static_assert(std::endian::native == std::endian::little ||
              std::endian::native == std::endian::big);
constexpr std::uint8_t host_byte_order =
    std::endian::native == std::endian::little ? elf::little_endian : elf::big_endian;

struct Machine {
  std::uint16_t number;
  std::string_view name;
};
constexpr Machine machines[] = {
    {3, "x86 (32-bit)"}, {8, "MIPS"},   {20, "PowerPC"},    {21, "PowerPC (64-bit)"},
    {22, "IBM Z"},       {40, "ARM"},   {62, "x86-64"},     {183, "AArch64"},
    {243, "RISC-V"},     {247, "eBPF"}, {258, "LoongArch"},
};

/// Returns the machine of the file, for either byte order.
std::uint16_t machine_of(const elf::Identification& id) {
  if (id.byte_order == host_byte_order) return id.machine;
  return static_cast<std::uint16_t>(id.machine << 8 | id.machine >> 8);
}

std::string_view type_name(std::uint16_t type) {
  switch (type) {
    case elf::type_object:
      return "an object file that was not linked";
    case elf::type_program:
      return "a program";
    case elf::type_core:
      return "a core dump";
    default:
      return "an ELF file of an unknown type";
  }
}

Error not_a_module(const ByteSource& source, std::string_view found) {
  return source.problem("not-a-module", found, "a shared library in the ELF format",
                        "keep only modules (.so) in plugin directories");
}

Result<void> check_magic(ByteSource& source) {
  if (source.size() == 0) {
    return source.problem("empty-file", "0 bytes", "a shared library in the ELF format",
                          "copy or build the file again");
  }
  std::array<std::byte, 64> start;
  const auto size = std::min<std::uint64_t>(start.size(), source.size());
  const auto bytes = std::span(start).first(size);
  if (auto read = source.read(0, bytes, "the start of the file"); !read) return read;
  const auto compared = std::min<std::size_t>(size, elf::magic.size());
  if (std::memcmp(bytes.data(), elf::magic.data(), compared) != 0) {
    return not_a_module(source, describe_format(bytes));
  }
  return {};
}

/// Checks whether a file of this kind can be loaded on this system.
Result<void> check_identification(const ByteSource& source, const elf::Identification& id,
                                  ElfFile::Accepts accepts) {
  const auto rebuild = [] {
    return "use a build of the plugin for " + machine_name(platform::host_machine);
  };
  if (id.word_size == elf::class_32) {
    return source.problem("wrong-architecture", "a 32-bit file for " + machine_name(machine_of(id)),
                          "a 64-bit file for " + machine_name(platform::host_machine), rebuild());
  }
  const bool other_order = id.byte_order != host_byte_order;
  if (other_order || id.machine != platform::host_machine) {
    return source.problem(
        "wrong-architecture",
        machine_name(machine_of(id)) + (other_order ? ", the other byte order" : ""),
        machine_name(platform::host_machine), rebuild());
  }
  if (id.system != elf::system_none && id.system != elf::system_linux) {
    return source.problem(
        "wrong-architecture",
        "a file for another operating system (OS ABI " + std::to_string(id.system) + ")",
        "one for this system", rebuild());
  }
  const bool program = id.type == elf::type_program && accepts == ElfFile::Accepts::programs;
  if (id.type != elf::type_shared && !program) return not_a_module(source, type_name(id.type));
  return {};
}

}  // namespace

std::string machine_name(std::uint16_t number) {
  for (const auto& machine : machines) {
    if (machine.number == number) return std::string(machine.name);
  }
  return "machine " + std::to_string(number);
}

// `open` has checked the machine.
Result<void> ElfFile::check_system() const {
  if (!platform::loads_dlls) return {};
  return source_->problem("wrong-architecture", "a file in the ELF format",
                          "a DLL for " + machine_name(platform::host_machine),
                          "use a build of the plugin for this system");
}

Error ElfFile::broken(std::string_view found) const {
  return source_->problem("broken-file", found, "a file as a linker writes it",
                          "copy or build the file again: a part of it is damaged");
}

Error ElfFile::not_in_pages(std::string_view found) const {
  const std::string size = std::to_string(page_);
  return source_->problem("broken-file", found, "segments in whole pages of " + size + " bytes",
                          "link the file again, with -z max-page-size=" + size +
                              " and -z common-page-size=" + size + ", and without -n");
}

Error ElfFile::not_a_module(std::string_view found) const {
  return detail::not_a_module(*source_, found);
}

Result<ElfFile> ElfFile::open(ByteSource& source, Accepts accepts, std::uint64_t page) {
  ElfFile file(source);
  file.page_ = page;
  if (auto good = check_magic(source); !good) return std::move(good).error();

  elf::Identification id;
  if (auto read = source.read(0, id, "the ELF header"); !read) return std::move(read).error();
  const bool known_size = id.word_size == elf::class_32 || id.word_size == elf::class_64;
  const bool known_order = id.byte_order == elf::little_endian || id.byte_order == elf::big_endian;
  if (!known_size || !known_order) return file.broken("an ELF header with an impossible class");
  if (auto good = check_identification(source, id, accepts); !good) return std::move(good).error();

  elf::Header header;
  if (auto read = source.read(0, header, "the ELF header"); !read) return std::move(read).error();
  if (auto read = file.read_segments(header); !read) return std::move(read).error();
  if (auto read = file.read_dynamic(); !read) return std::move(read).error();
  const bool program = (file.dynamic_.flags & elf::flag_1_program) != 0;
  if (program && accepts == Accepts::libraries) return file.not_a_module("a program");
  if (auto good = file.check_segments(header); !good) return std::move(good).error();
  return file;
}

Result<void> ElfFile::read_segments(const elf::Header& header) {
  if (header.version != 1 || header.segment_size != sizeof(elf::Segment)) {
    return broken("an ELF header of an unknown version");
  }
  // The section headers are not read here. Most linkers put them last, so they show whether the
  // file is truncated.
  const auto sections = std::uint64_t{header.section_count} * header.section_size;
  if (header.sections_offset != 0 && !source_->contains(header.sections_offset, sections)) {
    return source_->truncated(header.sections_offset, sections, "the section headers");
  }
  const auto segments = std::uint64_t{header.segment_count} * sizeof(elf::Segment);
  if (!source_->contains(header.segments_offset, segments)) {
    return source_->truncated(header.segments_offset, segments, "the program headers");
  }
  const auto count = std::min<std::size_t>(header.segment_count, max_segments);
  loads_.reserve(count);
  required_.reserve(count);
  for (std::uint64_t i = 0; i < header.segment_count; ++i) {
    elf::Segment segment;
    const auto offset = header.segments_offset + i * sizeof segment;
    if (auto read = source_->read(offset, segment, "a program header"); !read) return read;
    if (auto added = add_segment(segment); !added) return added;
  }
  return loads_.empty() ? broken("no segment to load") : Result<void>();
}

Result<void> ElfFile::add_segment(const elf::Segment& segment) {
  const Range file{segment.offset, segment.file_size};
  const auto add_required = [&](std::uint32_t permissions, std::string_view what) {
    if (required_.size() == max_segments)
      return Result<void>(broken("more than 64 segments of one kind"));
    required_.push_back({{segment.address, segment.file_size}, permissions, what});
    return Result<void>();
  };
  switch (segment.type) {
    case elf::segment_headers:
      headers_address_ = segment.address;
      return {};
    case elf::segment_thread_local:
      thread_local_size_ = segment.memory_size;
      return add_required(elf::readable, "the thread-local variables");
    case elf::segment_unwinding:
      return add_required(elf::readable, "the table for exceptions");
    case elf::segment_relro:
      relro_ = Range{segment.address, segment.memory_size};
      return {};
    case elf::segment_stack:
      executable_stack_ = (segment.flags & elf::executable) != 0;
      return {};
    case elf::segment_load:
    case elf::segment_dynamic:
    case elf::segment_note:
    case elf::segment_properties:
      break;
    default:
      return {};
  }
  if (!source_->contains(segment.offset, segment.file_size)) {
    return source_->truncated(segment.offset, segment.file_size, "a segment");
  }
  if (segment.type == elf::segment_load) return add_load(segment);
  if (segment.type == elf::segment_dynamic) {
    if (dynamic_range_.size != 0) return broken("two dynamic sections");
    dynamic_range_ = file;
    dynamic_address_ = segment.address;
    return add_required(elf::readable | (segment.flags & elf::writable), "the dynamic section");
  }
  if (notes_.size() == max_segments) return broken("more than 64 segments with notes");
  notes_.push_back({.file = file,
                    .memory = {segment.address, segment.memory_size},
                    .alignment = segment.alignment == alignment_of_properties ? 8u : 4u});
  return {};
}

Result<void> ElfFile::add_load(const elf::Segment& segment) {
  if (segment.memory_size < segment.file_size) return broken("a segment larger than its memory");
  if (segment.address + segment.memory_size < segment.address) {
    return broken("a segment past the end of all memory");
  }
  if ((segment.address - segment.offset) % page_ != 0) {
    return not_in_pages("a segment that cannot be mapped in whole pages");
  }
  if (!loads_.empty()) {
    // Whole pages are mapped, so a segment would hide another one in the same page.
    const auto& before = loads_.back().memory;
    const auto last = before.begin + before.size + (page_ - 1);
    if (segment.address - segment.address % page_ < last - last % page_ || last < before.begin) {
      return not_in_pages("segments that overlap");
    }
  }
  if (loads_.size() == max_segments) return broken("more than 64 segments to load");
  loads_.push_back({.file = {segment.offset, segment.file_size},
                    .memory = {segment.address, segment.memory_size},
                    .permissions = segment.flags});
  return {};
}

const ElfFile::Load* ElfFile::load_of(std::uint64_t address) const {
  const auto holds = [address](const Load& load) {
    return address >= load.memory.begin && address - load.memory.begin < load.memory.size;
  };
  const auto load = std::find_if(loads_.begin(), loads_.end(), holds);
  return load != loads_.end() ? &*load : nullptr;
}

const ElfFile::Load* ElfFile::load_for(const Range& memory, std::uint32_t permissions) const {
  const auto* load = load_of(memory.begin);
  const bool good = load != nullptr &&
                    memory.size <= load->memory.size - (memory.begin - load->memory.begin) &&
                    (permissions & ~load->permissions) == 0;
  return good ? load : nullptr;
}

Result<void> ElfFile::check(const RequiredRange& range) const {
  if (load_for(range.memory, range.permissions) != nullptr) return {};
  if (load_for(range.memory, 0) == nullptr) {
    return broken(std::string(range.what) + " outside of the segments");
  }
  return broken(std::string(range.what) + " in a segment that is not " +
                ((range.permissions & elf::executable) != 0 ? "executable"
                 : (range.permissions & elf::writable) != 0 ? "writable"
                                                            : "readable"));
}

Result<void> ElfFile::read_memory(std::uint64_t address, std::span<std::byte> into,
                                  std::string_view what) const {
  const Range memory{address, into.size()};
  const auto* load = load_for(memory, elf::readable);
  if (load == nullptr) return check({memory, elf::readable, what});
  const auto start = address - load->memory.begin;
  const auto in_file = start < load->file.size ? load->file.size - start : 0;
  const auto count = std::min<std::uint64_t>(into.size(), in_file);
  if (count != into.size()) std::ranges::fill(into.subspan(count), std::byte{0});
  if (count == 0) return {};
  return source_->read(load->file.begin + start, into.first(count), what);
}

Result<std::uint64_t> ElfFile::file_offset(std::uint64_t address, std::uint64_t size,
                                           std::string_view what) const {
  const Range memory{address, size};
  const auto* load = load_for(memory, elf::readable);
  if (load == nullptr) return check({memory, elf::readable, what}).error();
  const auto start = address - load->memory.begin;
  if (start > load->file.size || size > load->file.size - start) {
    return broken(std::string(what) + " outside of the segments");
  }
  return load->file.begin + start;
}

}}}  // namespace tenon::v0_1::detail
