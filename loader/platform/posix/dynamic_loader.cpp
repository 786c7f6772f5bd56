// SPDX-License-Identifier: BSL-1.0
#include "platform/dynamic_loader.hpp"

#include <features.h>
#include <link.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#if __has_include(<sys/platform/x86.h>)
#ifndef _Bool
#define _Bool bool  // NOLINT(bugprone-reserved-identifier): the header lacks it with clang
#endif
#include <sys/platform/x86.h>
#endif

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <span>

namespace tenon { inline namespace v0_1 { namespace platform {

#if __has_include(<sys/platform/x86.h>)
std::uint32_t processor_levels() noexcept {
  struct Level {
    std::uint32_t bit;
    std::initializer_list<unsigned> features;  // in addition to those of the levels before
  };
  // As glibc defines the levels. Programs run only on processors that have the first.
  const Level levels[] = {
      {2,
       {x86_cpu_CMPXCHG16B, x86_cpu_LAHF64_SAHF64, x86_cpu_POPCNT, x86_cpu_SSE3, x86_cpu_SSSE3,
        x86_cpu_SSE4_1, x86_cpu_SSE4_2}},
      {4,
       {x86_cpu_AVX, x86_cpu_AVX2, x86_cpu_BMI1, x86_cpu_BMI2, x86_cpu_F16C, x86_cpu_FMA,
        x86_cpu_LZCNT, x86_cpu_MOVBE}},
      {8,
       {x86_cpu_AVX512F, x86_cpu_AVX512BW, x86_cpu_AVX512CD, x86_cpu_AVX512DQ, x86_cpu_AVX512VL}},
  };
  std::uint32_t found = 1;
  for (const Level& level : levels) {
    if (!std::ranges::all_of(level.features, x86_cpu_active)) break;
    found |= level.bit;
  }
  return found;
}
#else
std::uint32_t processor_levels() noexcept {
  return ~std::uint32_t{0};
}
#endif

#ifdef __GLIBC__
namespace {

/// Returns whether the first image, the program, has a header that forbids code on the stack.
int forbids_code_on_stack(dl_phdr_info* program, std::size_t, void*) {
  const std::span headers(program->dlpi_phdr, program->dlpi_phnum);
  const auto stack = std::ranges::find(headers, PT_GNU_STACK, &ElfW(Phdr)::p_type);
  return stack != headers.end() && (stack->p_flags & PF_X) == 0 ? 1 : -1;
}

}  // namespace

bool refuses_executable_stacks() noexcept {
  int major = 0;
  int minor = 0;
  std::sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor);
  const bool is_new = major > 2 || (major == 2 && minor >= 41);
  return is_new && dl_iterate_phdr(forbids_code_on_stack, nullptr) > 0;
}
#else
bool refuses_executable_stacks() noexcept {
  return false;
}
#endif

boost::dll::load_mode::type load_mode() noexcept {
  return boost::dll::load_mode::rtld_now;
}

}}}  // namespace tenon::v0_1::platform
