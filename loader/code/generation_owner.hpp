// SPDX-License-Identifier: BSL-1.0
//
// The module of a generation, as the code of the generation sees it.
#pragma once

#include <tenon/events.hpp>
#include <tenon/gen/guard.hpp>
#include <tenon/gen/kind.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace tenon::inline v0_1::detail {

class Generation;

/// The owner of an instance.
enum class Owner : std::uint8_t {
  program,  // through a Handle, which keeps the host alive
  plugin,   // through the tenon_host of its module
};

/// Thread-safe.
class GenerationOwner : public std::enable_shared_from_this<GenerationOwner> {
 public:
  /// Receives a failure of the code of a generation that requires a restart. Called from any
  /// thread, also inside a call into `generation`, which is marked as broken after a crash.
  virtual void fault(Generation& generation, RestartReason why, const Error& error) noexcept = 0;
  /// Creates an instance of the plugin `name`, for use as version `target` of a kind. Loads the
  /// module with its first instance. If the calling thread loads or restarts the module and
  /// `caller` is its new generation, the object is created there. Errors: those of loading and of
  /// the plugin; `module-quarantined`, `module-restarting`, `module-busy`; resource-exhausted if
  /// plugins of the module create each other without end.
  virtual Result<InstancePtr> create(const Kind& kind, std::int32_t target, std::string_view name,
                                     const std::optional<TextMap>& config, Owner owner,
                                     Generation* caller) = 0;
  /// Returns whether the calling thread loads or restarts the module, and `caller` is the new
  /// generation. The address of a generation that was destroyed is allowed.
  virtual bool builds(const Generation* caller) const noexcept = 0;

 protected:
  ~GenerationOwner() = default;
};

}  // namespace tenon::inline v0_1::detail
