// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/state.hpp: private state that is a document of a type, so that the host converts it
// between the versions that builds know, and nothing is lost on the way back either:
//
//   Bytes save_state(std::int32_t) override { return to_state(call(), progress); }
//   void restore_state(std::int32_t, BytesView state) override {
//     progress = from_state<ProgressV2>(state);
//   }
//   ...
//   TENON_PLUGIN(Worker, "me.example/worker", "2.0.0",
//                {"state": {"type": "me.example/progress", "writes": 2, "reads": [1, 2]}});
//
// The value keeps what its version cannot name in its `bag`; who copies the value copies that.
#pragma once

#include <tenon/sdk/call.hpp>
#include <tenon/sdk/failure.hpp>

#include <tenon/values.hpp>

#include <cstring>

namespace tenon::sdk {

/// What save_state answers. The value may go; `call` is the one of save_state.
template <class Document>
Bytes to_state(Call call, const Document& value) {
  const auto raw = Value<Document>::template raw<Copy::deep>(call.raw(), value);
  Bytes state(sizeof raw);
  std::memcpy(state.data(), &raw, sizeof raw);
  return state;
}

/// What restore_state got. Failure: it is of another type.
template <class Document>
Document from_state(BytesView state) {
  typename Value<Document>::Raw raw;
  if (state.size() != sizeof raw) {
    throw Failure(TENON_INVALID_ARGUMENT, "the state is of another type");
  }
  std::memcpy(&raw, state.data(), sizeof raw);
  return Value<Document>::own(raw);
}

}  // namespace tenon::sdk
