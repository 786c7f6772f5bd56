// SPDX-License-Identifier: BSL-1.0
//
// The machine that this build of the loader runs on, as ELF files state it (e_machine).
#pragma once

#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace platform {

#if defined(__x86_64__) || defined(_M_X64)
inline constexpr std::uint16_t host_machine = 62;
#elif defined(__aarch64__) || defined(_M_ARM64)
inline constexpr std::uint16_t host_machine = 183;
#elif defined(__riscv) && __riscv_xlen == 64
inline constexpr std::uint16_t host_machine = 243;
#else
#error "add this machine here: the e_machine of its ELF files"
#endif

/// Whether this system loads modules in the PE format, DLLs, rather than in the ELF format.
#if defined(_WIN32)
inline constexpr bool loads_dlls = true;
#else
inline constexpr bool loads_dlls = false;
#endif

/// Whether ELF files of this machine can state which levels of it they need (x86-64-v2 and others).
inline constexpr bool has_processor_levels = host_machine == 62;
/// Whether a file that says nothing about it needs an executable stack.
inline constexpr bool stack_is_executable_by_default = host_machine == 62;

}}}  // namespace tenon::v0_1::platform
