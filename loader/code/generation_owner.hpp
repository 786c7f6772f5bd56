// SPDX-License-Identifier: BSL-1.0
//
// The module of a generation, as the code of the generation sees it.
#pragma once

#include <tenon/events.hpp>
#include <tenon/result.hpp>

#include "catalog/plugin_module.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe.
class GenerationOwner : public PluginModule {
 public:
  /// Receives a failure of the code of a generation that requires a restart. Called from any
  /// thread, also inside a call into `generation`, which is marked as broken after a crash.
  virtual void fault(Generation& generation, RestartReason why, const Error& error) noexcept = 0;

 protected:
  ~GenerationOwner() = default;
};

}}}  // namespace tenon::v0_1::detail
