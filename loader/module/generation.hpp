// SPDX-License-Identifier: BSL-1.0
//
// One loaded image of a module with the objects of its instances. A restart makes a new one.
#pragma once

#include <tenon/call.hpp>
#include <tenon/events.hpp>
#include <tenon/gen/instance.hpp>
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
#include "call/lease.hpp"
#include "call/thread_records.hpp"
#include "image/image.hpp"
#include "manifest/manifest.hpp"
#include "module/admission.hpp"
#include "module/module_host.hpp"
#include "module/state.hpp"
#include "module/supervision.hpp"

namespace tenon::detail {

/// Which plugin an instance is of, and as what version of the kind its owner uses it.
struct Wanted {
  const Kind* kind;
  std::int32_t target;
  std::string name;

  friend bool operator<(const Wanted& a, const Wanted& b) noexcept {
    return std::tie(a.kind, a.target, a.name) < std::tie(b.kind, b.target, b.name);
  }
};

class Generation;

/// Who hears that the code of a generation failed in a way that asks for a restart.
class FaultSink {
 public:
  /// From any thread, also from inside a call into `generation`. After a crash the generation has
  /// broken down.
  virtual void fault(Generation& generation, RestartReason why, const Error& error) noexcept = 0;

 protected:
  ~FaultSink() = default;
};

/// Ends the instances that are left, stops the module and unloads it. No thread may be inside. A
/// generation that has broken down, or does now, is kept as it is: its code may be in any state.
struct EndGeneration {
  void operator()(Generation* generation) const noexcept;
};
using GenerationPtr = std::unique_ptr<Generation, EndGeneration>;
/// Keeps a generation for ever, without calling any function of it.
void leave_loaded(GenerationPtr generation) noexcept;

/// What a generation needs of its host. May outlive the host: what is left of it then has no
/// effect.
struct GenerationContext {
  /// The lock of the module. A generation that is left loaded after it is not used any more.
  Mutex& mutex;
  std::weak_ptr<PluginDirectory> directory;
  std::weak_ptr<FaultSink> faults;
  std::shared_ptr<Log> log;
  SupervisionOptions supervision;
  /// How long the end of an instance waits for calls in its streams, which it cancels.
  std::chrono::milliseconds patience;
};

/// Thread-safe. The lock of the module guards its objects: an instance and its object are listed in
/// one step. `create` of an index runs alone, and `destroy` after all other functions of the object
/// have returned: `remove` leaves that to the last of them.
class Generation final : public Serving, private StreamRunner {
 public:
  /// Admits the module and runs its `start`. `image` is nothing for a builtin. Errors: those of
  /// admission, start-failed.
  static Result<GenerationPtr> begin(std::optional<Image> image, const tenon_module& module,
                                     const Manifest& manifest, const std::string& where,
                                     const GenerationContext& context);
  /// Unloads the module.
  ~Generation() = default;
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  const std::string& package() const noexcept { return package_; }
  Log& log() const noexcept { return *log_; }
  /// Ends the instances that are left, stops the module and returns its image, to be ended after
  /// the generation. Nothing for a builtin, nor where the module broke down. No thread may be
  /// inside.
  std::optional<Image> stop() noexcept;
  /// Whether it may be replaced while the host runs; the answer when it may not.
  const Reload* not_reloadable() const noexcept {
    return image_ && !image_->reloadable() ? &image_->reload() : nullptr;
  }

  /// An object of a plugin, as the functions of the plugin reach it.
  struct Reached {
    const AdmittedPlugin* plugin = nullptr;  // nullptr: there is no object
    void* self = nullptr;
    const Adapter* adapter = nullptr;  // nullptr: used as what it is
    CallTarget target;                 // where its calls go
    std::uint64_t number = 0;  // no other object of the generation has it, once it is listed
  };
  /// The object of an instance with what belongs to it.
  struct Object : Reached {
    void* adapted = nullptr;
    std::unique_ptr<SupervisedPlugin> supervised = nullptr;
    std::size_t uses = 0;  // functions under way, apart from methods
  };

  /// Creates an object and the adapter to the version that is asked for. The caller is `inside`,
  /// and lists the object or ends it. Errors: missing-plugin, those of the plugin's create.
  Result<void> create(const Kind& kind, std::int32_t target, std::string_view name,
                      const Inside& inside, Object& object);
  /// Shows an object to calls under `index`, which is free. REQUIRED: the lock. Where an allocation
  /// fails the object is left to the caller.
  void list(std::uint32_t index, Object& object);
  /// Takes the object under `index` from the list, to be ended without the lock; returns none where
  /// there is none, or where it is ended later: by the last of the functions below that are under
  /// way in it, or with the generation where a call stays in one of its streams. No method may be
  /// under way in it. REQUIRED: the lock.
  Object take(std::uint32_t index, bool streams_ended) noexcept;
  /// Ends the streams of the object under `index`. Returns whether no call stays in one.
  bool end_streams(std::uint32_t index) noexcept;
  /// Ends an object that is not listed, if there is one. The caller is `inside`.
  void end(const Object& object, const Inside& inside) noexcept;

