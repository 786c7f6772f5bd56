// SPDX-License-Identifier: BSL-1.0
#include "catalog/kinds.hpp"

#include <tenon/detail/other_program.hpp>
#include <tenon/inspect.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "base/own_library.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

// Kinds are registered before main, and when a library with kinds is loaded later, until it is
// unloaded.
detail::LeafMutex mutex;
const platform::UnlockedInChildren<mutex> unlocked;
std::vector<const Kind*>& kinds() TENON_REQUIRES(mutex) {
  static platform::LibraryStatic<std::vector<const Kind*>> all;
  return *all;
}
constinit std::atomic<std::uint64_t> revision{0};
constinit std::atomic<bool> unknown_are_allowed{false};

}  // namespace

KindRegistration::KindRegistration(const Kind& kind) : kind_(&kind) {
  sync::Lock lock(mutex);
  kinds().push_back(kind_);
  ++revision;
}

KindRegistration::~KindRegistration() {
  sync::Lock lock(mutex);
  // Libraries may share the object, and each registers it.
  const auto found = std::ranges::find(kinds(), kind_);
  if (found != kinds().end()) kinds().erase(found);
  ++revision;
}

void detail::use_kinds(std::vector<const Kind*> fresh) {
  sync::Lock lock(mutex);
  kinds() = std::move(fresh);
  ++revision;
}

void detail::allow_unknown_kinds() noexcept {
  unknown_are_allowed.store(true);
}

const Kind* find_kind(std::string_view id) noexcept {
  sync::Lock lock(mutex);
  const auto found = std::ranges::find(kinds(), id, &Kind::id);
  return found != kinds().end() ? *found : nullptr;
}

namespace detail {

std::vector<const Kind*> find_kinds(std::string_view id) {
  std::vector<const Kind*> found;
  sync::Lock lock(mutex);
  std::ranges::copy_if(kinds(), std::back_inserter(found),
                       [id](const Kind* kind) { return kind->id == id; });
  return found;
}

bool unknown_kinds_are_allowed() noexcept {
  return unknown_are_allowed.load();
}

std::uint64_t kinds_revision() noexcept {
  return revision.load(std::memory_order_acquire);
}

}  // namespace detail
}}  // namespace tenon::v0_1
