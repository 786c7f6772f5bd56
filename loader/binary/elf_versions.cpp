// SPDX-License-Identifier: BSL-1.0
#include "binary/elf_versions.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::string_view what = "the versions of symbols";
// More entries are treated as an attack.
constexpr unsigned max_entries = 65536;
constexpr std::uint16_t number_bits = 0x7fff;

/// A needed version of a library.
struct Need {
  std::uint32_t hash;
  std::uint16_t flags;
  std::uint16_t number;
  std::uint32_t name;
  std::uint32_t next;
};
static_assert(sizeof(Need) == 16);

struct Definition {
  std::uint16_t version;
  std::uint16_t flags;
  std::uint16_t number;
  std::uint16_t count;
  std::uint32_t hash;
  std::uint32_t first;
  std::uint32_t next;
};
static_assert(sizeof(Definition) == 20);

constexpr std::uint16_t base_flag = 1;  // of the definition that names the file itself
constexpr std::uint16_t weak_flag = 2;

class Tables {
 public:
  Tables(const ElfFile& file, const VersionTables& tables) : file_(file), tables_(tables) {}

  bool good() {
    const bool versioned = tables_.needs != 0 || tables_.definitions != 0;
    if (versioned && tables_.indices == 0) return false;  // the dynamic loader would read it
    const auto in_table = [this](std::uint32_t name) { return name < tables_.strings_size; };
    return walk_needs([&](const elf::VersionNeed& library, const Need& need) {
             highest_ = std::max<int>(highest_, need.number & number_bits);
             return in_table(library.file) && in_table(need.name);
           }) &&
           walk_definitions([&](const Definition& one, std::uint32_t name) {
             highest_ = std::max<int>(highest_, one.number & number_bits);
             return in_table(name);
           }) &&
           walk_indices([this](std::uint16_t index) { return (index & number_bits) <= highest_; });
  }

  ElfFile::Versions read(const ElfFile::Symbols& symbols) {
    ElfFile::Versions versions;
    walk_needs([&](const elf::VersionNeed& library, const Need& need) {
      versions.needed[need.number & number_bits] = {.library = symbols.text(library.file),
                                                    .name = symbols.text(need.name),
                                                    .weak = (need.flags & weak_flag) != 0};
      return true;
    });
    walk_definitions([&](const Definition& one, std::uint32_t name) {
      if ((one.flags & base_flag) == 0) {
        versions.defined[one.number & number_bits] = symbols.text(name);
      }
      return true;
    });
    walk_indices([&versions](std::uint16_t index) {
      versions.numbers.push_back(index & number_bits);
      return true;
    });
    return versions;
  }

 private:
  /// Visits entries like the dynamic loader: until one has no next.
  template <class Entry, class Visit>
  bool walk(std::uint64_t address, Visit visit) {
    for (; ++entries_ <= max_entries;) {
      Entry entry;
      if (!file_.read_address(address, entry, what) || !visit(entry, address)) return false;
      if (entry.next == 0) return true;
      address += entry.next;
    }
    return false;
  }

  template <class Visit>
  bool walk_needs(Visit visit) {
    if (tables_.needs == 0) return true;
    return walk<elf::VersionNeed>(tables_.needs, [&](const auto& library, auto address) {
      return walk<Need>(address + library.first,
                        [&](const Need& need, std::uint64_t) { return visit(library, need); });
    });
  }

  template <class Visit>
  bool walk_definitions(Visit visit) {
    if (tables_.definitions == 0) return true;
    return walk<Definition>(tables_.definitions, [&](const Definition& one, auto address) {
      std::uint32_t name = 0;
      return file_.read_address(address + one.first, name, what) && visit(one, name);
    });
  }

  template <class Visit>
  bool walk_indices(Visit visit) const {
    if (tables_.indices == 0) return true;
    std::array<std::uint16_t, 512> block;
    std::uint64_t at = 0;
    for (; tables_.symbols - at >= block.size(); at += block.size()) {
      if (!file_.read_address(tables_.indices + 2 * at, block, what)) return false;
      if (!std::all_of(block.begin(), block.end(), visit)) return false;
    }
    for (; at < tables_.symbols; ++at) {
      std::uint16_t one = 0;
      if (!file_.read_address(tables_.indices + 2 * at, one, what) || !visit(one)) return false;
    }
    return true;
  }

  const ElfFile& file_;
  const VersionTables& tables_;
  unsigned entries_ = 0;
  int highest_ = -1;
};

}  // namespace

std::string_view find_version_flaw(const ElfFile& file, const VersionTables& tables) {
  return Tables(file, tables).good() ? std::string_view()
                                     : "versions of symbols that contradict each other";
}

ElfFile::Versions read_versions(const ElfFile& file, const VersionTables& tables,
                                const ElfFile::Symbols& symbols) {
  return Tables(file, tables).read(symbols);
}

}}}  // namespace tenon::v0_1::detail
