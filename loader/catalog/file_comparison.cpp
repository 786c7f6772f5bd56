// SPDX-License-Identifier: BSL-1.0
#include "catalog/file_comparison.hpp"

#include <tenon/file_hash.hpp>

#include "binary/bundle.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

bool same_file(const platform::FileIdentity& a, const platform::FileIdentity& b) {
  return a.device == b.device && a.inode == b.inode;
}

}  // namespace

bool FileComparison::differ(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto of_a = platform::identity_of(a);
  const auto of_b = platform::identity_of(b);
  if (!of_a || !of_b || same_file(*of_a, *of_b)) return false;
  if (of_a->size != of_b->size) return true;
  if (of_a->size > max_file_size) return false;
  const auto hash_a = hash_of(a, *of_a);
  const auto hash_b = hash_of(b, *of_b);
  return hash_a && hash_b && *hash_a != *hash_b;
}

std::optional<std::string> FileComparison::hash_of(const std::filesystem::path& file,
                                                   const platform::FileIdentity& identity) {
  {
    const sync::Lock lock(mutex_);
    const auto known = hashed_.find(file.native());
    if (known != hashed_.end() && known->second.identity == identity) return known->second.hash;
  }
  auto hash = sha256_of_file(file);
  const auto after = platform::identity_of(file);
  if (!hash || !after || !(*after == identity)) return std::nullopt;  // it is being changed
  const sync::Lock lock(mutex_);
  return hashed_.insert_or_assign(file.native(), Hashed{identity, std::move(*hash)})
      .first->second.hash;
}

}}}  // namespace tenon::v0_1::detail
