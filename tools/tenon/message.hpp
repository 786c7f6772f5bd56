// SPDX-License-Identifier: BSL-1.0
//
// Requests and responses of kinds that are read from specs: structs in the layout of C, and the
// same values as JSON. The form of the JSON is that of documents, see tenon/detail/json.hpp.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/kind.hpp>
#include <tenon/result.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "constant_pool.hpp"
#include "gen/model/model.hpp"

namespace tenon::command {

/// Returns a request in the arena of `call`. `json` is an object with all fields that are not
/// optional; fields of documents may be missing, and are then 0 or empty. Errors: `not-json`, with
/// line and column; `wrong-value`, with the path of the value, also for streams, which JSON cannot
/// express.
Result<const void*> read_request(tenon_call* call, const std::vector<gen::Field>& fields,
                                 std::string_view json);

/// Returns the result of a call as a JSON object: the buffers of the request, which the plugin may
/// have changed, and the fields of the response without absent optional ones. A field of the
/// response replaces a buffer of its name. `response` is nullptr if the method has none. REQUIRED:
/// `detail::problem_of_response` reports no problem. Error: `wrong-value`, with the path, if a
/// value is not one of its type.
Result<std::string> write_result(const gen::Method& method, const void* request,
                                 const void* response);

/// Returns the first field that is a stream, optional or not; nullptr if there is none.
const gen::Field* find_stream(const std::vector<gen::Field>& fields) noexcept;

/// Returns the description of the fields of a message, which checks of messages need. It lives as
/// long as the pool and the fields.
std::span<const FieldInfo> described_fields(const std::vector<gen::Field>& fields,
                                            ConstantPool& pool);

}  // namespace tenon::command
