// SPDX-License-Identifier: BSL-1.0
#include "manifest/elf_versions.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tenon {
namespace {

constexpr std::string_view what = "the versions of symbols";
// More is taken for an attack.
constexpr unsigned most_entries = 65536;
constexpr std::uint16_t number_bits = 0x7fff;

/// A version of a library, or a name of a version that the file defines: the part in common.
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

class Versions {
 public:
  Versions(const ElfFile& file, const VersionTables& tables) : file_(file), tables_(tables) {}

  bool good() {
    const bool versioned = tables_.needs != 0 || tables_.definitions != 0;
    if (versioned && tables_.indices == 0) return false;  // which the loader reads then
    return walk_needs() && walk_definitions() && check_indices();
  }

 private:
  /// Visits entries as the loader does: until one names no next.
  template <class Entry, class Visit>
  bool walk(std::uint64_t address, Visit visit) {
    for (; ++entries_ <= most_entries;) {
      Entry entry;
      if (!file_.read_address(address, entry, what) || !visit(entry, address)) return false;
      if (entry.next == 0) return true;
      address += entry.next;
    }
    return false;
  }

  bool walk_needs() {
    if (tables_.needs == 0) return true;
    return walk<elf::VersionNeed>(tables_.needs, [this](const auto& library, auto address) {
      return library.file < tables_.strings_size &&
             walk<Need>(address + library.first, [this](const Need& need, std::uint64_t) {
               highest_ = std::max<int>(highest_, need.number & number_bits);
               return need.name < tables_.strings_size;
             });
    });
  }

  bool walk_definitions() {
    if (tables_.definitions == 0) return true;
    return walk<Definition>(tables_.definitions, [this](const Definition& one, auto address) {
      highest_ = std::max<int>(highest_, one.number & number_bits);
      std::uint32_t name = 0;
      return file_.read_address(address + one.first, name, what) && name < tables_.strings_size;
    });
  }

  bool check_indices() const {
    if (tables_.indices == 0) return true;
    std::array<std::uint16_t, 512> block;
    std::uint64_t at = 0;
    for (; tables_.symbols - at >= block.size(); at += block.size()) {
      if (!file_.read_address(tables_.indices + 2 * at, block, what)) return false;
      if (!std::all_of(block.begin(), block.end(), [this](auto one) { return known(one); })) {
        return false;
      }
    }
    for (; at < tables_.symbols; at++) {
      std::uint16_t one = 0;
      if (!file_.read_address(tables_.indices + 2 * at, one, what) || !known(one)) return false;
    }
    return true;
  }
  bool known(std::uint16_t index) const { return (index & number_bits) <= highest_; }

  const ElfFile& file_;
  const VersionTables& tables_;
  unsigned entries_ = 0;
  int highest_ = -1;
};

}  // namespace

std::string_view flaw_of_versions(const ElfFile& file, const VersionTables& tables) {
  return Versions(file, tables).good() ? std::string_view()
                                       : "versions of symbols that contradict each other";
}

}  // namespace tenon
