// SPDX-License-Identifier: BSL-1.0
//
// One loaded image of a module with the objects of its instances. Each restart creates a new one.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/guard.hpp>
#include <tenon/events.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/lock_order.hpp"
#include "base/log.hpp"
#include "base/module_lock.hpp"
#include "call/call_counters.hpp"
#include "call/revocable_stream.hpp"
#include "call/thread_records.hpp"
#include "catalog/crash_records.hpp"
#include "code/generation_owner.hpp"
#include "code/interception.hpp"
#include "code/module_host.hpp"
#include "code/object_table.hpp"
#include "code/plugin_object.hpp"
#include "code/validation.hpp"
#include "image/image.hpp"
#include "manifest/manifest.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The plugin of an instance, and the version of the kind at which its owner uses it.
struct InstanceSpec {
  const Kind* kind;
  std::int32_t target;
  std::string name;

  friend bool operator<(const InstanceSpec& a, const InstanceSpec& b) noexcept {
    return std::tie(a.kind, a.target, a.name) < std::tie(b.kind, b.target, b.name);
  }
};

/// Destroys the remaining instances, stops the module and unloads it. No thread may be in it. The
/// objects and the code of a broken generation are kept, because they may be in any state. Its
/// instances of other modules are released, unless a thread of its own may use them.
struct EndGeneration {
  void operator()(Generation* generation) const noexcept;
};
using GenerationPtr = std::unique_ptr<Generation, EndGeneration>;
/// Keeps a generation for ever without calling any of its functions.
void leave_loaded(GenerationPtr generation) noexcept;

/// The parts of the host that a generation uses. It may outlive the host.
struct GenerationContext {
  /// The lock of the module. A generation that is left loaded after the module does not use it.
  Mutex& mutex;
  /// That of the module; empty for a builtin.
  std::filesystem::path file;
  HostLink host;
  std::weak_ptr<GenerationOwner> owner;
  std::shared_ptr<Log> log;
  InterceptionOptions interception;
  std::shared_ptr<CallCounters> counters;
  /// How long destroying an instance waits for calls in its streams, which it cancels.
  std::chrono::milliseconds patience;
};

/// Thread-safe. `create` of an index runs alone. `destroy` runs after all other functions of the
/// object have returned: `remove` leaves it to the last of them.
class Generation final : public CallTargets, private StreamRunner {
 public:
  /// Validates the module and runs its `start`. `image` is absent for a builtin. Errors: those of
  /// `validate`, start-failed.
  static Result<GenerationPtr> begin(std::optional<Image> image, const tenon_module& module,
                                     const Manifest& manifest, const std::string& where,
                                     const GenerationContext& context);
  /// Releases the instances of other modules, and unloads the module.
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  const std::string& package() const noexcept { return package_; }
  /// Returns the host that its code uses. It lives as long as the image is mapped.
  const ModuleHost& host() const noexcept { return *host_; }
  /// Returns its module; nullptr if that was destroyed.
  std::shared_ptr<GenerationOwner> owner() const noexcept { return owner_.lock(); }
  /// Destroys the remaining instances, stops the module and returns its image, which the caller
  /// ends after destroying the generation. Absent for a builtin or a broken generation. No thread
  /// may be in it.
  std::optional<Image> stop() noexcept;
  /// Returns why it cannot be replaced while the host runs; nullptr if it can.
  const ReloadSafety* not_reloadable() const noexcept {
    return image_ && !image_->reloadable() ? &image_->reload() : nullptr;
  }
  /// Returns whether its file shows that it leaves no thread_local objects in threads. DLLs do not
  /// show that.
  bool leaves_threads_clean() const noexcept {
    return !image_ || (!platform::loads_dlls && image_->reload().grade <= ReloadGrade::patched);
  }
  /// Returns whether it is kept although nothing uses it; see ReloadSafety.
  bool stays_loaded() const noexcept { return image_ && image_->reload().stays_loaded; }

  /// Takes the record of the load, which it removes after its first create. REQUIRED: called once,
  /// before it serves.
  void remember_load(std::unique_ptr<LoadRecord> record) noexcept {
    load_record_ = record.release();
  }