  /// Creates an object and lists it. Errors: those of `create`.
  Result<void> add(std::uint32_t index, const Wanted& wanted);
  /// Takes the object under `index`, if there is one, and ends it.
  void remove(std::uint32_t index) noexcept;
  /// Calls the plugin's configure method. A plugin that has none takes an empty configuration and
  /// refuses any other with `unimplemented`.
  Result<void> configure(std::uint32_t index, const TextMap& config);
  /// The same for an object that is not listed. The caller is `inside`.
  Result<void> configure(const Reached& object, const TextMap& config, const Inside& inside);
  /// Whether the plugin under `index` has a state that a restart carries over.
  bool saves_state(std::uint32_t index) const;
  bool restores_state(std::uint32_t index) const;
  /// Whether it wants to be told that it goes on after another although nothing was saved.
  bool restores_without_state(std::uint32_t index) const;
  /// The plugin's state, to be kept; nothing where it saves none. Errors: those of its save_state;
  /// state-refused.
  Result<std::optional<Bytes>> save_state(std::uint32_t index, const StateForms& forms,
                                          std::chrono::steady_clock::time_point deadline);
  /// `state`: nullptr where nothing was saved; then `forms` mean nothing.
  Result<void> restore_state(std::uint32_t index, const StateForms& forms, const Bytes* state,
                             std::chrono::steady_clock::time_point deadline);
  /// Lets go of what the next generation takes over, and takes it back. Nothing to do for plugins
  /// that have no such function.
  Result<void> suspend(std::uint32_t index, std::chrono::steady_clock::time_point deadline);
  Result<void> resume(std::uint32_t index);

  /// From now on no function of it may be called any more. From any thread.
  void break_down() noexcept { leases_.break_down(); }
  bool broken() const noexcept { return leases_.broken(); }

  /// Of the streams that others hold.
  LeaseList& leases() noexcept { return leases_; }

  /// Passes a failure that asks for a restart on to the module, if that still exists.
  void report(RestartReason why, const Error& error) noexcept;

  /// The version of the kind that the plugin under `index` has; nullptr where there is none.
  /// REQUIRED: the lock.
  const KindVersion* version_of(std::uint32_t index) const noexcept;
  /// Whether a method of the version that the instance is used as is one of the plugin's own.
  /// REQUIRED: the lock.
  bool implements(std::uint32_t index, std::string_view method) const;

  /// Calls of `module`, whose generation it is, go to it from now on. REQUIRED: the lock.
  void serve(ServingModule& module) noexcept;
  /// Where the calls of its instances go, by index.
  const CallTarget* targets() const noexcept { return newest_targets_.load(); }

 private:
  class Use;

  Generation(std::optional<Image> image, AdmittedModule admitted, const Manifest& manifest,
             const GenerationContext& context);
  friend struct EndGeneration;
  void end() noexcept;
  const AdmittedPlugin* choose(const Kind& kind, std::int32_t target,
                               std::string_view name) const noexcept;
  tenon_status run_stream(std::string_view function, tenon_call* call, const Body& body) override;
  tenon_status stream_failed(std::string_view function, tenon_call* call,
                             tenon_status status) override;
  tenon_status stream_threw(std::string_view function, tenon_call* call) override;
  bool end_streams(std::uint32_t index, std::chrono::steady_clock::time_point deadline) noexcept;
  void adapt(Object& object, std::int32_t target);
  void set_target(std::uint32_t index, const CallTarget& target);
  const CallTarget& target_of(const AdmittedPlugin& plugin) const noexcept;
  const AdmittedPlugin* plugin_of(std::uint32_t index) const noexcept;
  const tenon_base* base_of(std::uint32_t index) const;
  static const KindVersion& target_of(const Reached& object) noexcept;
  static Error no_configuration(const AdmittedPlugin& plugin, std::string message);
  /// Passes a failure on; one that is fatal is reported.
  Error failed(Call& call, tenon_status status, const AdmittedPlugin& plugin, const char* method);

  // The image goes last: everything else may point into it.
  std::optional<Image> image_;
  std::string package_;
  const AbiVersion abi_;
  AdmittedModule admitted_;                 // plugins by name
  std::vector<CallTarget> plugin_targets_;  // of functions that are no methods, by plugin
  const std::weak_ptr<FaultSink> faults_;
  const std::shared_ptr<Log> log_;
  const std::chrono::milliseconds patience_;
  Supervision supervision_;
  LeaseList leases_;
  ModuleHost host_;
  bool started_ = false;
  Mutex& mutex_;                     // of the module; guards what follows
  std::uint64_t listed_ = 0;         // objects so far
  std::vector<Object> objects_;      // by index
  std::vector<Object> removed_;      // functions or streams of theirs are under way
  ServingModule* serves_ = nullptr;  // whose calls go to it
  // Of the instances, by index. Arrays that were outgrown stay: calls may be in them.
  std::size_t capacity_ = 8;
  std::vector<std::unique_ptr<CallTarget[]>> targets_;
  std::atomic<const CallTarget*> newest_targets_{nullptr};  // read without the lock
};

}  // namespace tenon::detail
