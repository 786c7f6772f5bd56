// SPDX-License-Identifier: BSL-1.0
//
// Converts names of specs to names in C and C++.
#pragma once

#include <string>
#include <string_view>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// "object_store" -> "ObjectStore"
std::string camel_case(std::string_view name);

/// "object_store" -> "OBJECT_STORE"
std::string upper_case(std::string_view name);

/// Whether a name is lower snake_case: "object_store", "v2", but neither "_x" nor "x__y".
bool is_snake_case(std::string_view name) noexcept;

/// Returns whether a word is reserved in C, C++ or their GNU dialects, or is a type that generated
/// headers use.
bool is_keyword(std::string_view word) noexcept;

/// Returns the header of C, POSIX or Linux that defines a macro of this name, with which generated
/// code would not compile, eg: "sys/stat.h" for st_mtime; empty if none does.
std::string_view header_of_macro(std::string_view word);

/// Returns whether the standard headers declare a word globally, such as the function `signal`.
bool is_library_name(std::string_view word);

/// Returns the C++ name of an enum or struct of `version`, eg: "tenon::RecordV2Operation"
std::string inner_name(const Version& version, std::string_view name);

/// eg: "photo_filter_v1_apply_request"
std::string request_name(const KindVersion& version, const Method& method);
std::string response_name(const KindVersion& version, const Method& method);

/// Returns the macro of one value of an enum, eg: "TENON_RECORD_V2_OPERATION_CREATE"
std::string constant_name(const Enum& enumeration, std::string_view value);

/// Returns 16 hex digits.
std::string hex(std::uint64_t fingerprint);

}  // namespace tenon::gen
