// SPDX-License-Identifier: BSL-1.0
//
// Checks of a connection string before it is used. They protect the password: libpq takes a part of
// a password with an '@' or '/' that is not escaped for the name of a host, which it looks up and
// prints.
#pragma once

#include <string>

namespace tenon::postgres {

/// Returns whether libpq can read a connection string, and no part of it is in a wrong place: no
/// '@' or '/' in a URL belongs to the password, hosts are names or addresses, and ports numbers.
bool is_url(const std::string& url);

/// Returns whether a server on another machine would get a password over a connection that an
/// attacker could read or redirect. `url` is valid; variables such as PGSSLMODE are considered.
bool exposes_password(const std::string& url);

/// The warning about such a connection.
inline constexpr const char* exposed_password =
    "the password of \"url\" is sent to a server whose identity is not verified; fix: add "
    "sslmode=verify-full to \"url\", and sslrootcert if its certificate is not from a public "
    "authority";

}  // namespace tenon::postgres
