// SPDX-License-Identifier: BSL-1.0
//
// Objects that must never be destroyed.
#pragma once

#include <memory>

namespace tenon::detail {

/// Keeps `object` until the process ends, where leak checkers find it. Thread-safe, takes no lock.
void keep_for_ever(std::shared_ptr<void> object);

}  // namespace tenon::detail
