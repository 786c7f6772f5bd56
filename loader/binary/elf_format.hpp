// SPDX-License-Identifier: BSL-1.0
//
// The parts of the 64-bit ELF format that the reader needs. Does not use <elf.h> of the system, so
// that ELF files can be read on every platform.
#pragma once

#include <array>
#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace elf {

inline constexpr std::array<std::uint8_t, 4> magic = {0x7f, 'E', 'L', 'F'};

inline constexpr std::uint8_t class_32 = 1;
inline constexpr std::uint8_t class_64 = 2;
inline constexpr std::uint8_t little_endian = 1;
inline constexpr std::uint8_t big_endian = 2;
inline constexpr std::uint8_t system_none = 0;
inline constexpr std::uint8_t system_linux = 3;

/// The start of the file that 32-bit and 64-bit files have in common.
struct Identification {
  std::array<std::uint8_t, 4> magic;
  std::uint8_t word_size;
  std::uint8_t byte_order;
  std::uint8_t version;
  std::uint8_t system;
  std::array<std::uint8_t, 8> padding;
  std::uint16_t type;
  std::uint16_t machine;
};
static_assert(sizeof(Identification) == 20);

inline constexpr std::uint16_t type_object = 1;
inline constexpr std::uint16_t type_program = 2;
inline constexpr std::uint16_t type_shared = 3;
inline constexpr std::uint16_t type_core = 4;

struct Header {
  Identification identification;
  std::uint32_t version;
  std::uint64_t entry;
  std::uint64_t segments_offset;
  std::uint64_t sections_offset;
  std::uint32_t flags;
  std::uint16_t header_size;
  std::uint16_t segment_size;
  std::uint16_t segment_count;
  std::uint16_t section_size;
  std::uint16_t section_count;
  std::uint16_t section_names;
};
static_assert(sizeof(Header) == 64);

inline constexpr std::uint32_t segment_load = 1;
inline constexpr std::uint32_t segment_dynamic = 2;
inline constexpr std::uint32_t segment_note = 4;
inline constexpr std::uint32_t segment_headers = 6;
inline constexpr std::uint32_t segment_thread_local = 7;
inline constexpr std::uint32_t segment_unwinding = 0x6474e550;
/// PT_GNU_STACK: its permissions are those of the stacks of all threads.
inline constexpr std::uint32_t segment_stack = 0x6474e551;
/// PT_GNU_PROPERTY: the segment of notes with properties.
inline constexpr std::uint32_t segment_properties = 0x6474e553;
/// PT_GNU_RELRO: becomes read-only after relocation.
inline constexpr std::uint32_t segment_relro = 0x6474e552;

inline constexpr std::uint32_t executable = 1;
inline constexpr std::uint32_t writable = 2;
inline constexpr std::uint32_t readable = 4;

struct Segment {
  std::uint32_t type;
  std::uint32_t flags;
  std::uint64_t offset;
  std::uint64_t address;
  std::uint64_t physical_address;
  std::uint64_t file_size;
  std::uint64_t memory_size;
  std::uint64_t alignment;
};
static_assert(sizeof(Segment) == 56);

/// All symbols of a file, not only exported ones.
inline constexpr std::uint32_t section_symbols = 2;

/// The number of sections that are read at most. Linkers write about forty.
inline constexpr std::uint64_t max_sections = 1024;

struct Section {
  std::uint32_t name;
  std::uint32_t type;
  std::uint64_t flags;
  std::uint64_t address;
  std::uint64_t offset;
  std::uint64_t size;
  std::uint32_t link;
  std::uint32_t info;
  std::uint64_t alignment;
  std::uint64_t element_size;
};
static_assert(sizeof(Section) == 64);

struct NoteHeader {
  std::uint32_t name_size;
  std::uint32_t text_size;
  std::uint32_t type;

  bool operator==(const NoteHeader&) const = default;
};
static_assert(sizeof(NoteHeader) == 12);

/// NT_GNU_PROPERTY_TYPE_0, a note of "GNU" with properties in ascending order.
inline constexpr std::uint32_t note_properties = 5;
/// GNU_PROPERTY_X86_ISA_1_NEEDED: levels of the processor, a bit each.
inline constexpr std::uint32_t property_x86_processor = 0xc0008002;

/// Followed by the value, padded to 8 bytes.
struct Property {
  std::uint32_t type;
  std::uint32_t size;
};
static_assert(sizeof(Property) == 8);

