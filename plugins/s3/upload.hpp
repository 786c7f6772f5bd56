// SPDX-License-Identifier: BSL-1.0
//
// Writes objects. An object that fits into one part is sent in one request, a longer one in several
// requests. One part at a time is in memory.
#pragma once

#include <tenon/sdk/stream.hpp>

#include <functional>
#include <string_view>

#include "client.hpp"

namespace tenon::s3 {

/// Writes an object with the content of `body`. Aborts an upload that fails, and calls `warn` if it
/// cannot be aborted. Throws sdk::Failure, and exceptions of `body`.
void upload(const Client& client, std::string_view bucket, std::string_view key, sdk::Reader& body,
            sdk::Call call, const std::function<void(std::string_view)>& warn);

}  // namespace tenon::s3
