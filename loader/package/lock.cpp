// SPDX-License-Identifier: BSL-1.0
#include "package/lock.hpp"

#include <tenon/detail/arena.hpp>
#include <tenon/detail/other_program.hpp>
#include <tenon/document.hpp>
#include <tenon/lock_json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <system_error>
#include <tuple>

#include "base/quote.hpp"
#include "package/document_file.hpp"
#include "package/name.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

constexpr DocumentFile lock_type = {.type = "tenon.dev/lock",
                                    .name = "lock",
                                    .broken_code = "broken-lock",
                                    .fix = "restore the file, or regenerate it with tenon lock"};
constexpr std::string_view builtin_source = "builtin";

Error broken(const fs::path& file, std::string_view json_path, std::string found,
             std::string needed) {
  return broken_document(lock_type, file, json_path, std::move(found), std::move(needed));
}

// The prefix of a path that contains bytes as %XX, for file names that are not UTF-8 or have
// another meaning in a lock file.
constexpr std::string_view escaped = "file:";

std::string text_of(const fs::path& path) {
  std::string text = path.generic_string();  // so that other systems can read it
  if (text != builtin_source && !text.starts_with(escaped) && valid_utf8(text) == text) return text;
  std::string result(escaped);
  for (const char c : text) {
    if (c != '%' && static_cast<unsigned char>(c) < 0x80) {
      result += c;
    } else {
      constexpr std::string_view digits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return result;
}

/// Returns nothing if a '%' is not followed by two hexadecimal digits.
std::optional<fs::path> path_of(std::string_view text) {
  if (!text.starts_with(escaped)) return fs::path(text);
  std::string path;
  for (text.remove_prefix(escaped.size()); !text.empty(); text.remove_prefix(1)) {
    if (text.front() != '%') {
      path += text.front();
      continue;
    }
    unsigned byte = 0;
    const char* const digits = text.data() + 1;
    if (text.size() < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return std::nullopt;
    }
    path += static_cast<char>(byte);
    text.remove_prefix(2);
  }
  return path;
}

bool comes_before(const LockedPackage& a, const LockedPackage& b) {
  const int names = a.name.compare(b.name);
  return names != 0 ? names < 0 : total_order(a.version, b.version) < 0;
}

/// Returns the full path of the directory of a lock; empty if there is none, because the path is
/// empty or the working directory was removed.
fs::path directory_of(const fs::path& lock) {
  std::error_code ignored;
  return fs::absolute(lock, ignored).lexically_normal().parent_path();
}

class LockReader {
 public:
  explicit LockReader(const fs::path& file) : file_(file), directory_(directory_of(file)) {}

  Result<std::vector<LockedPackage>> read(const Lock& document) {
    std::vector<LockedPackage> packages;
    for (std::size_t i = 0; i < document.packages.size(); ++i) {
      auto package = read(document.packages[i], "value.packages[" + std::to_string(i) + "]");
      if (!package) return std::move(package).error();
      packages.push_back(std::move(*package));
    }
    std::sort(packages.begin(), packages.end(), comes_before);
    const auto duplicate =
        std::adjacent_find(packages.begin(), packages.end(),
                           [](const auto& a, const auto& b) { return !comes_before(a, b); });
    if (duplicate == packages.end()) return packages;
    return broken(file_, "value.packages",
                  duplicate->name + " " + duplicate->version.to_string() + " twice",
                  "each version of a package once");
  }

 private:
  Result<LockedPackage> read(const Lock::Package& stored, const std::string& json_path) {
    if (const auto problem = name_problem(stored.name); !problem.empty()) {
      return broken(file_, json_path + ".name",
                    in_quotes(stored.name) + ", which " + std::string(problem), "domain/name");
    }
    auto version = Version::parse(stored.version);
    if (!version) {
      return broken(file_, json_path + ".version",
                    in_quotes(stored.version) + ": " + std::string(version.error().found()),
                    std::string(version.error().needed()));
    }
    LockedPackage package{.name = stored.name, .version = std::move(*version)};
    if (stored.source == builtin_source && !stored.sha256) return package;
    const auto source = read_path(stored.source, json_path + ".source", "a file, or \"builtin\"");
    if (!source) return source.error();
    auto hash = read_hash(stored.sha256.value_or(""), json_path + ".sha256");
    if (!hash) return std::move(hash).error();
    package.sha256 = std::move(*hash);
    package.source = (directory_ / *source).lexically_normal();
    if (auto read = read_libraries(stored, json_path, package.libraries); !read) {
      return std::move(read).error();
    }
    return package;
  }

  Result<void> read_libraries(const Lock::Package& stored, const std::string& json_path,
                              std::vector<LockedLibrary>& libraries) const {
    for (std::size_t i = 0; i < stored.libraries.size(); ++i) {
      const auto at = json_path + ".libraries[" + std::to_string(i) + "]";
      auto path = read_path(stored.libraries[i].path, at + ".path", "the path of a library");
      if (!path) return std::move(path).error();
      auto sum = read_hash(stored.libraries[i].sha256, at + ".sha256");
      if (!sum) return std::move(sum).error();
      libraries.push_back({path->lexically_normal(), std::move(*sum)});
    }
    std::ranges::sort(libraries, {}, &LockedLibrary::path);
    const auto duplicate = std::ranges::adjacent_find(libraries, {}, &LockedLibrary::path);
    if (duplicate == libraries.end()) return {};
    return broken(file_, json_path + ".libraries", in_quotes(duplicate->path.string()) + " twice",
                  "each library once");
  }

  Result<fs::path> read_path(std::string_view text, const std::string& json_path,
                             const char* needed) const {
    auto path = path_of(text);
    if (!path)
      return broken(file_, json_path, in_quotes(text), "two hexadecimal digits after each %");
    if (path->empty()) return broken(file_, json_path, "nothing", needed);
    return std::move(*path);
  }
  Result<std::string> read_hash(const std::string& text, const std::string& json_path) const {
    if (is_sha256(text)) return text;
    return broken(file_, json_path, text.empty() ? "nothing" : in_quotes(text),
                  "64 lowercase hexadecimal digits");
  }

  const fs::path& file_;
  const fs::path directory_;
};

/// Returns the path of a file in the lock: relative if the file is below the directory of the lock.
std::string source_of(const LockedPackage& package, const fs::path& directory) {
  if (package.builtin()) return std::string(builtin_source);
  const fs::path source = package.source.lexically_normal();
  const fs::path inside = source.lexically_relative(directory);
  const bool below = !inside.empty() && *inside.begin() != "..";
  return text_of(below ? inside : source);
}

std::vector<Lock::Library> stored_libraries(const LockedPackage& package) {
  std::vector<Lock::Library> stored;
  for (const LockedLibrary& library : package.libraries) {
    stored.push_back({.path = text_of(library.path), .sha256 = library.sha256});
  }
  std::ranges::sort(stored, {}, &Lock::Library::path);
  return stored;
}

/// Returns the program that wrote a lock; empty if the lock does not say.
std::string writer_of(std::string_view text) {
  Arena arena;
  Conversion conversion(arena.raw());
  json::Parser parser;
  const auto document = read_document(conversion, parser, text, {.type = lock_type.type});
  return document ? std::string(document->writer) : std::string();
}

bool lists_files(const std::vector<LockedPackage>& packages) {
  return std::ranges::any_of(packages, [](const auto& package) { return !package.builtin(); });
}

/// Puts each package on a line of its own, so that people can compare locks. Quotes inside of texts
/// are escaped, so the search finds only packages.
std::string one_package_per_line(std::string text) {
  constexpr std::string_view package = R"({"name":)";
  for (auto at = text.find(package); at != std::string::npos; at = text.find(package, at + 8)) {
    text.insert(at, "\n  ");
  }
  return text + "\n";
}

}  // namespace

Result<std::vector<LockedPackage>> parse_lock(std::string_view text, const fs::path& file) {
  const Result<Lock> document = read_lock(text);
  if (!document) return unreadable_document(lock_type, file, document.error());
  return LockReader(file).read(*document);
}

Result<std::vector<LockedPackage>> read_lock_file(const fs::path& file) {
  const auto text = read_document_file(file);
  if (!text) return text.error();
  return parse_lock(*text, file);
}

Result<LockContents> lock_contents(const fs::path& file) {
  const auto packages = read_lock_file(file);
  if (!packages) return packages.error();
  LockContents contents;
  for (const LockedPackage& package : *packages) {
    auto& files = contents[{package.name, package.version.to_string()}];
    if (!package.builtin()) files[""] = package.sha256;
    for (const LockedLibrary& library : package.libraries) {
      files[library.path.string()] = library.sha256;
    }
  }
  return contents;
}

Result<void> check_replaceable(const fs::path& file, const std::vector<LockedPackage>& packages,
                               std::string_view writer) {
  const auto text = read_document_file(file);
  if (!text) return {};
  const auto existing = parse_lock(*text, file);
  if (!existing) return {};
  const std::string other = writer_of(*text);
  if (!other.empty() && other != writer) {
    return Error({.code = "lock-kept",
                  .where = file.string(),
                  .found = "a lock of " + escaped_for_display(other),
                  .needed = "a lock of " + escaped_for_display(writer) + ", or no file",
                  .fix = "name the app of the lock, or another file, or remove this one"});
  }
  if (!lists_files(packages) && lists_files(*existing)) {
    return Error(
        {.code = "lock-kept",
         .where = file.string(),
         .found = "a lock of modules, but no module that " + escaped_for_display(writer) + " uses",
         .needed = "a module that " + escaped_for_display(writer) + " uses, or no file",
         .fix = "correct the plugin path, or remove the file"});
  }
  return {};
}

Result<void> write_lock_file(const fs::path& file, std::vector<LockedPackage> packages,
                             std::string_view writer) {
  std::sort(packages.begin(), packages.end(), comes_before);
  const fs::path directory = directory_of(file);
  Lock document;
  for (const LockedPackage& package : packages) {
    document.packages.push_back(
        {.name = package.name,
         .version = package.version.to_string(),
         .sha256 = package.builtin() ? std::nullopt : std::optional(package.sha256),
         .source = source_of(package, directory),
         .libraries = stored_libraries(package)});
  }
  const Result<std::string> text = store_lock(document, writer);
  if (!text) return text.error();
  const std::string lines = one_package_per_line(*text);
  return platform::replace_file(file, std::as_bytes(std::span(lines)));
}

}}}  // namespace tenon::v0_1::detail
