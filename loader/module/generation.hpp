// SPDX-License-Identifier: BSL-1.0
//
// One loaded image of a module with the objects of its instances. A restart makes a new one.
#pragma once

#include <tenon/call.hpp>
#include <tenon/events.hpp>
#include <tenon/instance.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifest/manifest.hpp"
#include "module/admission.hpp"
#include "module/image.hpp"
#include "module/lease.hpp"
#include "module/lock_order.hpp"
#include "module/log.hpp"
#include "module/module_host.hpp"
#include "module/state.hpp"
#include "module/supervision.hpp"
#include "module/thread_records.hpp"

namespace tenon::detail {

/// Which plugin an instance is of, and as what version of the kind its owner uses it.
struct Wanted {
  const Kind* kind;
  std::int32_t target;
  std::string name;
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
  std::weak_ptr<PluginDirectory> directory;
  std::weak_ptr<FaultSink> faults;
  std::shared_ptr<Log> log;
  SupervisionOptions supervision;
  /// How long the end of an instance waits for calls in its streams, which it cancels.
  std::chrono::milliseconds patience;
};

/// Thread-safe. `create` of an index runs alone, and `destroy` after all other functions of the
/// object have returned: `remove` leaves that to the last of them.
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

  /// Makes the object of an instance under `index` and the adapter to the version wanted; replaces
  /// nothing that calls see until it succeeded. Errors: not-found, those of the plugin's create.
  Result<void> add(std::uint32_t index, const Wanted& wanted);
  /// Ends the object under `index`, if there is one, and its streams before. No method may be under
  /// way in it; a call that stays in a stream keeps the object until the generation ends, and a
  /// function below that is under way ends the object when it returns.
  void remove(std::uint32_t index) noexcept;
  /// Calls the plugin's configure method. A plugin that has none takes an empty configuration and
  /// refuses any other with `unimplemented`.
  Result<void> configure(std::uint32_t index, const TextMap& config);
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
  const KindVersion* version_of(std::uint32_t index) const;
  /// Whether a method of the version that the instance is used as is one of the plugin's own.
  bool implements(std::uint32_t index, std::string_view method) const;

  /// Calls of `module`, whose generation it is, go to it from now on.
  void serve(ServingModule& module) noexcept;
  /// Where the calls of its instances go, by index.
  const CallTarget* targets() const noexcept;

 private:
  /// One instance in this generation.
  struct Object {
    const AdmittedPlugin* plugin = nullptr;
    void* self = nullptr;
    const Adapter* adapter = nullptr;  // nullptr: used as what it is
    void* adapted = nullptr;
    std::shared_ptr<SupervisedPlugin> supervised = nullptr;
    std::size_t uses = 0;  // functions under way, apart from methods
    bool removed = false;
  };
  class Use;

  Generation(std::optional<Image> image, AdmittedModule admitted, const Manifest& manifest,
             const GenerationContext& context);
  friend struct EndGeneration;
  void end() noexcept;
  const AdmittedPlugin* choose(const Wanted& wanted) const noexcept;
  tenon_status run_stream(std::string_view function, tenon_call* call, const Body& body) override;
  tenon_status stream_failed(std::string_view function, tenon_call* call,
                             tenon_status status) override;
  tenon_status stream_threw(std::string_view function, tenon_call* call) override;
  void remove(std::uint32_t index, std::chrono::steady_clock::time_point deadline) noexcept;
  void end_object(std::unique_ptr<Object> object, std::uint32_t index,
                  std::chrono::steady_clock::time_point deadline) noexcept;
  void end_object(const Object& object) noexcept;
  void list(std::uint32_t index, std::int32_t target, std::unique_ptr<Object>& object);
  void set_target(std::uint32_t index, const CallTarget& target);
  const CallTarget& target_of(const AdmittedPlugin& plugin) const noexcept;
  const tenon_base* base_of(std::uint32_t index) const;
  static const KindVersion& target_of(const Object& object) noexcept;
  static Error no_configuration(const AdmittedPlugin& plugin, std::string message);
  /// Passes a failure on; one that is fatal is reported.
  Error failed(Call& call, tenon_status status, const AdmittedPlugin& plugin, const char* method);

  // The image goes last: everything else may point into it.
  std::optional<Image> image_;
  std::string package_;
  const Contract contract_;
  AdmittedModule admitted_;
  std::vector<CallTarget> plugin_targets_;  // of functions that are no methods, by plugin
  const std::weak_ptr<FaultSink> faults_;
  const std::shared_ptr<Log> log_;
  const std::chrono::milliseconds patience_;
  Supervision supervision_;
  LeaseList leases_;
  ModuleHost host_;
  bool started_ = false;
  mutable Mutex mutex_{LockRank::generation};     // guards what follows
  std::vector<std::unique_ptr<Object>> objects_;  // by index; nullptr where there is none
  std::vector<std::unique_ptr<Object>> removed_;  // functions or streams of theirs are under way
  ServingModule* serves_ = nullptr;               // whose calls go to it
  // Of the instances, by index. Arrays that were outgrown stay: calls may be in them.
  std::size_t capacity_ = 8;
  std::vector<std::unique_ptr<CallTarget[]>> targets_;
};

}  // namespace tenon::detail
