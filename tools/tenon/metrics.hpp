// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/json.hpp>

#include <string>

namespace tenon::command {

/// Returns the state of a host, as `status` reports it, in the text format of Prometheus (0.0.4).
std::string metrics_of(const boost::json::object& status);

}  // namespace tenon::command
