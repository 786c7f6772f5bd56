// SPDX-License-Identifier: BSL-1.0
//
// Changes the files of a bundle so that they can be loaded next to other copies of the same files.
#include <algorithm>
#include <cstring>
#include <optional>

#include "binary/bundle.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// The last characters of a name are replaced by a mark that names of libraries do not contain, and
// a number. Debug information has a mark of its own, because it may have the name of its library.
constexpr char mark_of_libraries = '~';
constexpr char mark_of_debug_files = '#';
constexpr std::size_t digits = 5;
constexpr std::string_view all_digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// Windows ignores the case of names.
constexpr std::string_view alphabet = all_digits.substr(0, platform::loads_dlls ? 36 : 62);

/// Returns a name of the same length for the file with this number; nothing if it is too short.
std::optional<std::string> private_name(std::string name, std::uint64_t number, char mark) {
  const std::size_t replaced = std::min(name.size(), digits + 1);
  for (std::size_t i = 1; i < replaced; ++i) {
    name[name.size() - i] = alphabet[number % alphabet.size()];
    number /= alphabet.size();
  }
  if (replaced == 0 || number != 0) return std::nullopt;
  name[name.size() - replaced] = mark;
  std::ranges::replace(name, '$', '_');  // the dynamic loader would expand $ORIGIN or $LIB
  return name;
}

/// Returns a path of `size` characters to the directory of the file itself.
std::string private_directory(std::size_t size) {
  std::string directory = "$ORIGIN";
  directory.resize(size, '/');
  return directory;
}

/// Returns a run path of the same length in which the directory of the file replaces directories
/// with $ORIGIN.
std::string private_run_path(std::string path) {
  const std::string old = path;
  for (const std::string_view directory : directories_of(old)) {
    if (!has_origin(directory)) continue;
    const auto at = static_cast<std::size_t>(directory.data() - old.data());
    path.replace(at, directory.size(), private_directory(directory.size()));
  }
  return path;
}

/// Returns the name or path, of the same length, by which a file refers to the library with this
/// number in its own directory. Nothing if the name is too short.
std::optional<std::string> private_needed(const std::string& text, std::uint64_t number) {
  const auto slash = text.rfind('/');
  const auto begin = slash == std::string::npos ? 0 : slash + 1;
  // Windows appends ".dll" to names without an extension.
  const auto end = platform::loads_dlls ? std::min(text.rfind('.'), text.size()) : text.size();
  auto name = private_name(text.substr(begin, end - begin), number, mark_of_libraries);
  if (!name) return std::nullopt;
  *name += text.substr(end);
  return begin == 0 ? *name : private_directory(begin) + *name;
}

/// Changes one file in memory. Texts keep their length.
class Patch {
 public:
  explicit Patch(BundleFile& file) : file_(file) {}

  void replace(const ElfFile::Text& old, std::string fresh) {
    write(old.offset, fresh.data(), fresh.size());
    expected_.push_back({std::move(fresh), old.offset});
  }
  void keep(const ElfFile::Text& text) { expected_.push_back(text); }
  void make_symbols_global() {
    for (const std::uint64_t offset : file_.blockers.unique) {
      std::uint8_t info;
      std::memcpy(&info, file_.content.data() + offset, sizeof info);
      info = static_cast<std::uint8_t>(elf::binding_global << 4 | (info & 0xf));
      write(offset, &info, sizeof info);
    }
  }
  /// Removes the soname, so that other images that need a library of this name do not get this one.
  void remove_soname() {
    if (file_.linkage.soname) {
      write(*file_.linkage.soname, &elf::dynamic_unused, sizeof elf::dynamic_unused);
    }
  }
  /// Returns a text that another change has overwritten; nullptr if there is none. Linkers store a
  /// text that is the end of another only once.
  const ElfFile::Text* overwritten() const {
    const auto is_intact = [&](const ElfFile::Text& expected) {
      const auto size = expected.text.size() + 1;
      return std::memcmp(file_.content.data() + expected.offset, expected.text.c_str(), size) == 0;
    };
    const auto found = std::find_if_not(expected_.begin(), expected_.end(), is_intact);
    return found != expected_.end() ? &*found : nullptr;
  }

 private:
  // The reader has checked that all offsets lie in the file.
  void write(std::uint64_t offset, const void* bytes, std::size_t size) {
    std::memcpy(file_.content.data() + offset, bytes, size);
  }

  BundleFile& file_;
  std::vector<ElfFile::Text> expected_;
};

Error not_changeable(const BundleFile& file, std::string_view name) {
  return Error({.code = "load-failed",
                .where = file.path.string(),
                .found = "the name " + std::string(name) +
                         " in its table of strings, which cannot be changed",
                .needed = "names of the libraries next to it that can be made unique",
                .fix = "give the library a longer name, which is not the end of another one"});
}

/// Gives the debug information a unique name: the copies of all files lie in one directory, and
/// files from several directories may use the same name.
void rename_debug_link(BundleFile& file, std::uint64_t number, Patch& patch) {
  if (!file.debug) return;
  ElfFile::Text& link = file.debug->link;
  auto fresh = private_name(link.text, number, mark_of_debug_files);
  if (!fresh) return file.debug.reset();
  patch.replace(link, *fresh);
  link.text = std::move(*fresh);
}

/// For each file of a bundle, the names that its copy must have.
using Names = std::vector<std::vector<std::string>>;

/// Changes one file. `number` is the first number of the bundle, `own` the number of the file.
Result<void> change(BundleFile& file, std::uint64_t number, std::uint64_t own, Names& names) {
  Patch patch(file);
  rename_debug_link(file, own, patch);
  patch.make_symbols_global();
  patch.remove_soname();
  if (const auto& path = file.linkage.run_path) patch.replace(*path, private_run_path(path->text));
  for (const Needed& needed : file.needed) {
    if (!needed.own) {
      patch.keep(needed.name);
      continue;
    }
    const auto fresh = private_needed(needed.name.text, number + *needed.own);
    if (!fresh) return not_changeable(file, needed.name.text);
    patch.replace(needed.name, *fresh);
    for (const auto& name : file.linkage.versions_of) {
      if (name.text == needed.name.text) patch.replace(name, *fresh);
    }
    auto& known = names[*needed.own];
    const std::string name = fresh->substr(fresh->rfind('/') + 1);
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  if (const auto* text = patch.overwritten()) return not_changeable(file, text->text);
  return {};
}

}  // namespace

Result<std::vector<std::vector<std::string>>> make_private(Bundle& bundle, std::uint64_t number) {
  Names names(bundle.size());
  for (std::size_t i = 0; i < bundle.size(); ++i) {
    auto changed = change(bundle[i], number, number + i, names);
    if (!changed) return std::move(changed).error();
  }
  return names;
}

}}}  // namespace tenon::v0_1::detail
