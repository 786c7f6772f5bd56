// SPDX-License-Identifier: BSL-1.0
//
// Modules with forged headers: they show other content than the system loads, crash the system's
// loader, or make the reader slow. FAULTS is the directory of tests/faults.
#include <tenon/abi.h>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "binary/bundle.hpp"
#include "binary/elf_format.hpp"
#include "binary/undefined_symbols.hpp"
#include "framework/world.hpp"
#include "manifest/module_file.hpp"
#include "platform/library_search.hpp"
#include "platform/process.hpp"
#include "unit/faults.hpp"

namespace tenon::detail { namespace {

namespace fs = std::filesystem;
using tests::bytes_of;
using tests::fault;
using Bytes = tests::Bytes;

/// A module that a test damages.
class Victim {
 public:
  explicit Victim(const std::string& name = "good") : bytes_(bytes_of(fault(name))) {}

  template <class T>
  T& at(std::uint64_t offset) {
    EXPECT_LE(offset + sizeof(T), bytes_.size());
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }
  /// Returns segment number `which`, counted from 0, of a type.
  elf::Segment& segment(std::uint32_t type, int which = 0) {
    const auto header = at<elf::Header>(0);
    for (std::uint64_t i = 0; i < header.segment_count; ++i) {
      auto& segment = at<elf::Segment>(header.segments_offset + i * sizeof(elf::Segment));
      if (segment.type == type && which-- == 0) return segment;
    }
    throw std::logic_error("no such segment");
  }
  /// Returns the loaded segment that contains an address.
  elf::Segment& load_of(std::uint64_t address) {
    for (int i = 0;; ++i) {
      auto& load = segment(elf::segment_load, i);
      if (address - load.address < load.memory_size) return load;
    }
  }
  elf::DynamicEntry* find(std::uint64_t tag) {
    for (std::uint64_t offset = segment(elf::segment_dynamic).offset;; offset += 16) {
      auto& entry = at<elf::DynamicEntry>(offset);
      if (entry.tag == tag) return &entry;
      if (entry.tag == elf::dynamic_end) return nullptr;
    }
  }
  std::uint64_t& value(std::uint64_t tag) {
    auto* entry = find(tag);
    if (entry == nullptr) throw std::logic_error("no such entry");
    return entry->value;
  }
  std::uint64_t place_of(std::uint64_t address) {
    const auto& load = load_of(address);
    return address - load.address + load.offset;
  }

  Bytes& bytes() { return bytes_; }
  std::string shallow() const {
    const auto read = read_module_image(bytes_, "x.so");
    return read ? "ok"
                : std::string(read.error().code()) + ": " + std::string(read.error().found());
  }
  std::string deep() const {
    const auto bundle = read_bundle(bytes_, "x.so");
    return bundle ? "ok"
                  : std::string(bundle.error().code()) + ": " + std::string(bundle.error().found());
  }

