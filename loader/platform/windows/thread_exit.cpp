// SPDX-License-Identifier: BSL-1.0
//
// Windows calls the function of a fiber-local value at the end of each thread that has set it,
// before DLLs destroy their thread_local objects. If such a destructor calls a plugin, the handler
// is not called again for the record that it gets.
#include "platform/thread_exit.hpp"

#include <atomic>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

// FlsFree calls the function for all values, so it must know that the handler is disarmed.
// REQUIRED: one ThreadExit at a time, of which a process has one.
constinit std::atomic<void (*)(void*)> armed{nullptr};

void CALLBACK on_thread_exit(void* argument) {
  if (const auto handler = armed.load()) handler(argument);
}

}  // namespace

ThreadExit::ThreadExit(void (*handler)(void*)) noexcept {
  armed.store(handler);
  const DWORD index = FlsAlloc(on_thread_exit);
  valid_ = index != FLS_OUT_OF_INDEXES;
  key_ = index;
}

void ThreadExit::arm(void* argument) const noexcept {
  if (valid_) FlsSetValue(key_, argument);
}

void ThreadExit::end() noexcept {
  armed.store(nullptr);
  if (valid_) FlsFree(key_);
  valid_ = false;
}

}}}  // namespace tenon::v0_1::platform
