// SPDX-License-Identifier: BSL-1.0
#include "platform/signals.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/fork.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

/// REQUIRED: both were zero before the system wrote its part of them.
bool is_same(const sigset_t& a, const sigset_t& b) noexcept {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool is_same(const stack_t& a, const stack_t& b) noexcept {
  const bool none = (a.ss_flags & SS_DISABLE) != 0;
  if (none != ((b.ss_flags & SS_DISABLE) != 0)) return false;
  return none || (a.ss_sp == b.ss_sp && a.ss_size == b.ss_size);
}

/// The signals from 1 on that a SignalSet has.
constexpr int signal_count = std::min(NSIG - 1, 64);

SignalSet bit(int signal) noexcept {
  return SignalSet{1} << (signal - 1);
}

/// Returns the function of an action; nullptr if it is none.
const void* handler_of(const struct sigaction& action) noexcept {
  const bool function = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
  return function ? reinterpret_cast<const void*>(action.sa_handler) : nullptr;
}

bool is_mapped_code(const void* address) noexcept {
  return offset_at(address) != 0;
}

sync::Mutex watched_mutex;
const UnlockedInChildren<watched_mutex> unlocked;

/// The code of one image, and the actions before it was loaded.
struct Watched {
  std::vector<ImageMap> images;
  using Actions = std::array<struct sigaction, signal_count + 1>;
  Actions before TENON_GUARDED_BY(watched_mutex){};
  Watched* next TENON_GUARDED_BY(watched_mutex) = nullptr;
  const void* mapped[signal_count + 1] = {};  // handlers in other mapped code at `replace`

  bool contains(const void* handler) const noexcept {
    return std::ranges::any_of(images,
                               [&](const ImageMap& image) { return image.contains_code(handler); });
  }
};

Watched* first_watched TENON_GUARDED_BY(watched_mutex) = nullptr;

}  // namespace

struct ImageHandlers::State : Watched {};

SignalState::SignalState() noexcept {
  sigset_t mask{};
  stack_t stack;
  static_assert(sizeof mask <= mask_size && sizeof stack <= stack_size);
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  if (sigaltstack(nullptr, &stack) != 0) {
    stack = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  }
  std::memcpy(mask_, &mask, sizeof mask);
  std::memcpy(stack_, &stack, sizeof stack);
}

SignalState::Changed SignalState::restore_changed() const noexcept {
  sigset_t mask;
  stack_t stack;
  std::memcpy(&mask, mask_, sizeof mask);
  std::memcpy(&stack, stack_, sizeof stack);
  Changed changed;
  stack_t stack_now;
  if (sigaltstack(nullptr, &stack_now) == 0 && !is_same(stack_now, stack)) {
    stack.ss_flags &= ~SS_ONSTACK;
    changed.alternate_stack = sigaltstack(&stack, nullptr) == 0;
  }
  sigset_t mask_now{};
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_now);
  changed.mask = !is_same(mask_now, mask);
  if (changed.mask) pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  return changed;
}

// -- Handlers -----------------------------------------------------------------

SignalSet ignored_signals() noexcept {
  SignalSet ignored = 0;
  for (int signal = 1; signal <= signal_count; ++signal) {
    struct sigaction action = {};
    const bool known = sigaction(signal, nullptr, &action) == 0;
    if (known && action.sa_handler == SIG_IGN) ignored |= bit(signal);
  }
  return ignored;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

ImageHandlers::ImageHandlers() : state_(std::make_unique<State>()) {
  const sync::Lock lock(watched_mutex);
  for (int signal = 1; signal <= signal_count; ++signal) {
    sigaction(signal, nullptr, &state_->before[signal]);
  }
  state_->next = std::exchange(first_watched, state_.get());
}

ImageHandlers::~ImageHandlers() {
  const sync::Lock lock(watched_mutex);
  Watched** link = &first_watched;
  while (*link != state_.get()) link = &(*link)->next;
  *link = state_->next;
}

void ImageHandlers::watch(std::vector<ImageMap> images) noexcept {
  state_->images = std::move(images);
}

template <class IsGone>
ImageHandlers::Replaced ImageHandlers::replace_if(IsGone is_gone) noexcept {
  // Without the lock, because the queries about images take locks of the system's loader.
  Watched::Actions before;
  {
    const sync::Lock lock(watched_mutex);
    before = state_->before;
  }
  Replaced replaced;
  for (int signal = 1; signal <= signal_count; ++signal) {
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) != 0 || handler_of(now) == nullptr) continue;
    if (!is_gone(signal, handler_of(now))) continue;
    const void* handler = handler_of(before[signal]);
    const bool usable = handler == nullptr || is_mapped_code(handler);
    const struct sigaction by_default = {};
    sigaction(signal, usable ? &before[signal] : &by_default, nullptr);
    (usable ? replaced.by_previous : replaced.by_default) |= bit(signal);
  }
  return replaced;
}

ImageHandlers::Replaced ImageHandlers::replace() noexcept {
  {
    const sync::Lock lock(watched_mutex);
    for (Watched* other = first_watched; other != nullptr; other = other->next) {
      for (int signal = 1; signal <= signal_count; ++signal) {
        if (other == state_.get() || !state_->contains(handler_of(other->before[signal]))) continue;
        other->before[signal] = state_->before[signal];
      }
    }
  }
  return replace_if([&](int signal, const void* handler) {
    const bool own = state_->contains(handler);
    state_->mapped[signal] = !own && is_mapped_code(handler) ? handler : nullptr;
    return own;
  });
}

ImageHandlers::Replaced ImageHandlers::replace_unmapped() noexcept {
  return replace_if([&](int signal, const void* handler) {
    return !is_mapped_code(handler) &&
           (state_->contains(handler) || state_->mapped[signal] == handler);
  });
}

}}}  // namespace tenon::v0_1::platform
