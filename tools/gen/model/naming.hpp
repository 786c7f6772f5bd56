// SPDX-License-Identifier: BSL-1.0
//
// How names of specs become names of C and C++.
#pragma once

#include "gen/model/model.hpp"

#include <string>
#include <string_view>

namespace tenon::gen {

/// "object_store" -> "ObjectStore"
std::string camel_case(std::string_view name);

/// "object_store" -> "OBJECT_STORE"
std::string upper_case(std::string_view name);

/// Whether a name is lower snake_case: "object_store", "v2", but neither "_x" nor "x__y".
bool is_snake_case(std::string_view name) noexcept;

/// Whether C11 or C++20 keep the word for themselves, or common headers define it as a macro.
bool is_keyword(std::string_view word) noexcept;

/// What an enum or struct of `version` is called in C++, eg: "tenon::RecordV2Operation"
std::string inner_name(const Version& version, std::string_view name);

/// eg: "photo_filter_v1_apply_request"
std::string request_name(const KindVersion& version, const Method& method);
std::string response_name(const KindVersion& version, const Method& method);

/// The macro of one value of an enum, eg: "TENON_RECORD_V2_OPERATION_CREATE"
std::string constant_name(const Enum& enumeration, std::string_view value);

/// 16 hex digits.
std::string hex(std::uint64_t fingerprint);

}  // namespace tenon::gen
