// SPDX-License-Identifier: BSL-1.0
#include "base/keep_until_exit.hpp"

#include <atomic>
#include <utility>

#include "base/own_library.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

struct Kept {
  std::shared_ptr<void> object;
  Kept* next;
};
constinit std::atomic<Kept*> all_kept{nullptr};

}  // namespace

void keep_until_exit(std::shared_ptr<void> object) {
  platform::leave_library_loaded();
  auto* kept = new Kept{std::move(object), all_kept.load()};
  while (!all_kept.compare_exchange_weak(kept->next, kept)) {
  }
}

}}}  // namespace tenon::v0_1::detail
