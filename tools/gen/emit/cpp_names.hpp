// SPDX-License-Identifier: BSL-1.0
//
// The C++ names of the things in a spec.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the type that owns a value, eg: "std::vector<tenon::RecordV2>", "tenon::TextMap".
/// `scope` is the prefix of names from specs: "::" if an inner scope may hide their namespace.
std::string owned_type(const Type& type, const std::string& scope = {});
/// Returns the type of a view of a value, eg: "tenon::ListView<tenon::RecordV2>". Small values are
/// their own views.
std::string view_type(const Type& type, const std::string& scope = {});
/// eg: "tenon::Value<std::string>"
std::string value_type(const Type& type);

/// Returns the type that owns a stream: in the latest interface ("tenon::Reader",
/// "std::optional<tenon::Writer>"), and in classes of plugins, where an absent stream is nullptr
/// ("std::unique_ptr<tenon::sdk::Reader>").
std::string host_stream(const Type& type);
std::string sdk_stream(const Type& type);

/// Returns the name of the parameter for a field: that of the field, with a '_' at the end if
/// generated code has a local variable of this name.
std::string variable_name(const Field& field);

/// Returns the name without namespace: "RecordV2", "FilterV1"
std::string local_name(const DocumentVersion& version);
std::string local_name(const KindVersion& version);
/// The same for an enum or struct: "RecordV2Operation"
std::string local_name(const std::string& cpp_name);
/// Returns the name as a part of function names: "record_v2", "record_v2_operation"
std::string function_name(const DocumentVersion& version);
std::string function_name(const Enum& enumeration);

/// Returns the name with namespace: "tenon::RecordV2"
std::string cpp_name(const DocumentVersion& version);

/// Returns the conversion between two versions of a document type: "tenon::convert_record_1_to_2"
std::string conversion_name(const DocumentVersion& from, const DocumentVersion& to);

/// Return the paths of headers for #include.
std::string types_header(const Document& document);  // "tenon/record.hpp"
std::string types_header(const Kind& kind);          // "photo/filter_types.hpp"
std::string json_header(const Document& document);   // "tenon/record_json.hpp"
std::string steps_header(const Document& document);  // "tenon/record_steps.hpp"
std::string interface_header(const Kind& kind);      // "photo/filter.hpp"

/// Returns a text as a string literal.
std::string string_literal(std::string_view text);

}  // namespace tenon::gen
