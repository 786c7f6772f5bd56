// SPDX-License-Identifier: BSL-1.0
#include "binary/undefined_symbols.hpp"

#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "binary/byte_source.hpp"
#include "binary/needed_libraries.hpp"
#include "platform/file.hpp"
#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

// A module with more libraries is treated as an attack.
constexpr std::size_t max_files = 2048;

/// A symbol that is defined without a version satisfies every version.
constexpr std::string_view any_version = "@";
// Smaller numbers belong to symbols without a version.
constexpr std::uint16_t first_version = 2;

std::string with_version(std::string_view name, std::string_view version) {
  return std::string(name).append("@").append(version);
}

/// The symbols that all files that are loaded together export and need.
class SymbolSets {
 public:
  SymbolSets(const Bundle& bundle, const platform::LibrarySearch& search, const fs::path& program)
      : bundle_(bundle), search_(search), program_(program) {}

  /// Reads the files of the bundle, the program and, breadth first, all libraries that are loaded
  /// with them. Returns false if one of them cannot be read.
  bool read() {
    for (const BundleFile& file : bundle_) {
      const std::string where = file.path.string();
      MemorySource source(where, file.content);
      if (!add_file(source, file.path.filename().string(), true)) return false;
      own_.insert(file.path);
    }
    name_own_files();
    if (!queue_all(needed_libraries(bundle_, search_))) return false;
    if (!program_.empty()) queue_.push_back({program_.filename().string(), program_});
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      if (i == max_files || !add_library(NeededLibrary(queue_[i]))) return false;
    }
    return true;
  }

  std::vector<std::string> missing() const {
    std::set<std::string> missing;
    std::set<std::string_view> reported;  // versions
    for (const Symbol& symbol : needed_) {
      if (is_defined(symbol)) continue;
      missing.insert(symbol.version.empty() ? symbol.name
                                            : with_version(symbol.name, symbol.version));
      reported.insert(symbol.version);
    }
    for (const Version& version : needed_versions_) {
      if (reported.contains(version.name) || has(version)) continue;
      missing.insert("version " + version.name + " of " + version.library);
    }
    return {missing.begin(), missing.end()};
  }

 private:
  struct Symbol {
    std::string name, version;
  };
  struct Version {
    std::string library, name;
  };
  using Names = std::unordered_set<std::string>;

  bool is_defined(const Symbol& symbol) const {
    if (program_.empty() && is_in_process(symbol)) return true;
    if (symbol.version.empty()) return exported_.contains(symbol.name);
    return exported_.contains(with_version(symbol.name, symbol.version)) ||
           exported_.contains(symbol.name + std::string(any_version));
  }
  /// Returns whether the program of this process, or a library that it was started with, exports
  /// the symbol.
  static bool is_in_process(const Symbol& symbol) {
    const char* name = symbol.name.c_str();
    return symbol.version.empty() ? platform::has_global_symbol(name)
                                  : platform::has_global_symbol(name, symbol.version.c_str());
  }

  /// A library without versions satisfies all of them.
  bool has(const Version& version) const {
    const auto library = versions_.find(version.library);
    return library == versions_.end() || library->second.empty() ||
           library->second.contains(version.name);
  }

  /// Enters the versions of files of the bundle under the names by which other files need them.
  void name_own_files() {
    std::vector<Names> own;
    for (const BundleFile& file : bundle_) own.push_back(versions_[file.path.filename().string()]);
    for (const BundleFile& file : bundle_) {
      for (const Needed& needed : file.needed) {
        if (needed.own) versions_[needed.name.text] = own[*needed.own];
      }
    }
  }

  bool add_library(const NeededLibrary& library) {
    const auto file = platform::File::open(library.path);
    if (!file) return false;
    FileSource source(*file);
    if (!add_file(source, library.name, false)) return false;
    const auto bundle = inspect_bundle(*file, ElfFile::Accepts::programs);
    return bundle && queue_all(needed_libraries(*bundle, search_));
  }

  bool queue_all(const std::vector<NeededLibrary>& libraries) {
    for (const NeededLibrary& library : libraries) {
      // Compare names: the file that needed it first may have found it in another directory.
      if (own_.contains(library.path) || !seen_.insert(library.name).second) continue;
      if (library.path.empty()) return false;
      queue_.push_back(library);
    }
    return true;
  }

  /// Adds the symbols of a file; its imports only if `counts`.
  bool add_file(ByteSource& source, const std::string& name, bool counts) {
    const auto elf = ElfFile::open(source, ElfFile::Accepts::programs);
    if (!elf) return false;
    const auto symbols = elf->symbols();
    if (!symbols) return false;
    const ElfFile::Versions versions = elf->versions(*symbols);
    Names& defined = versions_[name];
    for (const auto& [number, version] : versions.defined) defined.emplace(version);
    for (const auto& [number, version] : versions.needed) {
      if (!counts || version.weak) continue;
      needed_versions_.push_back({std::string(version.library), std::string(version.name)});
    }
    for (std::size_t i = 0; i < symbols->all().size(); ++i) {
      const elf::Symbol& symbol = symbols->all()[i];
      const std::uint16_t number = i < versions.numbers.size() ? versions.numbers[i] : 0;
      if (symbol.section != elf::section_undefined) {
        add_exported(symbols->name(symbol), number, versions);
      } else if (counts && symbol.binding() == elf::binding_global) {
        add_needed(symbols->name(symbol), number, versions);
      }
    }
    return true;
  }

  void add_exported(std::string_view name, std::uint16_t number,
                    const ElfFile::Versions& versions) {
    exported_.emplace(name);
    const auto version = versions.defined.find(number);
    const bool plain = number < first_version || version == versions.defined.end();
    exported_.insert(plain ? std::string(name).append(any_version)
                           : with_version(name, version->second));
  }

  void add_needed(std::string_view name, std::uint16_t number, const ElfFile::Versions& versions) {
    const auto version = versions.needed.find(number);
    const bool plain = number < first_version || version == versions.needed.end();
    needed_.push_back({std::string(name), plain ? "" : std::string(version->second.name)});
  }

  const Bundle& bundle_;
  const platform::LibrarySearch& search_;
  const fs::path& program_;  // the host; empty if that is this process
  std::vector<NeededLibrary> queue_;
  std::set<fs::path> own_;  // files of the bundle
  Names seen_, exported_;
  std::unordered_map<std::string, Names> versions_;  // versions that libraries define

  std::vector<Symbol> needed_;
  std::vector<Version> needed_versions_;
};

}  // namespace

std::optional<std::vector<std::string>> undefined_symbols(const Bundle& bundle,
                                                          const platform::LibrarySearch& search,
                                                          const fs::path& program) {
  SymbolSets sets(bundle, search, program);
  if (!sets.read()) return std::nullopt;
  return sets.missing();
}

}}}  // namespace tenon::v0_1::detail
