// SPDX-License-Identifier: BSL-1.0
//
// Secrets that are stored only to notice that they change: as a hash with a key of their own, in
// the form `${hash:KEY:HASH}`. No value has this form; see setting_value.hpp.
#pragma once

#include <string>
#include <string_view>

namespace tenon::tools {

/// Returns the hash of a value, with a new random key. Thread-safe.
std::string hashed_value(std::string_view value);

/// Returns whether a stored text is the hash of some value.
bool is_hashed_value(std::string_view stored);

/// Returns whether a stored text is the hash of this value.
bool is_hash_of(std::string_view stored, std::string_view value);

/// Returns whether a value is a URL that contains a password: scheme://user:password@host.
bool is_url_with_password(std::string_view value);

}  // namespace tenon::tools
