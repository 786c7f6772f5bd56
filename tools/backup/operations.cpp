// SPDX-License-Identifier: BSL-1.0
#include "operations.hpp"

namespace backup {

tenon::Error operation_failed(const tenon::PluginInfo& plugin, const std::string& id,
                              std::string_view reason) {
  return tenon::Error({.code = "operation-failed",
                       .message = "the operation " + id + " failed: " + std::string(reason),
                       .plugin = plugin.name(),
                       .method = "progress"});
}

tenon::Error operation_timed_out(const tenon::PluginInfo& plugin, const std::string& id,
                                 std::chrono::nanoseconds timeout) {
  return tenon::Error({.code = "operation-timed-out",
                       .message = "the operation " + id + " did not end within " +
                                  to_text(timeout) + " and was cancelled",
                       .fix = "allow more time under \"timeouts\": {\"operation\": ...}",
                       .plugin = plugin.name(),
                       .method = "progress"});
}

}  // namespace backup
