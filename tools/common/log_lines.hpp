// SPDX-License-Identifier: BSL-1.0
//
// The log lines of a host that hides values.
#pragma once

#include <tenon/log.hpp>

#include <functional>

namespace tenon::tools {

/// Returns the log sink of a host: one that writes lines to standard error without hidden values,
/// or none if no value is hidden.
std::function<void(const tenon::LogLine&)> hiding_log_sink();

}  // namespace tenon::tools
