// SPDX-License-Identifier: BSL-1.0
//
// A memory barrier on all threads of the process, paid by the one that asks for it. It lets the
// reader's side of the call guard do without one.
#pragma once

namespace tenon::platform {

/// Whether the system offers the barrier. The first call prepares the process for it.
bool has_process_barrier() noexcept;
/// Returns true when every thread has passed a full barrier, and false when the system refused it,
/// as a filter of system calls does that was installed later. REQUIRED: has_process_barrier().
bool process_barrier() noexcept;

}  // namespace tenon::platform
