// SPDX-License-Identifier: BSL-1.0
//
// How the values of a spec lie in memory, as every 64-bit C compiler that the ABI is for lays
// them out. The generated headers assert it.
#pragma once

#include "gen/model/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::gen {

struct Layout {
  std::size_t size;
  std::size_t alignment;
};

/// A C struct: its size and where each member begins.
struct StructLayout {
  Layout whole;
  std::vector<std::size_t> offsets;
};

/// The C type of a value, eg: "tenon_string", "const int64_t *" (of an optional).
std::string c_type(const Type& type);
/// The same as it stands before the name of a variable or member: "int32_t ", "const int64_t *".
std::string c_declaration(const Type& type);

/// The type without "optional" where C needs no pointer for it: a text can be absent by itself.
const Type& type_in_c(const Type& type);

Layout layout_of(const Type& type);
/// Where there is a bag, `offsets` has one more entry than there are fields.
StructLayout layout_of(const Struct& structure);
StructLayout layout_of(const DocumentVersion& document);
/// A request or response; its offsets are those of `fields`, behind struct_size.
StructLayout layout_of_message(const std::vector<Field>& fields);
/// The table of a version of a kind; its offsets are those of the methods.
StructLayout layout_of_table(const KindVersion& version);

}  // namespace tenon::gen
