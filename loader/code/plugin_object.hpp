// SPDX-License-Identifier: BSL-1.0
//
// The object of one instance in one generation, and the functions of its plugin other than methods.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/guard.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "call/thread_records.hpp"
#include "code/interception.hpp"
#include "code/state_forms.hpp"
#include "code/validation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class Generation;

/// An object of a plugin, for calling its functions. The caller has entered its generation with
/// `guard`, or holds an ObjectPin. Errors are those of the plugin.
struct ObjectRef {
  using Time = std::chrono::steady_clock::time_point;

  Generation* generation = nullptr;
  const ValidatedPlugin* plugin = nullptr;  // nullptr if there is no object
  void* self = nullptr;
  const Adapter* adapter = nullptr;  // nullptr if used at its own version
  CallTarget target;                 // of its methods; its `self` is that of the adapter
  std::uint64_t number = 0;          // unique in the generation, once it is listed

  /// Returns whether there is an object.
  explicit operator bool() const noexcept { return plugin != nullptr; }

  /// Calls the plugin's configure method. A plugin without one accepts an empty configuration and
  /// refuses any other with `unimplemented`.
  Result<void> configure(const TextMap& config) const;
  /// Returns the saved state; absent if it saves none. Error: state-refused.
  Result<std::optional<Bytes>> save_state(const StateForms& forms, Time deadline) const;
  /// Restores a state. The plugin must implement restore_state. `state`: nullptr if none was saved;
  /// `forms` are then ignored.
  Result<void> restore_state(const StateForms& forms, const Bytes* state, Time deadline) const;
  /// Call suspend and resume of the plugin, if it has them.
  Result<void> suspend(Time deadline) const;
  Result<void> resume() const;
  /// Destroys the object. It has left the table of its generation, or never was in it.
  void destroy() const noexcept;
  /// Returns the version of the kind at which it is used.
  const KindVersion& used_version() const noexcept;

 private:
  template <class Function>
  Result<void> run(const char* function, Call& call, const Function& body) const;
};

/// Counts the calls of one object.
struct CountingInterceptor final : Interceptor {
  CountingInterceptor(const CallTarget& counted, MethodCounter* counters) noexcept
      : Interceptor(counted, counters) {}
};

/// The object of an instance with its interceptors, which it owns.
struct PluginObject : ObjectRef {
  std::unique_ptr<PluginInterceptor> interceptor = nullptr;
  std::unique_ptr<CountingInterceptor> counting = nullptr;  // once its calls were counted
  std::size_t uses = 0;  // functions in progress, other than methods
};

}}}  // namespace tenon::v0_1::detail
