// SPDX-License-Identifier: BSL-1.0
//
// tenon/export.hpp: TENON_API marks what the library shows to its users; all else is hidden.
#pragma once

#if !defined(_WIN32)
#define TENON_API __attribute__((visibility("default")))
#elif defined(TENON_BUILDS_LIBRARY)
#define TENON_API __declspec(dllexport)
#else
#define TENON_API __declspec(dllimport)
#endif
