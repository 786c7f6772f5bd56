// SPDX-License-Identifier: BSL-1.0
//
// Divides work between the processors.
#pragma once

#include <cstddef>
#include <functional>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Calls `work(i)` once for each i below `count`, in any order, on the calling thread and on new
/// threads, which end before this returns: as many threads in all as there are processors, at most
/// 8. If the system cannot start a thread, fewer threads do the work. Rethrows an exception of
/// `work`; calls that have not begun are then left out.
///
/// A call should take longer than starting a thread, which takes about 50 us.
void run_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

}}}  // namespace tenon::v0_1::detail
