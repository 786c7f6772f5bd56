// SPDX-License-Identifier: BSL-1.0
//
// A module as the host holds it: its file, the generation that serves, the instances that live. It
// loads with the first instance and unloads with the last; restart.hpp replaces what is between.
#pragma once

#include <tenon/events.hpp>
#include <tenon/host.hpp>
#include <tenon/instance.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "manifest/manifest.hpp"
#include "module/call_counters.hpp"
#include "module/events.hpp"
#include "module/failures.hpp"
#include "module/generation.hpp"
#include "module/image.hpp"
#include "module/image_reaper.hpp"
#include "module/keeper.hpp"
#include "platform/file.hpp"

namespace tenon::detail {

class Module;

/// An Instance with what its module needs to make it anew.
class LiveInstance : public Instance {
 public:
  LiveInstance(std::shared_ptr<Module> module, std::uint32_t index, Wanted wanted,
               std::uint64_t serial);

  Module& module() const noexcept { return *module_; }
  const Wanted& wanted() const noexcept { return wanted_; }
  /// The methods of its session are refused until it begins again.
  void make_stale() noexcept { stale_.store(true); }
  /// What must live as long as the instance.
  void keep(std::shared_ptr<void> owner) noexcept { owner_ = std::move(owner); }
  /// The generation that has it as a client, by its leases: for the streams that it passes.
  void make_client_of(LeaseList& asker) noexcept { asker_ = &asker; }
  LeaseList& client_of() const noexcept { return *asker_; }

 private:
  friend class Module;
  friend class Restart;

