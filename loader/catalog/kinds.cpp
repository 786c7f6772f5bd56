// SPDX-License-Identifier: BSL-1.0
#include "catalog/kinds.hpp"

#include <tenon/inspect.hpp>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork.hpp"

namespace tenon::inline v0_1 {
namespace {

// Kinds are registered before main, and when a library with kinds is loaded later.
std::mutex mutex;
const platform::UnlockedInChildren<mutex> unlocked;
std::vector<const Kind*>& kinds() {
  static std::vector<const Kind*> all;
  return all;
}
constinit std::atomic<std::uint64_t> revision{0};

}  // namespace

KindRegistration::KindRegistration(const Kind& kind) {
  std::lock_guard lock(mutex);
  kinds().push_back(&kind);
  ++revision;
}

void use_kinds(std::vector<const Kind*> fresh) {
  std::lock_guard lock(mutex);
  kinds() = std::move(fresh);
  ++revision;
}

const Kind* find_kind(std::string_view id) noexcept {
  return detail::find_kind(id);
}

namespace detail {

const Kind* find_kind(std::string_view id) noexcept {
  std::lock_guard lock(mutex);
  for (const Kind* kind : kinds()) {
    if (kind->id == id) return kind;
  }
  return nullptr;
}

std::uint64_t kinds_revision() noexcept {
  return revision.load(std::memory_order_acquire);
}

}  // namespace detail
}  // namespace tenon::inline v0_1
