// SPDX-License-Identifier: BSL-1.0
//
// Makes copies of the files of a bundle that can be loaded beside other loads of the same files.
#include <algorithm>
#include <cstring>
#include <optional>

#include "binary/bundle.hpp"

namespace tenon {
namespace {

// The last characters become a mark that no name of a library
// has, and a number.
constexpr char mark = '~';
constexpr std::size_t digits = 5;
constexpr std::string_view alphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A name as long as `name` for the library with this number; nothing where it has no room.
std::optional<std::string> private_name(std::string name, std::uint64_t number) {
  const std::size_t room = std::min(name.size(), digits + 1);
  for (std::size_t i = 1; i < room; i++) {
    name[name.size() - i] = alphabet[number % alphabet.size()];
    number /= alphabet.size();
  }
  if (room == 0 || number != 0) return std::nullopt;
  name[name.size() - room] = mark;
  return name;
}

/// The folder of the file itself, in as many characters.
std::string private_folder(std::size_t size) {
  std::string folder = "$ORIGIN";
  folder.resize(size, '/');
  return folder;
}

/// The run path in as many characters, with the folder of the file itself for those near it.
std::string private_run_path(std::string path) {
  const std::string old = path;
  for (const std::string_view folder : folders_of(old)) {
    if (!is_near(folder)) continue;
    const auto at = static_cast<std::size_t>(folder.data() - old.data());
    path.replace(at, folder.size(), private_folder(folder.size()));
  }
  return path;
}

/// How a file names the library with this number in its own folder, in as many characters as it
/// names it now: by name or by path. Nothing where the name has no room.
std::optional<std::string> private_needed(const std::string& text, std::uint64_t number) {
  const auto slash = text.rfind('/');
  const auto begin = slash == std::string::npos ? 0 : slash + 1;
  const auto name = private_name(text.substr(begin), number);
  if (!name) return std::nullopt;
  return begin == 0 ? *name : private_folder(begin) + *name;
}

/// Changes one file in memory. Texts keep their length.
class Patch {
 public:
  explicit Patch(BundleFile& file) : file_(file) {}

  void text(const ElfFile::Text& old, std::string fresh) {
    write(old.place, fresh.data(), fresh.size());
    wanted_.push_back({std::move(fresh), old.place});
  }
  void keep(const ElfFile::Text& text) { wanted_.push_back(text); }
  void unique_symbols() {
    for (const std::uint64_t place : file_.pins.unique) {
      std::uint8_t info;
      std::memcpy(&info, file_.content.data() + place, sizeof info);
      info = static_cast<std::uint8_t>(elf::binding_global << 4 | (info & 0xf));
      write(place, &info, sizeof info);
    }
  }
  /// So that no other image that needs a library of this name gets this one.
  void own_name() {
    if (file_.linkage.soname) {
      write(*file_.linkage.soname, &elf::dynamic_unused, sizeof elf::dynamic_unused);
    }
  }
  /// Linkers let one text be the end of another; where a change of the one has spoiled the other,
  /// that is answered.
  const ElfFile::Text* spoiled() const {
    const auto stands = [&](const ElfFile::Text& wanted) {
      const auto size = wanted.text.size() + 1;
      return std::memcmp(file_.content.data() + wanted.place, wanted.text.c_str(), size) == 0;
    };
    const auto found = std::find_if_not(wanted_.begin(), wanted_.end(), stands);
    return found != wanted_.end() ? &*found : nullptr;
  }

 private:
  // All places are those that the reader found inside of the file.
  void write(std::uint64_t place, const void* bytes, std::size_t size) {
    std::memcpy(file_.content.data() + place, bytes, size);
  }

  BundleFile& file_;
  std::vector<ElfFile::Text> wanted_;
};

Error no_room(const BundleFile& file, std::string_view name) {
  return Error({.code = "load-failed",
                .where = file.path.string(),
                .found = "the name " + std::string(name) +
                         " in its table of strings, which cannot be changed",
                .needed = "names of the libraries beside it that can be made unique",
                .fix = "give the library a longer name, which is not the end of another one"});
}

/// Copies of files from several folders lie in one, and these may name their debug information
/// alike.
void rename_debug_link(BundleFile& file, std::uint64_t number, Patch& patch) {
  if (!file.debug) return;
  ElfFile::Text& link = file.debug->link;
  auto fresh = private_name(link.text, number);
  if (!fresh) return file.debug.reset();
  patch.text(link, *fresh);
  link.text = std::move(*fresh);
}

/// The names of a file in a copy of its needs.
using Names = std::vector<std::vector<std::string>>;

/// `number` is that of the bundle, `own` that of the file.
Result<void> change(BundleFile& file, std::uint64_t number, std::uint64_t own, Names& names) {
  Patch patch(file);
  rename_debug_link(file, own, patch);
  patch.unique_symbols();
  patch.own_name();
  if (const auto& path = file.linkage.run_path) patch.text(*path, private_run_path(path->text));
  for (const Needed& needed : file.needed) {
    if (!needed.own) {
      patch.keep(needed.name);
      continue;
    }
    const auto fresh = private_needed(needed.name.text, number + *needed.own);
    if (!fresh) return no_room(file, needed.name.text);
    patch.text(needed.name, *fresh);
    for (const auto& name : file.linkage.versions_of) {
      if (name.text == needed.name.text) patch.text(name, *fresh);
    }
    auto& known = names[*needed.own];
    const std::string name = fresh->substr(fresh->rfind('/') + 1);
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  if (const auto* text = patch.spoiled()) return no_room(file, text->text);
  return {};
}

}  // namespace

Result<std::vector<std::vector<std::string>>> make_private(Bundle& bundle, std::uint64_t number) {
  Names names(bundle.size());
  for (std::size_t i = 0; i < bundle.size(); i++) {
    auto changed = change(bundle[i], number, number + i, names);
    if (!changed) return std::move(changed).error();
  }
  return names;
}

}  // namespace tenon
