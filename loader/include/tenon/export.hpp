// SPDX-License-Identifier: BSL-1.0
//
// tenon/export.hpp: TENON_API marks what the library shows to its users; all else is hidden.
// TENON_ALWAYS_INLINE and TENON_COLD say where the code of a call belongs: at the place of the
// call, or far away from what runs each time.
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
