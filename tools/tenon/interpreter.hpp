// SPDX-License-Identifier: BSL-1.0
//
// Reads, writes and converts documents of types that this program was not built with. It interprets
// their specs, with the same results as generated code. Values are stored as in
// tenon/detail/storage.hpp, except that a document, or a struct in it, is an Object.
#pragma once

#include <tenon/detail/bag.hpp>
#include <tenon/detail/conversion.hpp>
#include <tenon/detail/json.hpp>

#include <vector>

#include "gen/emit/emit_steps.hpp"
#include "gen/model/model.hpp"

namespace tenon::command {

/// The fields in the order of the spec: pointers to their values, or nullptr if a field is absent.
struct Object {
  const void** fields;
  Bag bag{};
};

/// A value with its type.
struct TypedValue {
  const gen::Type* type;
  const void* value;
};

/// Returns a new value in the arena: 0, empty, or a document without fields.
void* make_value(Conversion& conversion, const gen::Type& type);

/// Reads a value. Returns false, and sets the error of the document of `in`, if it is invalid.
bool read_value(Conversion& conversion, const json::Reader& in, const gen::Type& type, void* value);

void write_value(json::Writer& out, const TypedValue& value);

/// Converts a document by these steps. Returns nullptr if the conversion has failed. REQUIRED: no
/// step has a hand-written part.
const Object* convert_document(Conversion& conversion, const std::vector<gen::DirectedStep>& ways,
                               const Object& document);

/// Returns a hand-written step that a conversion by these steps needs, or nullptr if there is none.
const gen::DocumentStep* hand_written(const std::vector<gen::DirectedStep>& ways);

}  // namespace tenon::command
