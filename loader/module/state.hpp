// SPDX-License-Identifier: BSL-1.0
//
// The private state of instances, on its way from one build of a module to another.
//
// Where a module says nothing of its state but numbers, the bytes are its own affair and both
// builds must know a form. Where it says that the state is a document of a type that this program
// has, each build is asked for its own newest version, and the host converts: what the older one
// cannot name travels in the bag. The bytes are the ABI struct then, and what it points
// at lives in the arena of the call; between the calls the host keeps the document as JSON.
#pragma once

#include <tenon/document.hpp>
#include <tenon/values.hpp>

#include <optional>
#include <string>

#include "manifest/manifest.hpp"

namespace tenon::detail {

/// In which forms the state leaves one build and enters another.
struct StateForms {
  std::int32_t saved = 1;
  std::int32_t restored = 1;
  const DocumentType* type = nullptr;  // nullptr: the same form, and nobody's affair
};

/// Nothing where the two have none in common. A build that says nothing of its state knows form 1.
std::optional<StateForms> state_forms(const Manifest& from, const Manifest& to);

/// The forms that a build knows, for messages: "1, 2 of me.example/progress".
std::string known_forms(const Manifest& manifest);

/// What save_state answered, to be kept. Error: state-refused.
Result<Bytes> keep_state(tenon_call* call, const StateForms& forms, const tenon_bytes& state);
/// What restore_state gets, in the arena of its call or in what was kept. Error: state-refused.
Result<tenon_bytes> give_state(tenon_call* call, const StateForms& forms, const Bytes& kept);

}  // namespace tenon::detail
