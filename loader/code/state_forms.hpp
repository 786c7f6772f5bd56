// SPDX-License-Identifier: BSL-1.0
//
// Transfers the private state of instances from one build of a module to another.
//
// If the manifest states only version numbers, the state is opaque bytes, and both builds must know
// a common version. If it names a document type that this program has, each build uses its own
// newest version and the host converts; the bag preserves fields that the older version cannot
// name. The state is then the ABI struct of the document in the arena of the call, and the host
// keeps the document as JSON between the two calls.
#pragma once

#include <tenon/document.hpp>
#include <tenon/values.hpp>

#include <optional>
#include <string>

#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The versions in which a state is saved and restored.
struct StateForms {
  std::int32_t saved = 1;
  std::int32_t restored = 1;
  const DocumentType* type = nullptr;  // nullptr for opaque bytes of the same version
};

/// Returns the versions to use; absent if the builds have none in common. A build whose manifest
/// does not mention its state knows version 1.
std::optional<StateForms> state_forms(const Manifest& from, const Manifest& to);

/// Returns the versions that a build knows, for messages: "1, 2 of me.example/progress".
std::string known_forms(const Manifest& manifest);

/// Returns the result of save_state in the form that the host keeps. Error: state-refused.
Result<Bytes> keep_state(tenon_call* call, const StateForms& forms, const tenon_bytes& state);
/// Returns the argument of restore_state, in the arena of its call or in `kept`. Error:
/// state-refused.
Result<tenon_bytes> give_state(tenon_call* call, const StateForms& forms, const Bytes& kept);

}}}  // namespace tenon::v0_1::detail