 private:
  Bytes bytes_;
};

std::string damaged(const std::function<void(Victim&)>& damage) {
  Victim victim;
  damage(victim);
  return victim.shallow();
}

// -- Headers that differ from what the system loads ---------------------------

TEST(ModuleLayout, ReadsTheDynamicSectionWhereTheSystemDoes) {
  EXPECT_EQ(damaged([](Victim& v) { v.segment(elf::segment_dynamic).address += 16; }),
            "broken-file: a dynamic section that is mapped elsewhere");
  EXPECT_EQ(damaged([](Victim& v) { v.segment(elf::segment_dynamic).address = 1 << 30; }),
            "broken-file: the dynamic section outside of the segments");
}

TEST(ModuleLayout, ReadsTheProgramHeadersWhereTheSystemDoes) {
  constexpr std::uint32_t segment_stack = 0x6474e551;
  const auto headers_at = [](std::int64_t distance) {
    return damaged([distance](Victim& v) {
      elf::Segment& headers = v.segment(segment_stack);
      headers = v.segment(elf::segment_load);  // starts at offset 0 of the file
      headers.type = elf::segment_headers;
      headers.address +=
          v.at<elf::Header>(0).segments_offset + static_cast<std::uint64_t>(distance);
    });
  };
  EXPECT_EQ(headers_at(0), "ok");
  EXPECT_EQ(headers_at(8), "broken-file: program headers that are mapped elsewhere");
  EXPECT_EQ(headers_at(1 << 30), "broken-file: the program headers outside of the segments");
}

TEST(ModuleLayout, RefusesASecondDynamicSection) {
  EXPECT_EQ(damaged([](Victim& v) {
              const auto dynamic = v.segment(elf::segment_dynamic);
              v.segment(elf::segment_note) = dynamic;
            }),
            "broken-file: two dynamic sections");
}

TEST(ModuleLayout, RefusesOverlappingSegments) {
  EXPECT_EQ(damaged([](Victim& v) {
              auto& first = v.segment(elf::segment_load);
              first.memory_size = v.segment(elf::segment_load, 1).address + 1;
            }),
            "broken-file: segments that overlap");
  EXPECT_EQ(damaged([](Victim& v) { v.segment(elf::segment_load, 1).address += 8; }),
            "broken-file: a segment that cannot be mapped in whole pages");
}

// -- Crashes of the system's loader -------------------------------------------

TEST(ModuleLayout, RequiresReadableSegments) {
  for (const auto tag : {elf::dynamic_symbols, elf::dynamic_strings, elf::dynamic_gnu_hash,
                         elf::dynamic_relocations, elf::dynamic_init_array}) {
    Victim victim;
    victim.load_of(victim.value(tag)).flags &= ~elf::readable;
    EXPECT_TRUE(victim.shallow().ends_with("in a segment that is not readable"))
        << tag << " " << victim.shallow();
  }
}

TEST(ModuleLayout, RequiresTablesInsideSegments) {
  for (const auto tag :
       {elf::dynamic_symbols, elf::dynamic_strings, elf::dynamic_gnu_hash, elf::dynamic_relocations,
        elf::dynamic_init_array, elf::dynamic_fini_array, elf::dynamic_init, elf::dynamic_fini,
        elf::dynamic_plt_relocations, elf::dynamic_versions}) {
    Victim victim;
    if (victim.find(tag) == nullptr) continue;
    victim.value(tag) = 1 << 30;
    EXPECT_TRUE(victim.shallow().ends_with("outside of the segments"))
        << tag << " " << victim.shallow();
  }
}

/// Writes a table to the end of a read-only segment, so that it ends with the segment. Returns its
/// address.
std::uint64_t put_at_the_end(Victim& victim, std::span<const std::uint32_t> table) {
  for (int i = 0;; ++i) {
    const elf::Segment& load = victim.segment(elf::segment_load, i);
    // The first segment has the tables that are in use.
    if (i == 0 || load.flags != elf::readable) continue;
    const std::uint64_t end = load.offset + load.file_size;
    std::memcpy(victim.bytes().data() + end - table.size_bytes(), table.data(), table.size_bytes());
    return load.address + load.file_size - table.size_bytes();
  }
}

TEST(ModuleLayout, RequiresHashChainsInsideSegments) {
  Victim gnu;
  // No filter, one bucket, and a chain that continues past the end.
  const std::uint32_t gnu_table[] = {1, 1, 0, 0, 1, 0};
  gnu.value(elf::dynamic_gnu_hash) = put_at_the_end(gnu, gnu_table);
  EXPECT_EQ(gnu.shallow(), "broken-file: the hash table outside of the segments");
  Victim sysv("good-sysv-hash");
  const std::uint32_t sysv_table[] = {1, 0xffff, 1, 0};
  sysv.value(elf::dynamic_hash) = put_at_the_end(sysv, sysv_table);
  EXPECT_EQ(sysv.shallow(), "broken-file: the hash table outside of the segments");
}

TEST(ModuleLayout, RequiresInitFunctionsInExecutableSegments) {
  for (const auto tag : {elf::dynamic_init, elf::dynamic_fini}) {
    Victim victim;
    victim.value(tag) = victim.segment(elf::segment_dynamic).address;
    EXPECT_TRUE(victim.shallow().ends_with("in a segment that is not executable"))
        << victim.shallow();
  }
}

TEST(ModuleLayout, RequiresAWritableRelroPart) {
  EXPECT_EQ(damaged([](Victim& v) {
              auto& sealed = v.segment(elf::segment_relro);
              sealed.address = v.load_of(v.value(elf::dynamic_init)).address;
            }),
            "broken-file: the part that becomes read-only in a segment that is not writable");
  EXPECT_EQ(damaged([](Victim& v) {
              v.segment(elf::segment_relro).memory_size += std::uint64_t{1} << 30;
            }),
            "broken-file: a part that becomes read-only past the end of its segment");
  // Of the page after the segment, not all may become read-only.
  const auto with_end = [](std::uint64_t behind) {
    return damaged([behind](Victim& v) {
      auto& sealed = v.segment(elf::segment_relro);
      const auto& load = v.load_of(sealed.address);
      sealed.memory_size = load.address + load.memory_size - sealed.address + behind;
    });
  };
  const std::uint64_t page = platform::page_size();
  EXPECT_EQ(with_end(0), "ok");
  EXPECT_EQ(with_end(page - 1), "ok");
  EXPECT_EQ(with_end(2 * page),
            "broken-file: a part that becomes read-only past the end of its segment");
  EXPECT_EQ(damaged([](Victim& v) { v.segment(elf::segment_relro).memory_size = 0; }), "ok");
}

TEST(ModuleLayout, RequiresRelocationsOfTheKnownFormat) {
  EXPECT_EQ(damaged([](Victim& v) { v.value(elf::dynamic_relocation_size) = 16; }),
            "broken-file: relocations of an unknown format");
  EXPECT_EQ(damaged([](Victim& v) { v.find(elf::dynamic_relocation_size)->tag = 0x60000000; }),
            "broken-file: relocations of an unknown format");
}

TEST(ModuleLayout, RequiresSizesOfTables) {
  for (const auto tag : {elf::dynamic_relocations_size, elf::dynamic_init_array_size,
                         elf::dynamic_fini_array_size}) {
    Victim victim;
    victim.find(tag)->tag = 0x60000000;
    EXPECT_TRUE(victim.shallow().ends_with("without a size")) << tag << " " << victim.shallow();
  }
  EXPECT_EQ(damaged([](Victim& v) { v.value(elf::dynamic_relative_count) = 1 << 20; }),
            "broken-file: more relative relocations than relocations");
}

TEST(ModuleLayout, RequiresTheTypeOfEachRelativeRelocation) {
  const std::string flaw = "broken-file: a wrong number of relative relocations";
  Victim more;
  more.value(elf::dynamic_relative_count) += 1;
  EXPECT_EQ(more.deep(), flaw);
  const auto count = Victim().value(elf::dynamic_relative_count);
  ASSERT_GT(count, 2U);
  for (std::uint64_t i = 0; i < count; ++i) {
    Victim victim;
    const auto table = victim.place_of(victim.value(elf::dynamic_relocations));
    victim.at<elf::Relocation>(table + i * sizeof(elf::Relocation)).type = 0;
    EXPECT_EQ(victim.deep(), flaw) << i;
  }
}

TEST(ModuleLayout, RequiresPackedRelocationsInsideWritableSegments) {
  EXPECT_EQ(Victim("good-packed-relocations").deep(), "ok");
  // The address of a word, and bits for the words after it.
  const auto packed = [](std::uint64_t words_from_end, std::uint64_t bits,
                         std::uint64_t more_bits = 0) {
    Victim victim("good-packed-relocations");
    victim.value(elf::dynamic_packed_relocations_size) = 24;
    const auto table = victim.place_of(victim.value(elf::dynamic_packed_relocations));
    auto& address = victim.at<std::uint64_t>(table);
    const elf::Segment& load = victim.load_of(address);
    address = (load.address + load.memory_size) / 8 * 8 - words_from_end * 8;
    victim.at<std::uint64_t>(table + 8) = bits << 1 | 1;
    victim.at<std::uint64_t>(table + 16) = more_bits << 1 | 1;
    return victim.deep();
  };
  const std::string outside = "broken-file: the target of a relocation outside of the segments";
  EXPECT_EQ(packed(1, 0b0), "ok");
  EXPECT_EQ(packed(1, 0b1), outside);
  EXPECT_EQ(packed(3, 0b11), "ok");
  EXPECT_EQ(packed(3, 0b111), outside);
  EXPECT_EQ(packed(3, 0b100), outside);
  EXPECT_EQ(packed(0, 0b0), outside);
  EXPECT_EQ(packed(65, 0b0, 0b1), "ok") << "after the 63 words of the first bits";
  EXPECT_EQ(packed(65, 0b0, 0b11), outside);
  Victim code("good-packed-relocations");
  code.at<std::uint64_t>(code.place_of(code.value(elf::dynamic_packed_relocations))) = 0;
  EXPECT_EQ(code.deep(),
            "broken-file: the target of a relocation in a segment that is not writable");
}

TEST(ModuleLayout, RequiresRelocationsInsideWritableSegments) {
  const auto with = [](auto damage) {
    Victim victim;
    damage(victim.at<elf::Relocation>(victim.place_of(victim.value(elf::dynamic_relocations))),
           victim);
    return victim.deep();
  };
  using R = elf::Relocation;
  EXPECT_EQ(with([](R&, Victim&) {}), "ok");
  EXPECT_EQ(with([](R& r, Victim&) { r.address = 1 << 30; }),
            "broken-file: the target of a relocation outside of the segments");
  EXPECT_EQ(with([](R& r, Victim& v) { r.address = v.value(elf::dynamic_init); }),
            "broken-file: the target of a relocation in a segment that is not writable");
  EXPECT_EQ(with([](R& r, Victim&) { r.symbol = 100000; }),
            "broken-file: a relocation for a symbol that does not exist");
}

TEST(ModuleLayout, RequiresConsistentSymbolVersions) {
  const auto flaw = "broken-file: versions of symbols that contradict each other";
  Victim index;
  index.at<std::uint16_t>(index.place_of(index.value(elf::dynamic_versions)) + 2) = 0x7000;
  EXPECT_EQ(index.deep(), flaw);
  Victim name;
  name.at<elf::VersionNeed>(name.place_of(name.value(elf::dynamic_version_needs))).file = 1 << 30;
  EXPECT_NE(name.deep(), "ok");
  Victim next;
  next.at<elf::VersionNeed>(next.place_of(next.value(elf::dynamic_version_needs))).first = 1 << 30;
  EXPECT_EQ(next.deep(), flaw);
  Victim none;
  none.find(elf::dynamic_versions)->tag = 21;  // DT_DEBUG, which is ignored
  EXPECT_EQ(none.deep(), flaw);
}

TEST(ModuleLayout, RequiresAVersionForEachSymbol) {
  const auto flaw = "broken-file: versions of symbols that contradict each other";
  const auto first = [](Victim& v) { return v.place_of(v.value(elf::dynamic_versions)); };
  EXPECT_EQ(Victim("good-many-symbols").deep(), "ok");
  // The last symbol of the first block of 512, the first and a middle one of the second block.
  for (const std::uint64_t symbol : {511, 512, 560}) {
    Victim victim("good-many-symbols");
    victim.at<std::uint16_t>(first(victim) + 2 * symbol) = 0x7000;
    EXPECT_EQ(victim.deep(), flaw) << symbol;
  }
  // A table of zeros at the end of the last segment, which ends in the first or second block.
  for (const std::uint64_t room : {1000, 1100, 4000}) {
    Victim victim("good-many-symbols");
    elf::Segment& last = victim.load_of(victim.segment(elf::segment_dynamic).address);
    last.file_size = last.memory_size = victim.bytes().size() + room - last.offset;
    victim.value(elf::dynamic_versions) = last.address + last.file_size - room;
    victim.bytes().resize(victim.bytes().size() + room);
    EXPECT_EQ(victim.deep(), room == 4000 ? "ok" : flaw) << room;
  }
}

// -- Bounded work of the reader -----------------------------------------------

/// Counts the reads and the bytes that are read.
class CountingSource final : public ByteSource {
 public:
  CountingSource(std::span<const std::byte> start, std::uint64_t size)
      : ByteSource("x.so", size), start_(start) {}