  /// Creates an object and its adapter to version `target`. The caller has entered the generation
  /// with `guard`, and lists or destroys the object. Errors: missing-plugin, those of the plugin's
  /// create.
  Result<void> create(const Kind& kind, std::int32_t target, std::string_view name,
                      const GenerationGuard& guard, PluginObject& object);
  /// Destroys an object that is not listed, if there is one. The caller has entered with `guard`.
  void destroy(const ObjectRef& object, const GenerationGuard& guard) noexcept;
  /// Creates an object and lists it. Errors: those of `create`.
  Result<void> add(std::uint32_t index, const InstanceSpec& spec);
  /// Removes and destroys the object at `index`, if there is one.
  void remove(std::uint32_t index) noexcept;
  /// Ends the streams of the object at `index`. Returns false if a call stays in one.
  bool end_streams(std::uint32_t index) noexcept;

  /// The listed objects.
  ObjectTable& objects() noexcept { return objects_; }
  const ObjectTable& objects() const noexcept { return objects_; }
  /// Returns whether restore_state of the plugin at `index` is called if no state was saved; see
  /// Quirk.
  bool restores_without_state(std::uint32_t index) const;

  // For its objects.

  Interception& interception() noexcept { return interception_; }
  /// Returns the target of functions of a plugin other than methods.
  const CallTarget& target_of(const ValidatedPlugin& plugin) const noexcept;
  /// Returns the error of a failed function. Reports a fatal status.
  Error failed(Call& call, tenon_status status, const ValidatedPlugin& plugin, const char* method);

  /// Records that none of its functions may be called any more. Called from any thread.
  void mark_broken() noexcept { streams_.mark_broken(); }
  bool broken() const noexcept { return streams_.broken(); }

  /// Returns whether crashes of its functions are contained.
  bool contains_crashes() const noexcept { return interception_.contains_crashes(); }

  /// Returns its streams that others hold.
  RevocableStreams& streams() noexcept { return streams_; }

  /// Reports a failure that requires a restart to the module, if that still exists.
  void report(RestartReason why, const Error& error) noexcept;

  /// Returns the methods of all its plugins.
  std::shared_ptr<const std::vector<PluginMethods>> methods() const noexcept { return methods_; }
  /// Returns those of the plugin at `index`, an element of `methods()`; nullptr if there is no
  /// object.
  const PluginMethods* methods_of(std::uint32_t index) const noexcept TENON_REQUIRES(module_lock);
  /// Returns whether it has a plugin that can be used as version `target` of the kind.
  bool provides(const Kind& kind, std::int32_t target, std::string_view name) const {
    return choose(kind, target, name) != nullptr;
  }

 private:
  Generation(std::optional<Image> image, ValidatedModule validated, const Manifest& manifest,
             const GenerationContext& context);
  friend struct EndGeneration;
  void end() noexcept;
  /// Returns what is preserved during start, stop and the first create.
  Preserved preserved() const noexcept {
    return image_ ? image_->preserved() : Preserved::float_modes_and_signals;
  }
  const ValidatedPlugin* choose(const Kind& kind, std::int32_t target, std::string_view name) const;
  tenon_status run_stream(std::string_view function, tenon_call* call, const Body& body) override;
  tenon_status stream_failed(std::string_view function, tenon_call* call,
                             tenon_status status) override;
  tenon_status stream_threw(std::string_view function, tenon_call* call) override;
  bool end_streams(std::uint32_t index, std::chrono::steady_clock::time_point deadline) noexcept;
  Result<void> adapt(PluginObject& object, std::int32_t target);
  std::size_t index_of(const ValidatedPlugin& plugin) const noexcept {
    return static_cast<std::size_t>(&plugin - validated_.plugins.data());
  }

  // The image is destroyed last: everything else may point into it.
  std::optional<Image> image_;
  std::string package_;
  const AbiVersion abi_;
  ValidatedModule validated_;               // plugins sorted by name
  std::vector<CallTarget> plugin_targets_;  // for functions other than methods, by plugin
  std::shared_ptr<const std::vector<PluginMethods>> methods_;  // by plugin
  const std::weak_ptr<GenerationOwner> owner_;
  const std::chrono::milliseconds patience_;
  Interception interception_;
  RevocableStreams streams_;
  const std::shared_ptr<ModuleHost> host_;  // shared with the image
  bool started_ = false;
  std::atomic<bool> created_{false};  // a plugin's create was called
  // Until the first create has begun; owned.
  std::atomic<LoadRecord*> load_record_{nullptr};
  Mutex& mutex_;  // of the module
  ObjectTable objects_;
};

}}}  // namespace tenon::v0_1::detail
