// SPDX-License-Identifier: BSL-1.0
//
// What things of a spec are called in C++.
#pragma once

#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// The type of a value of its own, eg: "std::vector<tenon::RecordV2>", "tenon::TextMap". `scope`
/// stands before names of specs: "::" where something nearer may be called like their namespace.
std::string owned_type(const Type& type, const std::string& scope = {});
/// The type that reads a value in place, eg: "tenon::ListView<tenon::RecordV2>". What is small is
/// its own view.
std::string view_type(const Type& type, const std::string& scope = {});
/// eg: "tenon::Value<std::string>"
std::string value_type(const Type& type);

/// The type that owns a stream, in the latest interface ("tenon::Reader",
/// "std::optional<tenon::Writer>") and in classes of plugins, where an absent one is nullptr
/// ("std::unique_ptr<tenon::sdk::Reader>").
std::string host_stream(const Type& type);
std::string sdk_stream(const Type& type);

/// The name of a parameter or local variable for a field: that of the field, unless generated code
/// calls something else so; then with a '_' behind it.
std::string variable_name(const Field& field);

/// Without namespace: "RecordV2", "FilterV1"
std::string local_name(const DocumentVersion& version);
std::string local_name(const KindVersion& version);
/// Of an enum or struct: "RecordV2Operation"
std::string local_name(const std::string& cpp_name);
/// The same as functions are called: "record_v2", "record_v2_operation"
std::string function_name(const DocumentVersion& version);
std::string function_name(const Enum& enumeration);

/// With namespace: "tenon::RecordV2"
std::string cpp_name(const DocumentVersion& version);

/// The conversion between two versions of a document type: "tenon::convert_record_1_to_2"
std::string conversion_name(const DocumentVersion& from, const DocumentVersion& to);

/// Headers as they are included.
std::string types_header(const Document& document);  // "tenon/record.hpp"
std::string types_header(const Kind& kind);          // "photo/filter_types.hpp"
std::string json_header(const Document& document);   // "tenon/record_json.hpp"
std::string steps_header(const Document& document);  // "tenon/record_steps.hpp"
std::string interface_header(const Kind& kind);      // "photo/filter.hpp"

/// A text as a literal, quoted.
std::string quoted(std::string_view text);

}  // namespace tenon::gen
