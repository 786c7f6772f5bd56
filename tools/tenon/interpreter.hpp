// SPDX-License-Identifier: BSL-1.0
//
// Documents of types that this program was not built with: read, written and converted as their
// specs say, with the same results as generated code. Values have the forms of
// tenon/gen/storage.hpp; a document, or a struct in it, is an Object.
#pragma once

#include "gen/emit/emit_steps.hpp"
#include "gen/model/model.hpp"

#include <tenon/gen/bag.hpp>
#include <tenon/gen/conversion.hpp>
#include <tenon/gen/json.hpp>

#include <vector>

namespace tenon::command {

/// The fields in the order of the spec, each a pointer to its value, nullptr where it is absent.
struct Object {
  const void** fields;
  Bag bag{};
};

/// A value that knows what it is.
struct TypedValue {
  const gen::Type* type;
  const void* value;
};

/// A value in the arena: 0, empty, or a document that says nothing.
void* make_value(Conversion& conversion, const gen::Type& type);

/// Reads a value. False: the document of `in` has the error.
bool read_value(Conversion& conversion, const json::Reader& in, const gen::Type& type, void* value);

void write_value(json::Writer& out, const TypedValue& value);

/// From one version of a document to another by steps that lead there. REQUIRED: none of them has a
/// hand-written part. nullptr: the conversion has failed.
const Object* convert_document(Conversion& conversion, const std::vector<gen::StepWay>& ways,
                               const Object& document);

/// The hand-written step that conversions of documents by these steps need; nullptr: none.
const gen::DocumentStep* hand_written(const std::vector<gen::StepWay>& ways);

}  // namespace tenon::command
