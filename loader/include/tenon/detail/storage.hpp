// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/storage.hpp: storage types, the form in which documents are stored and converted.
// Each version of a type has a generated storage type: a struct whose fields are pointers, NULL if
// the document has no value, and a bag. The fields point into the arena of a call, or into the text
// or struct from which the document was read. For generated code; hand-written steps include
// storage_forms.hpp.
//
// For each storage type S, the generator writes
//   S::for_each_field(S&, visit)    calls visit(name, field) for each field
//   Stored<S>                       converts S from and to the ABI struct
//   convert(conversion, from, to)   converts between the versions of the type
#pragma once

#include <tenon/detail/storage_abi.hpp>
#include <tenon/detail/storage_bag.hpp>
#include <tenon/detail/storage_convert.hpp>
#include <tenon/detail/storage_forms.hpp>
#include <tenon/detail/storage_gaps.hpp>
#include <tenon/detail/storage_json.hpp>
