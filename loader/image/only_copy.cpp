// SPDX-License-Identifier: BSL-1.0
#include "image/only_copy.hpp"

#include <tenon/mutex.hpp>

#include <set>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

struct Copies {
  sync::Mutex mutex;  // a leaf: nothing is called while it is held
  std::multiset<std::string> keys TENON_GUARDED_BY(mutex);
};

/// Never destroyed: images are unloaded until the process ends.
Copies& copies() {
  static auto& all = *new Copies;
  return all;
}

}  // namespace

Result<std::unique_ptr<OnlyCopy>> OnlyCopy::make(const ReloadSafety& reload,
                                                 const std::string& package, bool force) {
  if (reload.library.empty() || reload.grade != ReloadGrade::unsafe) return nullptr;
  std::string key = package + " " + reload.library;
  Copies& all = copies();
  {
    const sync::Lock lock(all.mutex);
    if (!force && all.keys.contains(key)) {
      return Error({.code = "not-reloadable",
                    .where = reload.file.string(),
                    .found = "a copy of package " + package + " that the process has loaded",
                    .needed = "the only copy: it uses " + reload.library + ", and " + reload.reason,
                    .fix = reload.fix + "; or start the program again"});
    }
    all.keys.insert(key);
  }
  return std::unique_ptr<OnlyCopy>(new OnlyCopy(std::move(key)));
}

OnlyCopy::~OnlyCopy() {
  if (kept_) return;
  Copies& all = copies();
  const sync::Lock lock(all.mutex);
  all.keys.erase(all.keys.find(key_));
}

}}}  // namespace tenon::v0_1::detail
