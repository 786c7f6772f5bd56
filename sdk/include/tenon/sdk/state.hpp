// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/state.hpp: saves state as a document of a type. The host converts it between the
// versions that different builds know, without losing fields in either direction:
//
//   Bytes save_state(std::int32_t) override { return to_state(call(), progress); }
//   void restore_state(std::int32_t, BytesView state) override {
//     progress = from_state<ProgressV2>(state);
//   }
//   ...
//   TENON_PLUGIN(Worker, "me.example/worker", "2.0.0",
//                {"state": {"type": "me.example/progress", "writes": 2, "reads": [1, 2]}});
//
// Fields that the version of the value cannot name are in its property bag, the member `bag`, which
// is copied with the value.
#pragma once

#include <tenon/sdk/call.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <cstring>

namespace tenon::sdk {

/// Returns the result of save_state for a document. `call` is the call of save_state. `value` is
/// copied.
template <class Document>
Bytes to_state(Call call, const Document& value) {
  const auto raw = Value<Document>::template raw<Copy::deep>(call.raw(), value);
  Bytes state(sizeof raw);
  std::memcpy(state.data(), &raw, sizeof raw);
  return state;
}

/// Returns the document that restore_state got. Throws Failure with TENON_INVALID_ARGUMENT if the
/// state is a document of another type.
template <class Document>
Document from_state(BytesView state) {
  typename Value<Document>::Raw raw;
  if (state.size() != sizeof raw) {
    return detail::raise<Document>(Failure(TENON_INVALID_ARGUMENT, "the state is of another type"));
  }
  std::memcpy(&raw, state.data(), sizeof raw);
  return Value<Document>::own(raw);
}

}  // namespace tenon::sdk
