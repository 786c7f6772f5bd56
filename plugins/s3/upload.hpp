// SPDX-License-Identifier: BSL-1.0
//
// Writes objects: in one request what fits into one part, in several what is longer. Memory holds
// one part.
#pragma once

#include "client.hpp"

#include <tenon/sdk/stream.hpp>

#include <functional>
#include <string_view>

namespace tenon::s3 {

/// Writes an object up to the end of `body`. An upload that fails leaves nothing behind; where even
/// that fails, `warn` says so. Throws sdk::Failure, and what `body` throws.
void upload(const Client& client, std::string_view bucket, std::string_view key, sdk::Reader& body,
            sdk::Call call, const std::function<void(std::string_view)>& warn);

}  // namespace tenon::s3
