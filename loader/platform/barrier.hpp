// SPDX-License-Identifier: BSL-1.0
//
// A memory barrier on all threads of the process. The caller pays for it, so the call guard, which
// runs in every call, needs no barrier of its own.
#pragma once

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns whether the system has the barrier. The first call registers the process for it.
bool has_process_barrier() noexcept;
/// Waits until every thread has executed a full barrier. Returns false if the system refuses, for
/// example because of a seccomp filter that was installed later. REQUIRED: has_process_barrier().
bool process_barrier() noexcept;

}}}  // namespace tenon::v0_1::platform
