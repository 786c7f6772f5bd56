// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/export.hpp: TENON_API marks what the library exports. TENON_ALWAYS_INLINE and
// TENON_COLD mark the frequent and the rare part of a call.
#pragma once

#if !defined(_WIN32)
#define TENON_API __attribute__((visibility("default")))
#elif defined(TENON_BUILDS_LIBRARY)
#define TENON_API __declspec(dllexport)
#else
#define TENON_API __declspec(dllimport)
#endif

#if defined(_MSC_VER)
#define TENON_ALWAYS_INLINE __forceinline
#define TENON_COLD __declspec(noinline)
#else
#define TENON_ALWAYS_INLINE __attribute__((always_inline)) inline
#define TENON_COLD __attribute__((noinline, cold))
#endif
