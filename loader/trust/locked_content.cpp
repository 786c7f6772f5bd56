// SPDX-License-Identifier: BSL-1.0
#include "trust/locked_content.hpp"

#include <string>

#include "package/repository.hpp"
#include "trust/sha256.hpp"

namespace tenon {

std::optional<Error> refusal_of_content(const std::vector<LockedPackage>& lock,
                                        const std::filesystem::path& lock_file,
                                        std::string_view name, const Version& version,
                                        std::span<const std::byte> content,
                                        const std::filesystem::path& file) {
  const LockedPackage* differs = nullptr;
  std::string found;
  for (const LockedPackage& locked : lock) {
    if (locked.name != name || locked.builtin()) continue;
    std::error_code gone;
    if (total_order(locked.version, version) != 0 &&
        !std::filesystem::equivalent(locked.source, file, gone)) {
      continue;
    }
    if (found.empty()) found = sha256(content);
    if (found == locked.sha256) return std::nullopt;
    differs = &locked;
  }
  if (differs == nullptr) return std::nullopt;
  return Error(
      {.code = "lock-differs",
       .where = file.string(),
       .found = in_words(name, version) + " with sha256 " + found,
       .needed = in_words(differs->name, differs->version) + " with sha256 " + differs->sha256 +
                 ", as in " + lock_file.string(),
       .fix = "put back the file that was locked, or write the lock anew with tenon lock"});
}

}  // namespace tenon
