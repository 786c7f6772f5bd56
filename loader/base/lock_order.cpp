// SPDX-License-Identifier: BSL-1.0
#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

constinit thread_local volatile std::uint32_t loader_depth = 0;

}}}  // namespace tenon::v0_1::detail

#ifndef NDEBUG

#include <cstdlib>
#include <string>

#include "base/log.hpp"

namespace tenon { inline namespace v0_1 { namespace detail { namespace lock_order {
namespace {

// One bit per rank.
constinit thread_local std::uint32_t held = 0;

std::uint32_t bit(LockRank rank) noexcept {
  return std::uint32_t{1} << static_cast<unsigned>(rank);
}

[[noreturn]] void abort_with(const std::string& what) noexcept {
  log_fatal("lock order: " + what + ", with locks " + std::to_string(held) + " held");
  std::abort();
}

}  // namespace

void acquire(LockRank rank) noexcept {
  if ((held & ~(bit(rank) - 1)) != 0) {
    abort_with("rank " + std::to_string(static_cast<unsigned>(rank)) + " is taken out of order");
  }
  held |= bit(rank);
}

void release(LockRank rank) noexcept {
  held &= ~bit(rank);
}

void expect_none() noexcept {
  if (held != 0) abort_with("foreign code is about to run");
}

}}}}  // namespace tenon::v0_1::detail::lock_order

#endif