  std::uint64_t reads = 0;
  std::uint64_t bytes = 0;

 private:
  /// Zeros follow the start, as in a sparse file.
  Result<void> copy(std::uint64_t offset, std::span<std::byte> into, std::string_view) override {
    ++reads;
    bytes += into.size();
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = offset + i < start_.size() ? start_[offset + i] : std::byte{0};
    }
    return {};
  }
  std::span<const std::byte> start_;
};

constexpr std::uint64_t five_gigabytes = 5ULL << 30;

/// Reads the module in a file of 5 GB. Returns "ok" or the error, and checks that little was read.
std::string in_a_huge_file(Victim& victim) {
  CountingSource source(victim.bytes(), five_gigabytes);
  const auto elf = ElfFile::open(source);
  if (!elf) return std::string(elf.error().found());
  const auto symbols = elf->symbols();
  EXPECT_LT(source.reads, 20'000U);
  EXPECT_LT(source.bytes, 64U << 20);
  return symbols ? "ok" : std::string(symbols.error().found());
}

/// Extends the last segment to the end of the file. Returns the address of the first byte after the
/// module.
std::uint64_t stretch(Victim& victim) {
  victim.bytes().resize((victim.bytes().size() + 15) / 16 * 16);
  elf::Segment* last = nullptr;
  const auto header = victim.at<elf::Header>(0);
  for (std::uint64_t i = 0; i < header.segment_count; ++i) {
    auto& segment = victim.at<elf::Segment>(header.segments_offset + i * sizeof(elf::Segment));
    if (segment.type == elf::segment_load) last = &segment;
  }
  last->file_size = last->memory_size = five_gigabytes - last->offset;
  return last->address + victim.bytes().size() - last->offset;
}

TEST(BoundedWork, StopsAtAnEndlessHashChain) {
  Victim victim;
  victim.value(elf::dynamic_gnu_hash) = stretch(victim);
  // A filter of one word, one bucket, and a chain of zeros.
  const std::uint32_t table[] = {1, 1, 1, 0, 0, 0, 100};
  const auto bytes = std::as_bytes(std::span(table));
  victim.bytes().insert(victim.bytes().end(), bytes.begin(), bytes.end());
  EXPECT_EQ(in_a_huge_file(victim), "a hash table without an end");
}

TEST(BoundedWork, RefusesOversizedTables) {
  Victim strings;
  strings.value(elf::dynamic_strings) = stretch(strings);
  strings.value(elf::dynamic_strings_size) = 3ULL << 30;
  EXPECT_EQ(in_a_huge_file(strings), "a table of strings of more than 32 MiB");

  Victim relocations;
  relocations.value(elf::dynamic_relocations) = stretch(relocations);
  relocations.value(elf::dynamic_relative_count) = 0;
  relocations.value(elf::dynamic_relocations_size) = 3ULL << 30;
  EXPECT_EQ(in_a_huge_file(relocations), "more than two million relocations");

  Victim buckets;
  buckets.at<elf::GnuHashHeader>(buckets.place_of(buckets.value(elf::dynamic_gnu_hash)))
      .bucket_count = 0x7fffffff;
  EXPECT_EQ(in_a_huge_file(buckets), "a hash table with impossible sizes");
}

// Readers copy the names of symbols, and tables can name the same text many times.
TEST(BoundedWork, RefusesNamesThatAreTogetherFarLongerThanTheFile) {
  // Adds a name to the end of the string table, which is copied behind the last segment.
  const auto with_name = [](std::size_t length, const auto& use) {
    Victim victim("good-many-symbols");
    Bytes& bytes = victim.bytes();
    const auto size = victim.value(elf::dynamic_strings_size);
    const auto strings = bytes.begin() + static_cast<std::ptrdiff_t>(
                                             victim.place_of(victim.value(elf::dynamic_strings)));
    Bytes table(strings, strings + static_cast<std::ptrdiff_t>(size));
    table.insert(table.end(), length, std::byte{'x'});
    table.push_back({});
    elf::Segment& last = victim.load_of(victim.segment(elf::segment_dynamic).address);
    last.file_size = last.memory_size = bytes.size() + table.size() - last.offset;
    victim.value(elf::dynamic_strings) = last.address + bytes.size() - last.offset;
    victim.value(elf::dynamic_strings_size) = table.size();
    bytes.insert(bytes.end(), table.begin(), table.end());
    use(victim, static_cast<std::uint32_t>(size));
    return victim.deep();
  };
  const auto name_symbols = [](std::uint64_t count) {
    return [count](Victim& victim, std::uint32_t name) {
      for (std::uint64_t i = 1; i <= count; ++i) {
        victim
            .at<elf::Symbol>(victim.place_of(victim.value(elf::dynamic_symbols)) +
                             i * sizeof(elf::Symbol))
            .name = name;
      }
    };
  };
  // Gives all symbols the first needed version.
  const auto name_versions = [](std::uint64_t count) {
    return [count](Victim& victim, std::uint32_t name) {
      const auto library = victim.place_of(victim.value(elf::dynamic_version_needs));
      const auto need = library + victim.at<elf::VersionNeed>(library).first;
      victim.at<std::uint32_t>(need + 8) = name;
      const auto number = victim.at<std::uint16_t>(need + 6);
      for (std::uint64_t i = 1; i <= count; ++i) {
        victim.at<std::uint16_t>(victim.place_of(victim.value(elf::dynamic_versions)) + 2 * i) =
            number;
      }
    };
  };
  const std::string too_long =
      "broken-file: names that are together four times as long as the file";
  EXPECT_EQ(with_name(65536, name_symbols(3)), "ok");
  EXPECT_EQ(with_name(65536, name_symbols(500)), too_long);
  EXPECT_EQ(with_name(65537, name_symbols(1)), "broken-file: a name of more than 64 KiB");
  EXPECT_EQ(with_name(4096, name_versions(3)), "ok");
  EXPECT_EQ(with_name(4096, name_versions(500)), too_long);
}

/// An entry of a dynamic section. Its value is the place of the text in the string table, or 0.
struct Added {
  std::uint64_t tag;
  std::string text = {};
};

/// Returns a module with further entries in its dynamic section, which moves to its end together
/// with the strings.
Victim with_entries(const std::vector<Added>& added) {
  Victim victim;
  Bytes& bytes = victim.bytes();
  std::vector<elf::DynamicEntry> entries;
  for (auto offset = victim.segment(elf::segment_dynamic).offset;; offset += sizeof entries[0]) {
    entries.push_back(victim.at<elf::DynamicEntry>(offset));
    if (entries.back().tag == elf::dynamic_end) break;
  }
  entries.pop_back();
  const auto strings = std::span(bytes).subspan(victim.place_of(victim.value(elf::dynamic_strings)),
                                                victim.value(elf::dynamic_strings_size));
  Bytes table(strings.begin(), strings.end());
  for (const Added& one : added) {
    entries.push_back({one.tag, one.text.empty() ? 0 : table.size()});
    const auto text = std::as_bytes(std::span(one.text));
    table.insert(table.end(), text.begin(), text.end());
    table.push_back({});
  }
  entries.push_back({elf::dynamic_end, 0});
  bytes.resize((bytes.size() + 15) / 16 * 16);
  elf::Segment& last = victim.load_of(victim.segment(elf::segment_dynamic).address);
  const std::uint64_t begin = bytes.size();
  const std::uint64_t end = begin + entries.size() * sizeof entries[0];
  for (elf::DynamicEntry& entry : entries) {
    if (entry.tag == elf::dynamic_strings) entry.value = last.address + end - last.offset;
    if (entry.tag == elf::dynamic_strings_size) entry.value = table.size();
  }
  elf::Segment& section = victim.segment(elf::segment_dynamic);
  section.offset = begin;
  section.address = last.address + begin - last.offset;
  section.file_size = section.memory_size = end - begin;
  last.file_size = last.memory_size = end + table.size() - last.offset;
  const auto moved = std::as_bytes(std::span(entries));
  bytes.insert(bytes.end(), moved.begin(), moved.end());
  bytes.insert(bytes.end(), table.begin(), table.end());
  return victim;
}

std::vector<Added> many(std::size_t count, const Added& entry) {
  return std::vector<Added>(count, entry);
}

TEST(BoundedWork, AcceptsAThousandLibraries) {
  // The module needs one already.
  const auto with = [](std::size_t count) {
    return with_entries(many(count - 1, {elf::dynamic_needed, "libx.so"})).deep();
  };
  EXPECT_EQ(with(1024), "ok");
  for (const std::size_t count : {1025, 4000}) {
    EXPECT_EQ(with(count), "broken-file: more than 1024 libraries needed");
  }
}

TEST(BoundedWork, AcceptsDynamicSectionsOfFourThousandEntries) {
  const auto entries = [](std::size_t count) {
    Victim victim;
    const auto section = victim.segment(elf::segment_dynamic).offset;
    std::size_t own = 1;  // with the end
    while (victim.at<elf::DynamicEntry>(section + (own - 1) * 16).tag != elf::dynamic_end) ++own;
    return with_entries(many(count - own, {elf::dynamic_unused})).deep();
  };
  EXPECT_EQ(entries(4096), "ok");
  for (const std::size_t count : {4097, 40'960}) {
    EXPECT_EQ(entries(count), "broken-file: a dynamic section without an end");
  }
}

TEST(BoundedWork, AcceptsLongNamesOfLibrariesAndRunPaths) {
  const auto with = [](std::uint64_t tag, std::size_t length) {
    return with_entries({{tag, std::string(length, 'x')}}).deep();
  };
  EXPECT_EQ(with(elf::dynamic_needed, 4095), "ok");
  for (const std::size_t length : {4096, 40'960}) {
    EXPECT_EQ(with(elf::dynamic_needed, length),
              "broken-file: the name of a library without an end");
  }
  EXPECT_EQ(with(elf::dynamic_runpath, 65535), "ok");
  for (const std::size_t length : {65536, 655'360}) {
    EXPECT_EQ(with(elf::dynamic_runpath, length), "broken-file: the run path without an end");
  }
}

/// Places a table of needed versions behind the module, in a larger last segment.
void replace_needed_versions(Victim& victim, std::span<const std::byte> table) {
  Bytes& bytes = victim.bytes();
  bytes.resize((bytes.size() + 15) / 16 * 16);
  elf::Segment& last = victim.load_of(victim.segment(elf::segment_dynamic).address);
  victim.value(elf::dynamic_version_needs) = last.address + bytes.size() - last.offset;
  last.file_size = last.memory_size = bytes.size() + table.size() - last.offset;
  bytes.insert(bytes.end(), table.begin(), table.end());
}

/// A version of a library, as large as the entry of its library.
struct NeededVersion {
  std::uint32_t hash;
  std::uint16_t flags;
  std::uint16_t number;
  std::uint32_t name;
  std::uint32_t next;
};

/// Returns a module that needs versions of as many libraries, and as many versions of the last one.
std::string with_versions(std::size_t libraries, std::size_t versions) {
  Victim victim;
  const auto old = victim.place_of(victim.value(elf::dynamic_version_needs));
  const auto library = victim.at<elf::VersionNeed>(old);
  auto version = victim.at<NeededVersion>(old + library.first);
  version.number = 99;  // none of a symbol is larger
  std::vector<std::array<std::byte, 16>> table;
  for (std::size_t left = libraries; left > 0; --left) {
    table.push_back(std::bit_cast<std::array<std::byte, 16>>(elf::VersionNeed{
        .version = 1,
        .count = 1,
        .file = library.file,
        .first = static_cast<std::uint32_t>((left == 1 ? 1 : left + versions - 1) * 16),
        .next = left > 1 ? 16U : 0}));
  }
  for (std::size_t left = versions; left > 0; --left) {
    version.next = left > 1 ? 16 : 0;
    table.push_back(std::bit_cast<std::array<std::byte, 16>>(version));
  }
  replace_needed_versions(victim, std::as_bytes(std::span(table)));
  return victim.deep();
}

TEST(BoundedWork, AcceptsSixtyThousandVersions) {
  EXPECT_EQ(with_versions(1, 65'535), "ok") << "65,536 entries with that of the library";
  for (const std::size_t count : {65'536, 655'360}) {
    EXPECT_EQ(with_versions(1, count),
              "broken-file: versions of symbols that contradict each other");
  }
}

TEST(BoundedWork, AcceptsVersionsOfAThousandLibraries) {
  EXPECT_EQ(with_versions(1'024, 1), "ok");
  for (const std::size_t count : {1'025, 10'240}) {
    EXPECT_EQ(with_versions(count, 1), "broken-file: versions of more than 1024 libraries");
  }
}

TEST(BoundedWork, LooksForSymbolsInTwoThousandLibraries) {
  // The module needs a thousand libraries, libc, which needs the dynamic loader, and two libraries
  // that need others. Most are one file with many names.
  const tests::World world;
  const auto write = [&](const std::string& name, Victim module) {
    return world.write(
        name, {reinterpret_cast<const char*>(module.bytes().data()), module.bytes().size()});
  };
  const auto path = [&](int number) {
    return (world.root() / std::to_string(number)).string() + ".so";
  };
  const fs::path first = write("0.so", Victim());
  for (int i = 1; i < 3'000; ++i) fs::create_hard_link(first, path(i));
  const auto needing = [&](int begin, int end) {
    std::vector<Added> needed;
    for (int i = begin; i < end; ++i) needed.push_back({elf::dynamic_needed, path(i)});
    return needed;
  };
  const auto are_read = [&](int libraries) {
    const int rest = libraries - 1'004;
    std::vector<Added> needed = needing(0, 1'000);
    for (const std::string name : {"a.so", "b.so"}) {
      fs::remove(world.root() / name);
      const int begin = name == "a.so" ? 1'000 : 1'500;
      const int end = name == "a.so" ? 1'500 : 1'000 + rest;
      needed.push_back({elf::dynamic_needed, write(name, with_entries(needing(begin, end)))});
    }
    const auto bundle = read_bundle(with_entries(needed).bytes(), world.root() / "x.so").value();
    const auto missing = undefined_symbols(bundle, platform::LibrarySearch());
    EXPECT_TRUE(!missing || missing->empty());
    return missing.has_value();
  };
  EXPECT_TRUE(are_read(2'048));
  EXPECT_FALSE(are_read(2'049));
}

TEST(BoundedWork, LimitsTheLookUpsOfAllFilesOfABundleTogether) {
  const tests::World world;
  std::string run_path = "$ORIGIN";
  for (int i = 1; i < 16; ++i) {
    const std::string name = "d" + std::to_string(i);
    fs::create_directory(world.root() / name);
    run_path += ":$ORIGIN/" + name;
  }
  // Each file looks for its one library of its own, which the first directory may have, and for
  // others that no directory has.
  const auto file = [&](std::size_t absent, const std::string& library) {
    std::vector<Added> entries = many(absent, {elf::dynamic_needed, "libabsent.so"});
    entries.push_back({elf::dynamic_needed, library});
    entries.push_back({elf::dynamic_runpath, run_path});
    return with_entries(entries);
  };
  const auto read = [&](std::size_t absent_of_second) {
    Victim second = file(absent_of_second, "libabsent.so");
    world.write("libsecond.so",
                {reinterpret_cast<const char*>(second.bytes().data()), second.bytes().size()});
    const auto bundle = read_bundle(file(510, "libsecond.so").bytes(), world.root() / "x.so");
    return bundle ? std::to_string(bundle->size()) + " files" : std::string(bundle.error().found());
  };
  // libc and the absent libraries of the first file take 511 * 16 look-ups, its own one takes 1.
  EXPECT_EQ(read(510), "2 files") << "16,369 look-ups";
  EXPECT_EQ(read(511), "more than 16384 possible paths of its libraries") << "16,385 look-ups";
}

TEST(BoundedWork, AcceptsThirtyTwoMegabytesOfStrings) {
  const auto with = [](std::uint64_t size) {
    Victim victim;
    victim.value(elf::dynamic_strings) = stretch(victim);
    victim.value(elf::dynamic_strings_size) = size;
    return in_a_huge_file(victim);
  };
  const std::string too_large = "a table of strings of more than 32 MiB";
  EXPECT_NE(with(32 << 20), too_large);
  EXPECT_EQ(with((32 << 20) + 1), too_large);
}

TEST(BoundedWork, AcceptsTwoMillionRelocations) {
  const auto with = [](std::uint64_t count) {
    Victim victim;
    victim.value(elf::dynamic_relocations) = stretch(victim);
    victim.value(elf::dynamic_relative_count) = 0;
    victim.value(elf::dynamic_relocations_size) = count * 24;
    return in_a_huge_file(victim);
  };
  const std::string too_many = "more than two million relocations";
  EXPECT_NE(with(1 << 21), too_many);
  EXPECT_EQ(with((1 << 21) + 1), too_many);
}

TEST(BoundedWork, AcceptsAMillionSymbols) {
  const auto with = [](std::uint32_t count) {
    Victim victim;
    victim.find(elf::dynamic_gnu_hash)->tag = elf::dynamic_hash;
    victim.value(elf::dynamic_hash) = stretch(victim);
    const std::uint32_t table[] = {1, count};
    const auto bytes = std::as_bytes(std::span(table));
    victim.bytes().insert(victim.bytes().end(), bytes.begin(), bytes.end());
    return in_a_huge_file(victim);
  };
  const std::string too_many = "more than a million symbols";
  EXPECT_NE(with(1 << 20), too_many);
  EXPECT_EQ(with((1 << 20) + 1), too_many);
  EXPECT_EQ(with(10 << 20), too_many);
}

TEST(BoundedWork, AcceptsChainsOfSixtyThousandSymbols) {
  // A filter of one word, one bucket, and a chain that has no symbol with the wanted hash.
  const auto with = [](std::size_t length) {
    Victim victim;
    Bytes& bytes = victim.bytes();
    bytes.resize((bytes.size() + 15) / 16 * 16);
    elf::Segment& last = victim.load_of(victim.segment(elf::segment_dynamic).address);
    victim.value(elf::dynamic_gnu_hash) = last.address + bytes.size() - last.offset;
    std::vector<std::uint32_t> table = {1, 1, 1, 0, 0, 0, 1};
    table.insert(table.end(), length - 1, 2);
    table.push_back(3);
    last.file_size = last.memory_size = bytes.size() + table.size() * 4 - last.offset;
    const auto added = std::as_bytes(std::span(table));
    bytes.insert(bytes.end(), added.begin(), added.end());
    return victim.shallow();
  };
  EXPECT_EQ(with(65536), "no-module-object: no exported object tenon_module_v1");
  for (const std::size_t length : {65537, 655'360}) {
    EXPECT_EQ(with(length), "broken-file: a hash table without an end");
  }
}

TEST(BoundedWork, AcceptsModuleObjectsOf64KiB) {
  const auto with = [](std::uint32_t size) {
    Victim victim;
    Bytes& bytes = victim.bytes();
    const auto object = [&] {
      MemorySource source("x.so", bytes);
      return ElfFile::open(source).value().find_object("tenon_module_v1").value()->address;
    }();
    bytes.resize(bytes.size() + 1'000'000);
    elf::Segment& last = victim.load_of(victim.segment(elf::segment_dynamic).address);
    last.file_size = last.memory_size = bytes.size() - last.offset;
    victim.at<std::uint32_t>(victim.place_of(object) + offsetof(tenon_module, struct_size)) = size;
    return victim.shallow();
  };
  EXPECT_EQ(with(65536), "ok");
  EXPECT_EQ(with(65544), "size-too-large: struct_size 65544 bytes");
  EXPECT_EQ(with(655'360), "size-too-large: struct_size 655360 bytes");
}

TEST(BoundedWork, AcceptsSixtyFourSegmentsOfOneKind) {
  // More program headers of a type than linkers write, behind the others.
  const auto with = [](std::uint32_t type, std::size_t count) {
    Victim victim;
    auto header = victim.at<elf::Header>(0);
    Bytes& bytes = victim.bytes();
    Bytes headers(bytes.begin() + static_cast<std::ptrdiff_t>(header.segments_offset),
                  bytes.begin() + static_cast<std::ptrdiff_t>(header.segments_offset +
                                                              header.segment_count * 56ULL));
    std::size_t own = 0;
    for (std::uint16_t i = 0; i < header.segment_count; ++i) {
      own += victim.at<elf::Segment>(header.segments_offset + i * 56ULL).type == type ? 1 : 0;
    }
    elf::Segment more = victim.segment(elf::segment_load, 0);
    more.type = type;
    if (type == elf::segment_load) more.file_size = more.memory_size = 1;
    for (std::size_t i = own; i < count; ++i) {
      if (type == elf::segment_load) more.address = (1 << 30) + i * 0x10000;
      const auto one = std::as_bytes(std::span(&more, 1));
      headers.insert(headers.end(), one.begin(), one.end());
    }
    header.segments_offset = bytes.size();
    header.segment_count = static_cast<std::uint16_t>(headers.size() / 56);
    victim.at<elf::Header>(0) = header;
    bytes.insert(bytes.end(), headers.begin(), headers.end());
    return victim.shallow();
  };
  const std::string too_many = "broken-file: more than 64 segments to load";
  EXPECT_NE(with(elf::segment_load, 64), too_many);
  EXPECT_EQ(with(elf::segment_load, 65), too_many);
  EXPECT_EQ(with(elf::segment_load, 640), too_many);
  EXPECT_NE(with(elf::segment_note, 64), "broken-file: more than 64 segments with notes");
  EXPECT_EQ(with(elf::segment_note, 65), "broken-file: more than 64 segments with notes");
  EXPECT_NE(with(elf::segment_unwinding, 60), "broken-file: more than 64 segments of one kind");
  EXPECT_EQ(with(elf::segment_unwinding, 65), "broken-file: more than 64 segments of one kind");
}

TEST(BoundedWork, AcceptsTwoHundredNotesInASegment) {
  const auto with = [](std::size_t count) {
    Victim victim;
    Bytes& bytes = victim.bytes();
    bytes.resize((bytes.size() + 15) / 16 * 16);
    const std::uint64_t begin = bytes.size();
    const std::uint32_t note[] = {0, 0, 77};  // no name, no text
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = std::as_bytes(std::span(note));
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    elf::Segment& last = victim.load_of(victim.segment(elf::segment_dynamic).address);
    last.file_size = last.memory_size = bytes.size() - last.offset;
    elf::Segment& notes = victim.segment(elf::segment_note);
    notes.alignment = 4;
    notes.offset = begin;
    notes.address = last.address + begin - last.offset;
    notes.file_size = notes.memory_size = bytes.size() - begin;
    return victim.shallow();
  };
  EXPECT_EQ(with(256).find("more than 256 notes"), std::string::npos);
  for (const std::size_t count : {257, 2570}) {
    EXPECT_EQ(with(count), "broken-file: more than 256 notes in one segment");
  }
}

TEST(BoundedWork, OpensOnlyRegularFiles) {
  const tests::World world;
  ASSERT_EQ(world.run({"mkfifo", "pipe.so"}).exit, 0);
  for (const auto& [path, found] :
       {std::pair{world.path("pipe.so"), "a pipe"}, std::pair{fs::path("/dev/null"), "a device"},
        std::pair{world.root(), "a directory"}}) {
    const auto file = open_module(path);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code(), "not-a-module");
    EXPECT_EQ(file.error().found(), found);
  }
}

}}  // namespace tenon::detail
