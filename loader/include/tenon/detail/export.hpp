// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/export.hpp: TENON_API marks what the library exports; programs for Windows that link
// the static library define TENON_STATIC. TENON_ALWAYS_INLINE and TENON_COLD mark the frequent and
// the rare part of a call. The rest says what differs between systems in the inline code of a call.
#pragma once

#include <cstdint>

#if !defined(_WIN32)
#define TENON_API __attribute__((visibility("default")))
#elif defined(TENON_BUILDS_LIBRARY)
#define TENON_API __declspec(dllexport)
#elif defined(TENON_STATIC)
#define TENON_API
#else
#define TENON_API __declspec(dllimport)
#endif

// A DLL cannot export thread-local variables, so a function of it returns them.
#if defined(_WIN32)
#define TENON_EXPORTS_THREAD_LOCALS 0
#else
#define TENON_EXPORTS_THREAD_LOCALS 1
#endif

// On Windows no restart uses a barrier on all processors, so each call orders its slot itself.
#if defined(_WIN32)
#define TENON_CALLS_ORDER_SLOTS 1
#else
#define TENON_CALLS_ORDER_SLOTS 0
#endif

// With a thread-local at a fixed offset, one load finds it.
#if defined(__GNUC__) && !defined(_WIN32)
#define TENON_TLS_AT_FIXED_OFFSET __attribute__((tls_model("initial-exec")))
#else
#define TENON_TLS_AT_FIXED_OFFSET
#endif

// The value of a thread with one of the first 64 numbers (TlsAlloc) is in the thread's block (TEB),
// where gs finds it without a call of the system.
#if defined(_WIN32) && defined(__GNUC__) && defined(__x86_64__)
#define TENON_READS_THREAD_BLOCK 1
namespace tenon { inline namespace v0_1 { namespace detail {
inline void* in_thread_block(std::uint64_t offset) noexcept {
  void* value;
  __asm__ volatile("movq %%gs:(%1), %0" : "=r"(value) : "r"(offset));
  return value;
}
}}}  // namespace tenon::v0_1::detail
#else
#define TENON_READS_THREAD_BLOCK 0
#endif

#if defined(_MSC_VER)
#define TENON_ALWAYS_INLINE __forceinline
#define TENON_COLD __declspec(noinline)
#else
#define TENON_ALWAYS_INLINE __attribute__((always_inline)) inline
#define TENON_COLD __attribute__((noinline, cold))
#endif
