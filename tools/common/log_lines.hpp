// SPDX-License-Identifier: BSL-1.0
//
// The log lines of a host, without hidden values.
#pragma once

#include <tenon/log.hpp>

namespace tenon::tools {

/// The log sink of a host: writes a line to standard error without hidden values, of which further
/// ones may become known while the host runs. Thread-safe.
void write_log_line(const tenon::LogLine& line);

}  // namespace tenon::tools
