/* SPDX-License-Identifier: BSL-1.0
 *
 * The name of the fault of a module; "nothing": none. The sources of the plugins are compiled once,
 * and linked with another name for each variant. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#ifndef _WIN32
__attribute__((visibility("hidden")))
#endif
extern const char planted_fault[];

#ifdef __cplusplus
}
#endif
