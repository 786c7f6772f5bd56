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
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifest/manifest.hpp"
#include "module/admission.hpp"
#include "module/image.hpp"
#include "module/lease.hpp"
#include "module/module_host.hpp"
#include "module/state.hpp"
#include "module/supervision.hpp"

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

/// Ends what instances are left, stops the module, unloads it. No thread may be inside. One that
/// has broken down, or does now, is kept as it is: its code may be in any state.
struct EndGeneration {
  void operator()(Generation* generation) const noexcept;
};
using GenerationPtr = std::unique_ptr<Generation, EndGeneration>;

/// Thread-safe, but a plugin's functions that run alone for one index (create, configure, destroy
/// and those around state) do not overlap: the module sees to that.
class Generation : public Serving {
 public:
  /// Admits the module and runs its `start`. `image` is nothing for a builtin. Errors: those of
  /// admission, start-failed.
  static Result<GenerationPtr> begin(std::optional<Image> image, const tenon_module& module,
                                     const Manifest& manifest, const std::string& where,
                                     PluginDirectory& directory, FaultSink& faults,
                                     const SupervisionOptions& supervision);
  /// Unloads the module.
  ~Generation() = default;
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  const std::string& package() const noexcept { return package_; }
  /// Ends what instances are left, stops the module, and answers its image, to be ended after the
  /// generation. Nothing for a builtin, nor where the module broke down. No thread may be inside.
  std::optional<Image> stop() noexcept;
  /// Whether it may be replaced while the host runs; the answer when it may not.
  const Reload* not_reloadable() const noexcept {
    return image_ && !image_->reloadable() ? &image_->reload() : nullptr;
  }

  /// Makes the object of an instance under `index` and the adapter to the version wanted; replaces
  /// nothing that calls see until it succeeded. Errors: not-found, those of the plugin's create.
  Result<void> add(std::uint32_t index, const Wanted& wanted);
  /// Ends the object under `index`, if there is one, and its streams before. No call may be inside
  /// it; one that stays in a stream keeps the object until the generation ends.
  void remove(std::uint32_t index) noexcept;
  /// Calls the plugin's configure method.
  Result<void> configure(std::uint32_t index, const TextMap& config);
  /// Whether the plugin under `index` has a state that a restart carries over.
  bool saves_state(std::uint32_t index) const;
  bool restores_state(std::uint32_t index) const;
  /// Whether it wants to be told that it goes on after another although nothing was saved.
  bool restores_without_state(std::uint32_t index) const;
  /// The plugin's state, to be kept. Errors: those of its save_state; state-refused.
  Result<Bytes> save_state(std::uint32_t index, const StateForms& forms,
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

  /// The version of the kind that the plugin under `index` has.
  const KindVersion& version_of(std::uint32_t index) const;

  /// What calls see while this generation serves: `bounds` of Serving.
  void open() noexcept;

 private:
  /// One instance as it stands in this generation.
  struct Object {
    const AdmittedPlugin* plugin = nullptr;
    void* self = nullptr;
    const Adapter* adapter = nullptr;  // nullptr: used as what it is
    void* adapted = nullptr;
    std::shared_ptr<SupervisedPlugin> supervised = nullptr;
  };

  Generation(std::optional<Image> image, AdmittedModule admitted, const Manifest& manifest,
             PluginDirectory& directory, FaultSink& faults, const SupervisionOptions& supervision);
  friend struct EndGeneration;
  void end() noexcept;
  const AdmittedPlugin* choose(const Wanted& wanted) const noexcept;
  std::unique_ptr<Bound[]> new_bounds(std::size_t capacity);
  tenon_status run_stream(std::string_view function, tenon_call* call,
                          const std::function<tenon_status()>& body);
  void end_object(const Object& object) noexcept;
  void publish(std::uint32_t index, const Bound& bound);
  Object object_at(std::uint32_t index) const;
  /// Passes a failure on; one that is fatal is told to the sink.
  Error failed(const Call& call, tenon_status status, const Object& object, const char* method);

  // The image goes last: everything else may point into it.
  std::optional<Image> image_;
  std::string package_;
  const Contract contract_;
  AdmittedModule admitted_;
  FaultSink& faults_;
  Supervision supervision_;
  LeaseList leases_;
  ModuleHost host_;
  bool started_ = false;
  mutable std::mutex mutex_;  // guards what follows; never held while the plugin runs
  std::vector<Object> objects_;
  std::vector<Object> kept_;  // calls were in their streams
  std::size_t capacity_ = 0;
  // Arrays that were outgrown stay: a call may still read them. The first entry stands for the
  // generation, see Serving.
  std::vector<std::unique_ptr<Bound[]>> bounds_;
};

}  // namespace tenon::detail
