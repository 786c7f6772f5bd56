// SPDX-License-Identifier: BSL-1.0
//
// The memory layout of values, the same with every supported 64-bit C compiler. The generated
// headers assert it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

struct Layout {
  std::size_t size;
  std::size_t alignment;
};

/// The layout of a C struct, with the offset of each member.
struct StructLayout {
  Layout whole;
  std::vector<std::size_t> offsets;
};

/// Returns the C type of a value, eg: "tenon_string", "const int64_t *" (of an optional).
std::string c_type(const Type& type);
/// Returns the C type as the start of a declaration: "int32_t ", "const int64_t *".
std::string c_declaration(const Type& type);

/// Returns the type without "optional" if its C type has a null value, as a string has.
const Type& type_in_c(const Type& type);

Layout layout_of(const Type& type);
/// If there is a bag, `offsets` has one more entry than there are fields.
StructLayout layout_of(const Struct& structure);
StructLayout layout_of(const DocumentVersion& document);
/// Returns the layout of a request or response. The offsets are those of `fields`, after
/// struct_size.
StructLayout layout_of_message(const std::vector<Field>& fields);
/// Returns the layout of a vtable. The offsets are those of the methods.
StructLayout layout_of_vtable(const KindVersion& version);

}  // namespace tenon::gen
