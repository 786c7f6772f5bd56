/* SPDX-License-Identifier: BSL-1.0
 *
 * The one thing that is wrong with a module, in words; empty: nothing. The sources of the plugins
 * are compiled once, and linked with another text for each variant. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("hidden"))) extern const char planted_fault[];

#ifdef __cplusplus
}
#endif
