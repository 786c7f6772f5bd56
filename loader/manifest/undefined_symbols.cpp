// SPDX-License-Identifier: BSL-1.0
#include "manifest/undefined_symbols.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "manifest/byte_source.hpp"
#include "manifest/needed_libraries.hpp"
#include "platform/file.hpp"
#include "platform/image_map.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// A module with more is an attack.
constexpr std::size_t most_files = 2048;

/// What all files that are loaded together export and need.
class SymbolSets {
 public:
  explicit SymbolSets(const Bundle& bundle) : bundle_(bundle) {}

  /// Reads the module and, breadth first, all libraries that are loaded with it. False: one of them
  /// cannot be read.
  bool read() {
    queue_.push_back(bundle_[0].path);
    for (std::size_t i = 0; i < queue_.size(); i++) {
      if (i == most_files || !add_file(fs::path(queue_[i]))) return false;
    }
    return true;
  }

  std::vector<std::string> missing() const {
    std::set<std::string> missing;
    for (const std::string& name : needed_) {
      if (!exported_.contains(name) && !platform::has_global_symbol(name.c_str())) {
        missing.insert(name);
      }
    }
    return {missing.begin(), missing.end()};
  }

 private:
  bool add_file(const fs::path& path) {
    const auto file = platform::File::open(path);
    if (!file) return false;
    FileSource source(*file);
    const auto elf = ElfFile::open(source);
    if (!elf) return false;
    const auto symbols = elf->symbols();
    if (!symbols) return false;
    const bool counts = std::any_of(bundle_.begin(), bundle_.end(),
                                    [&path](const BundleFile& one) { return one.path == path; });
    for (const elf::Symbol& symbol : symbols->all()) add_symbol(symbol, *symbols, counts);
    const auto bundle = look_at_bundle(*file);
    return bundle && add_libraries(needed_libraries(*bundle));
  }

  bool add_libraries(const std::vector<NeededLibrary>& libraries) {
    for (const NeededLibrary& library : libraries) {
      // Who needed it first may have known another folder.
      if (!seen_.insert(library.name).second) continue;
      if (library.path.empty()) return false;
      queue_.push_back(library.path);
    }
    return true;
  }

  void add_symbol(const elf::Symbol& symbol, const ElfFile::Symbols& symbols, bool counts) {
    const std::string_view name = symbols.name(symbol);
    if (symbol.section != elf::section_undefined) {
      exported_.emplace(name);
    } else if (counts && symbol.binding() == elf::binding_global) {
      needed_.emplace_back(name);
    }
  }

  const Bundle& bundle_;
  std::vector<fs::path> queue_;
  std::unordered_set<std::string> seen_, exported_;
  std::vector<std::string> needed_;
};

}  // namespace

std::vector<std::string> undefined_symbols(const Bundle& bundle) {
  SymbolSets sets(bundle);
  return sets.read() ? sets.missing() : std::vector<std::string>();
}

}  // namespace tenon
