// SPDX-License-Identifier: BSL-1.0
#include "image/original_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/lock_order.hpp"
#include "base/test_point.hpp"
#include "binary/bundle.hpp"
#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

struct Claims {
  LeafMutex mutex;
  std::vector<const OriginalFile*> all TENON_GUARDED_BY(mutex);
};
Claims& claims() {
  static auto& all = *new Claims;
  return all;
}

}  // namespace

std::shared_ptr<OriginalFile> OriginalFile::claim(const std::filesystem::path& file,
                                                  std::span<const std::byte> content) {
  const auto open = platform::File::open(file);
  if (!open) return nullptr;
  const auto now = open->read_all(max_file_size);
  if (!now || !std::ranges::equal(*now, content)) return nullptr;
  std::error_code ignored;
  std::shared_ptr<OriginalFile> claim(
      new OriginalFile(std::filesystem::absolute(file, ignored), open->identity()));
  TENON_TEST_POINT("original: read");
  {
    sync::Lock lock(claims().mutex);
    const auto taken = [&](const OriginalFile* other) { return claim->is_same(*other); };
    if (std::any_of(claims().all.begin(), claims().all.end(), taken)) return nullptr;
    claims().all.push_back(claim.get());
  }
  return platform::is_loaded(claim->path()) ? nullptr : claim;
}

OriginalFile::~OriginalFile() {
  sync::Lock lock(claims().mutex);
  std::erase(claims().all, this);
}

bool OriginalFile::is_same(const OriginalFile& other) const {
  return path_ == other.path_ ||
         (identity_.device == other.identity_.device && identity_.inode == other.identity_.inode);
}

bool OriginalFile::is_unchanged() const {
  const auto now = platform::identity_of(path_);
  return now && *now == identity_;
}

}}}  // namespace tenon::v0_1::detail
