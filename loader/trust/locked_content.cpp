// SPDX-License-Identifier: BSL-1.0
#include "trust/locked_content.hpp"

#include <tenon/file_hash.hpp>

#include <algorithm>
#include <string>

#include "package/repository.hpp"
#include "platform/file.hpp"
#include "trust/outside_libraries.hpp"
#include "trust/sha256.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

/// Returns the path of a library relative to the directory of its module.
fs::path relative_to_module(const fs::path& module, const fs::path& library) {
  const fs::path directory = fs::absolute(module).lexically_normal().parent_path();
  return fs::absolute(library).lexically_normal().lexically_relative(directory);
}

Error differs(const fs::path& file, std::string found, std::string needed,
              const fs::path& lock_file) {
  return Error({.code = "lock-differs",
                .where = file.lexically_normal().string(),
                .found = std::move(found),
                .needed = std::move(needed) + ", as in " + lock_file.string(),
                .fix = "restore the locked file, or regenerate the lock with tenon lock"});
}

/// Returns the libraries of a bundle, and those that run paths lead to, with their hashes.
Result<std::vector<LockedLibrary>> libraries_of(const Bundle& bundle,
                                                const std::vector<Bundle>& outside) {
  std::vector<LockedLibrary> libraries;
  for (auto file = bundle.begin() + 1; file != bundle.end(); ++file) {
    auto hash = file->content.empty() ? sha256_of_file(file->path)
                                      : Result<std::string>(sha256(file->content));
    if (!hash) return std::move(hash).error();
    libraries.push_back({relative_to_module(bundle[0].path, file->path), std::move(*hash)});
  }
  for (const Bundle& library : outside) {
    for (const BundleFile& file : library) {
      auto hash = sha256_of_file(file.path);
      if (!hash) return std::move(hash).error();
      libraries.push_back({fs::absolute(file.path).lexically_normal(), std::move(*hash)});
    }
  }
  return libraries;
}

/// Checks that libraries are those of the lock, which are sorted.
Result<void> check_libraries(const LockedPackage& package, const fs::path& lock_file,
                             const Bundle& bundle, const std::vector<Bundle>& outside) {
  const fs::path directory = bundle[0].path.parent_path();
  const auto libraries = libraries_of(bundle, outside);
  if (!libraries) return libraries.error();
  for (const auto& [path, hash] : *libraries) {
    const auto locked = std::ranges::lower_bound(package.libraries, path, {}, &LockedLibrary::path);
    if (locked == package.libraries.end() || locked->path != path) {
      return differs(directory / path, "a library with sha256 " + hash,
                     "only libraries that were locked with " + package.name, lock_file);
    }
    if (locked->sha256 != hash) {
      return differs(directory / path, "a library with sha256 " + hash,
                     "that of " + package.name + " with sha256 " + locked->sha256, lock_file);
    }
  }
  // A library that the process shares is not part of the bundle.
  for (const LockedLibrary& locked : package.libraries) {
    const fs::path path = directory / locked.path;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      return differs(path, "no file",
                     "a library of " + package.name + " with sha256 " + locked.sha256, lock_file);
    }
  }
  return {};
}

}  // namespace

Result<void> lock_content(const fs::path& file, LockedPackage& package) {
  auto hash = sha256_of_file(file);
  if (!hash) return std::move(hash).error();
  package.sha256 = std::move(*hash);
  package.source = fs::absolute(file);
  const auto module = platform::File::open(file);
  if (!module) return module.error();
  const auto bundle = inspect_bundle(*module);
  if (!bundle) return bundle.error();
  const auto outside = outside_libraries(*bundle);
  if (!outside) return outside.error();
  auto libraries = libraries_of(*bundle, *outside);
  if (!libraries) return std::move(libraries).error();
  package.libraries = std::move(*libraries);
  return {};
}

Result<void> check_locked_content(const std::vector<LockedPackage>& lock, const fs::path& lock_file,
                                  std::string_view name, const Version& version,
                                  const Bundle& bundle, const std::vector<Bundle>& outside) {
  const fs::path& file = bundle[0].path;
  const LockedPackage* other = nullptr;
  std::string found;
  for (const LockedPackage& locked : lock) {
    if (locked.name != name || locked.builtin()) continue;
    std::error_code ignored;
    if (total_order(locked.version, version) != 0 &&
        !fs::equivalent(locked.source, file, ignored)) {
      continue;
    }
    if (found.empty()) found = sha256(bundle[0].content);
    if (found == locked.sha256) return check_libraries(locked, lock_file, bundle, outside);
    other = &locked;
  }
  if (other == nullptr) return {};
  return differs(file, display_name(name, version) + " with sha256 " + found,
                 display_name(other->name, other->version) + " with sha256 " + other->sha256,
                 lock_file);
}

}}}  // namespace tenon::v0_1::detail