inline constexpr std::uint64_t dynamic_end = 0;
inline constexpr std::uint64_t dynamic_needed = 1;
inline constexpr std::uint64_t dynamic_plt_relocations_size = 2;
inline constexpr std::uint64_t dynamic_hash = 4;
inline constexpr std::uint64_t dynamic_strings = 5;
inline constexpr std::uint64_t dynamic_symbols = 6;
inline constexpr std::uint64_t dynamic_relocations = 7;
inline constexpr std::uint64_t dynamic_relocations_size = 8;
inline constexpr std::uint64_t dynamic_relocation_size = 9;
inline constexpr std::uint64_t dynamic_strings_size = 10;
inline constexpr std::uint64_t dynamic_init = 12;
inline constexpr std::uint64_t dynamic_fini = 13;
inline constexpr std::uint64_t dynamic_soname = 14;
inline constexpr std::uint64_t dynamic_rpath = 15;
inline constexpr std::uint64_t dynamic_plt_relocation_type = 20;
inline constexpr std::uint64_t dynamic_text_relocations = 22;
inline constexpr std::uint64_t dynamic_plt_relocations = 23;
inline constexpr std::uint64_t dynamic_init_array = 25;
inline constexpr std::uint64_t dynamic_fini_array = 26;
inline constexpr std::uint64_t dynamic_init_array_size = 27;
inline constexpr std::uint64_t dynamic_fini_array_size = 28;
inline constexpr std::uint64_t dynamic_runpath = 29;
inline constexpr std::uint64_t dynamic_flags = 30;
inline constexpr std::uint64_t dynamic_packed_relocations_size = 35;
inline constexpr std::uint64_t dynamic_packed_relocations = 36;
inline constexpr std::uint64_t dynamic_packed_relocation_size = 37;
/// The first tag that is reserved for operating systems; Linux does not use it.
inline constexpr std::uint64_t dynamic_unused = 0x6000000d;
inline constexpr std::uint64_t dynamic_gnu_hash = 0x6ffffef5;
inline constexpr std::uint64_t dynamic_versions = 0x6ffffff0;
// Relocations and their size in the packed format of Android, without and with addends.
inline constexpr std::uint64_t dynamic_android_begin = 0x6000000f;
inline constexpr std::uint64_t dynamic_android_end = 0x60000012;
inline constexpr std::uint64_t dynamic_relative_count = 0x6ffffff9;
inline constexpr std::uint64_t dynamic_flags_1 = 0x6ffffffb;
inline constexpr std::uint64_t dynamic_version_definitions = 0x6ffffffc;
inline constexpr std::uint64_t dynamic_version_needs = 0x6ffffffe;
inline constexpr std::uint64_t flag_text_relocations = 0x00000004;
inline constexpr std::uint64_t flag_1_nodelete = 0x00000008;
inline constexpr std::uint64_t flag_1_no_dlopen = 0x00000040;
inline constexpr std::uint64_t flag_1_no_default_directories = 0x00000800;
inline constexpr std::uint64_t flag_1_program = 0x08000000;

struct DynamicEntry {
  std::uint64_t tag;
  std::uint64_t value;
};
static_assert(sizeof(DynamicEntry) == 16);

inline constexpr std::uint8_t binding_global = 1;
inline constexpr std::uint8_t binding_weak = 2;
/// The process has one definition for all images, until it exits (STB_GNU_UNIQUE).
inline constexpr std::uint8_t binding_unique = 10;
inline constexpr std::uint8_t kind_object = 1;
inline constexpr std::uint8_t kind_function = 2;
inline constexpr std::uint16_t section_undefined = 0;
inline constexpr std::uint16_t section_first_reserved = 0xff00;

struct Symbol {
  std::uint32_t name;
  std::uint8_t info;
  std::uint8_t other;
  std::uint16_t section;
  std::uint64_t address;
  std::uint64_t size;

  std::uint8_t binding() const { return info >> 4; }
  std::uint8_t kind() const { return info & 0xf; }
};
static_assert(sizeof(Symbol) == 24);

struct Relocation {
  std::uint64_t address;
  std::uint32_t type;
  std::uint32_t symbol;
  std::int64_t addend;
};
static_assert(sizeof(Relocation) == 24);

/// Followed by the words of a Bloom filter, the buckets and the chains.
struct GnuHashHeader {
  std::uint32_t bucket_count;
  std::uint32_t first_symbol;
  std::uint32_t bloom_count;
  std::uint32_t bloom_shift;
};
static_assert(sizeof(GnuHashHeader) == 16);

/// Followed by the buckets and the chains.
struct HashHeader {
  std::uint32_t bucket_count;
  std::uint32_t chain_count;
};
static_assert(sizeof(HashHeader) == 8);

/// A library of which versions of symbols are needed. The next entry is `next` bytes further.
struct VersionNeed {
  std::uint16_t version;
  std::uint16_t count;
  std::uint32_t file;
  std::uint32_t first;
  std::uint32_t next;
};
static_assert(sizeof(VersionNeed) == 16);

}}}  // namespace tenon::v0_1::elf