  std::shared_ptr<void> owner_;
  LeaseList* asker_ = nullptr;
  std::shared_ptr<Module> module_;
  const std::uint32_t index_;
  const std::uint64_t serial_;  // no other instance of the module has it
  const Wanted wanted_;
  // Guarded by the module.
  std::optional<TextMap> config_;
  std::uint64_t configured_ = 0;          // how often
  const KindVersion* version_ = nullptr;  // until it is made
};

/// What a restart has to know of an instance to make it anew. A copy: the instance may end.
struct InstanceRecord {
  std::uint32_t index;
  std::uint64_t serial;
  Wanted wanted;
  std::optional<TextMap> config;
  std::uint64_t configured;
};

/// Where the code of a module comes from.
struct ModuleOrigin {
  /// Of a drop-in; empty for a builtin.
  std::filesystem::path file;
  /// Of a builtin.
  const tenon_module* builtin = nullptr;
};

/// What the modules of a host share.
struct ModuleContext {
  PluginDirectory& directory;
  RestartOptions restart;
  std::shared_ptr<ImageFolder> images;
  std::shared_ptr<ImageReaper> reaper;
  std::shared_ptr<Keeper> keeper;
  std::shared_ptr<Events> events;
  bool contain_crashes = false;
  bool count_calls = false;
};

/// Thread-safe. No lock of it is held while a plugin runs.
///
/// Three things exclude each other only as far as they must. Calls never wait for anything but a
/// closed gate. Instances come and go at any time but while what serves is being exchanged (a
/// standstill). Loading, replacing and unloading is the right of one thread at a time.
class Module final : public ServingModule,
                     public FaultSink,
                     public std::enable_shared_from_this<Module> {
 public:
  using Clock = std::chrono::steady_clock;

  Module(ModuleOrigin origin, Manifest manifest, const ModuleContext& context);
  ~Module();

  const ModuleOrigin& origin() const noexcept { return origin_; }
  /// Of the code that serves, or of the file where none is loaded.
  Manifest manifest() const;
  ModuleInfo info() const;
  /// Whether code of it is loaded, or instances wait for it to be.
  bool in_use() const;

  /// A new instance; loads when it is the first. Errors: those of loading and of the plugin;
  /// `quarantined`, `restarting`, `busy`.
  Result<InstancePtr> create(Wanted wanted, const std::optional<TextMap>& config);
  /// Ends an instance; unloads when it was the last. Called by InstanceDeleter.
  void release(LiveInstance& instance) noexcept;

  /// The plugin behind an instance took a configuration in a call that is still under way.
  void remember_config(LiveInstance& instance, const TextMap& config);

  /// See Host::restart.
  Result<Restarted> restart(RestartReason reason, const RestartHow& how);
  /// The same by the keeper, as soon as it can.
  void restart_soon(RestartReason reason);
  /// Whether it is in use, or in quarantine, and its file is another one than was loaded.
  bool changed() const;

  void fault(Generation& generation, RestartReason why, const Error& error) noexcept override;

  /// The version of the kind that the plugin behind an instance has now, or had last.
  const KindVersion& version_of(const LiveInstance& instance) const;

  /// What became of a call that found the gate closed: it has opened; the thread is inside the
  /// generation behind it and goes on there; nobody serves.
  struct Passage {
    bool opened;
    Generation* behind;
  };
  Passage pass_gate() noexcept;
  /// Why nobody serves.
  Error unavailable() const;

  /// A call has this deadline, and no look at calls is due before.
  void look_at_deadlines_at(std::int64_t deadline) noexcept;

  /// Calls that a restart cancels.
  void add_blocking(Call& call);
  void remove_blocking(Call& call);

 private:
  friend class Restart;

  struct Loaded {
    GenerationPtr generation;
    Manifest manifest;
    platform::FileIdentity identity;
  };
  /// A generation that does not serve any more but that somebody may still be in.
  struct Left {
    GenerationPtr generation;
    Event end;  // as which its end is told
    Clock::time_point since;
    bool looked_at = false;  // by the one thread that waits for its end
    bool told = false;       // that it takes long
  };
  class Right;
  using Lock = std::unique_lock<std::mutex>;

  // Of instances.
  Result<void> become_ready(Lock& lock);
  Result<void> load_first();
  void unload_if_unused() noexcept;
  bool has_instances() const noexcept;
  std::uint32_t free_index();
  std::vector<InstanceRecord> look() const;

  // Of what serves.
  Result<Loaded> load();
  Result<Image> load_image(std::vector<std::byte> content, bool joins_threads);
  SupervisionOptions supervision() noexcept;
  std::optional<Left> adopt(Loaded&& fresh);
  Result<void> stand_still(Clock::time_point deadline);
  bool stand_still_no_longer() noexcept;
  void serve_again() noexcept;

  // Of what served.
  void drain(std::optional<Left> old);
  void unload(Left old) noexcept;
  bool end(std::list<Left>::iterator old, Clock::time_point deadline);
  void look_after(Left old);
  void look_again() noexcept;
  void end_left() noexcept;
  void look_at_deadlines() noexcept;

  // Of faults.
  Result<void> replace(RestartReason reason, const RestartHow& how, bool waits);
  void restart_later(RestartReason reason, const RestartHow& how, Clock::time_point when);
  void restart_now(RestartReason reason, const RestartHow& how);
  bool release();
  void count_failure(RestartReason why, const std::string& text);

  Error refused(std::string found) const;
  Error busy() const;
  std::string reasons() const;
  std::string where() const;
  Event event(Event::Type type) const;
  void tell(const Event& event) const noexcept { context_.events->tell(event); }

  const ModuleOrigin origin_;
  const ModuleContext context_;
  CallCounters counters_;
  Serving gate_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::thread::id holder_;           // of the right
  bool still_ = false;               // no create and no release may begin
  bool suspended_ = false;           // what is behind the gate cannot go on as it is
  Clock::time_point gate_deadline_;  // of the standstill, and of the gate while it is closed
  std::size_t wanted_ = 0;           // instances that are about to be made
  std::size_t under_way_ = 0;        // creates and releases
  bool interrupting_ = false;        // blocking calls are cancelled

  Manifest manifest_;
  platform::FileIdentity identity_;
  GenerationPtr generation_;
  std::uint64_t count_ = 0;               // of generations
  std::uint64_t serials_ = 0;             // of instances
  std::vector<LiveInstance*> instances_;  // by index; nullptr where it is free
  std::vector<Call*> blocking_;
  std::list<Left> left_;
  std::size_t stayed_ = 0;       // images that could not be unloaded
  Clock::duration next_look_{};  // at what is left; zero where nobody looks

  Failures failures_;
  std::uint64_t faulted_ = 0;       // the number of the generation that failed last
  Clock::time_point not_before_{};  // until then nobody serves, since the last one crashed
  Clock::time_point restart_due_ = Clock::time_point::max();
};

}  // namespace tenon::detail
