// SPDX-License-Identifier: BSL-1.0
//
// Objects that must never be destroyed.
#pragma once

#include <memory>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Keeps `object` and this library until the process exits, reachable for leak checkers.
/// Thread-safe; takes no lock.
void keep_until_exit(std::shared_ptr<void> object);

}}}  // namespace tenon::v0_1::detail
