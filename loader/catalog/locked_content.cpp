// SPDX-License-Identifier: BSL-1.0
#include "catalog/locked_content.hpp"

#include <tenon/file_hash.hpp>

#include <algorithm>
#include <string>

#include "catalog/sha256.hpp"
#include "package/repository.hpp"
#include "platform/file.hpp"

namespace tenon::inline v0_1::detail {
namespace {

namespace fs = std::filesystem;

/// Returns the path of a library relative to the folder of its module.
fs::path relative_to_module(const fs::path& module, const fs::path& library) {
  const fs::path folder = fs::absolute(module).lexically_normal().parent_path();
  return fs::absolute(library).lexically_normal().lexically_relative(folder);
}

Error differs(const fs::path& file, std::string found, std::string needed,
              const fs::path& lock_file) {
  return Error({.code = "lock-differs",
                .where = file.lexically_normal().string(),
                .found = std::move(found),
                .needed = std::move(needed) + ", as in " + lock_file.string(),
                .fix = "restore the locked file, or regenerate the lock with tenon lock"});
}

/// Checks that the libraries of a bundle are those of the lock, which are sorted.
Result<void> check_libraries(const LockedPackage& package, const fs::path& lock_file,
                             const Bundle& bundle) {
  for (auto file = bundle.begin() + 1; file != bundle.end(); ++file) {
    const fs::path path = relative_to_module(bundle[0].path, file->path);
    const auto locked = std::ranges::lower_bound(package.libraries, path, {}, &LockedLibrary::path);
    const std::string hash = sha256(file->content);
    if (locked == package.libraries.end() || locked->path != path) {
      return differs(file->path, "a library with sha256 " + hash,
                     "only libraries that were locked with " + package.name, lock_file);
    }
    if (locked->sha256 != hash) {
      return differs(file->path, "a library with sha256 " + hash,
                     "that of " + package.name + " with sha256 " + locked->sha256, lock_file);
    }
  }
  // A library that the process shares is not part of the bundle.
  for (const LockedLibrary& locked : package.libraries) {
    const fs::path path = bundle[0].path.parent_path() / locked.path;
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
  for (auto library = bundle->begin() + 1; library != bundle->end(); ++library) {
    auto content = sha256_of_file(library->path);
    if (!content) return std::move(content).error();
    package.libraries.push_back({relative_to_module(file, library->path), std::move(*content)});
  }
  return {};
}

Result<void> check_locked_content(const std::vector<LockedPackage>& lock, const fs::path& lock_file,
                                  std::string_view name, const Version& version,
                                  const Bundle& bundle) {
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
    if (found == locked.sha256) return check_libraries(locked, lock_file, bundle);
    other = &locked;
  }
  if (other == nullptr) return {};
  return differs(file, display_name(name, version) + " with sha256 " + found,
                 display_name(other->name, other->version) + " with sha256 " + other->sha256,
                 lock_file);
}

}  // namespace tenon::inline v0_1::detail
