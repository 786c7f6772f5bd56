// SPDX-License-Identifier: BSL-1.0
//
// A module in a host: its file, the generation that serves and the live instances. The first
// instance loads it and the last one unloads it; restart.hpp replaces its code in between.
#pragma once

#include <tenon/events.hpp>
#include <tenon/gen/instance.hpp>
#include <tenon/host.hpp>
#include <tenon/result.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "base/log.hpp"
#include "base/timer_queue.hpp"
#include "base/workers.hpp"
#include "call/call_counters.hpp"
#include "call/operation.hpp"
#include "call/thread_records.hpp"
#include "image/image.hpp"
#include "image/image_reaper.hpp"
#include "manifest/manifest.hpp"
#include "module/events.hpp"
#include "module/failures.hpp"
#include "module/generation.hpp"
#include "module/instance_count.hpp"
#include "platform/file.hpp"

namespace tenon::detail {

class Module;
class Restart;

/// An Instance with what its module needs to create it again. It keeps the module alive, see
/// Module::self_.
class LiveInstance : public Instance {
 public:
  /// `wanted` lives as long as the module.
  LiveInstance(Module& module, std::uint32_t index, const Wanted& wanted, Owner owner,
               std::uint64_t serial);

  Module& module() const noexcept { return module_; }
  const Wanted& wanted() const noexcept { return wanted_; }
  /// The methods of its session are refused until it is opened again.
  void make_stale() noexcept { stale_.store(true); }
  /// The generation that has it as a client, by its leases: for the streams that it passes.
  void make_client_of(LeaseList& streams) noexcept {
    asker_ = &streams.generation();
    asker_streams_ = &streams;
  }
  LeaseList& client_of() const noexcept { return *asker_streams_; }

 private:
  friend class Module;
  friend class Restart;

  LeaseList* asker_streams_ = nullptr;
  Module& module_;
  const std::uint32_t index_;
  const Owner owner_;
  const std::uint64_t serial_;  // of its create; no other instance of the module has it
  const Wanted& wanted_;
  // Guarded by the module.
  std::shared_ptr<const TextMap> config_;
  std::uint64_t configured_ = 0;          // how often
  const KindVersion* version_ = nullptr;  // of the plugin
};

/// What a restart has to know of an instance to create it again. A copy: the instance may end.
struct InstanceRecord {
  std::uint64_t serial = 0;  // 0: there is no instance
  std::uint64_t configured = 0;
  const Wanted* wanted = nullptr;  // of the module
  std::shared_ptr<const TextMap> config;
};

/// Where the code of a module comes from.
struct ModuleOrigin {
  /// Of a standalone module; empty for a builtin.
  std::filesystem::path file;
  /// Of a builtin.
  const tenon_module* builtin = nullptr;
};

/// What the modules of a host share. Modules may outlive the host.
struct ModuleContext {
  std::weak_ptr<PluginDirectory> directory;
  RestartOptions restart;
  std::shared_ptr<ImageFolder> images;
  std::shared_ptr<ImageReaper> reaper;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<Workers> workers;
  std::shared_ptr<Log> log;
  std::shared_ptr<Events> events;
  bool contain_crashes = false;
  bool check_calls = false;
  bool count_calls = false;
};

/// A generation that does not serve any more, until it has been unloaded. The operation is its end.
struct Retired : Operation {
  /// Takes the generation once memory for all else is there.
  Retired(GenerationPtr& taken, std::optional<Event> event, Clock::duration step_limit)
      : Operation(step_limit),
        package(taken->package()),
        event(std::move(event)),
        since(Clock::now()),
        generation(std::move(taken)) {}

  const std::string package;
  const std::optional<Event> event;  // reports the end; nothing: nobody is interested
  const Clock::time_point since;
  GenerationPtr generation;
  // Guarded by the module.
  std::thread::id worker;  // waits for its calls, or ends it; nobody: std::thread::id()
  bool reported = false;   // that it takes long
  bool over = false;       // it has been unloaded, or given up
};

/// A restart that somebody may be waiting for. What changes is guarded by the module.
struct RestartRequest {
  RestartRequest(RestartReason reason, const RestartHow& how, bool waited_for,
                 std::uint64_t asked_at)
      : reason(reason), how(how), waited_for(waited_for), asked_at(asked_at) {}

  const RestartReason reason;
  const RestartHow how;
  const bool waited_for;
  const std::uint64_t asked_at;  // the number of the generation that served then
  bool answered = false;
  Result<void> answer = no_memory();  // until there is another one
  std::shared_ptr<Retired> old;  // the generation that lost: the one before, or the one that failed

 private:
  static Error no_memory();
};

/// Thread-safe. No lock of it is held while a plugin, a callback or the system's loader runs.
///
/// Calls wait for nothing but a closed gate. Instances are created and released at any time, except
/// that creates wait for the short moment in which a restart publishes. One thread at a time loads
/// or restarts the module: it holds the lifecycle lock, which is no mutex but a ticket, so that a
/// worker that hangs loses it to the thread that finds out.
class Module final : public ServingModule,
                     public FaultSink,
                     public std::enable_shared_from_this<Module> {
 public:
  using Clock = std::chrono::steady_clock;

  Module(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
         const ModuleContext& context);
  /// Runs no code of the module: what is still loaded then stays loaded.
  ~Module();

  const ModuleOrigin& origin() const noexcept { return origin_; }
  /// Whether this process is a child of the one in which the module was made. Its locks, background
  /// threads and files are not used then, and nothing of it changes any more.
  bool inherited() const noexcept { return process_.inherited(); }
  /// Of the code that serves, or of the file where none is loaded.
  std::shared_ptr<const Manifest> manifest() const;
  ModuleInfo info() const;
  /// Whether code of it is loaded, or instances wait for it to be.
  bool in_use() const;
  /// Whether a host may forget it: it is not in use, not about to be, and no code of it is left.
  bool idle() const;
  /// Takes the manifest that was found in its file, unless the module is in use or about to be: it
  /// then keeps its manifest until it is restarted. A file other than the one that was loaded last
  /// also ends a quarantine.
  void take_manifest(std::shared_ptr<const Manifest> found, const platform::FileIdentity& identity);
  /// Returns whether its manifest says the same as this one.
  bool has_manifest(const Manifest& manifest) const;

  /// Creates an instance of the plugin `name`, for use as version `target` of a kind; loads the
  /// module when it is the first. Errors: those of loading and of the plugin; `module-quarantined`,
  /// `module-restarting`, `module-busy`.
  Result<InstancePtr> create(const Kind& kind, std::int32_t target, std::string_view name,
                             const std::optional<TextMap>& config, Owner owner);
  /// Ends an instance; unloads the module when it was the last. Called by InstanceDeleter.
  void release(LiveInstance& instance) noexcept;

  /// The plugin behind an instance took a configuration in a call that is still under way.
  void remember_config(LiveInstance& instance, const TextMap& config);

  /// See Host::restart.
  Result<Restarted> restart(RestartReason reason, const RestartHow& how);
  /// The same on a worker, as soon as possible.
  void restart_soon(RestartReason reason);
  /// Whether it is in use, or in quarantine, and its file is another one than was loaded.
  bool changed() const;
  /// The host ends: from now on nothing is created, called or restarted.
  void begin_shut_down() noexcept;
  /// Ends what is left of it, when no instance is. Reports what hangs after the deadline, and
  /// leaves it loaded. REQUIRED: begin_shut_down was called.
  void shut_down(Clock::time_point deadline) noexcept;

  void fault(Generation& generation, RestartReason why, const Error& error) noexcept override;

  /// Whether a method of the latest interface is one of the plugin's own in the code that serves
  /// now; where none does, whether the version that it had last has the method.
  bool implements(const LiveInstance& instance, std::string_view method) const;

  /// What became of a call that found the gate closed: it has opened; the thread is inside the
  /// generation behind it and goes on there; nobody serves.
  struct Passage {
    bool opened;
    Generation* behind;
  };
  Passage pass_gate() noexcept;
  /// Why nobody serves, for a call of `method` of `plugin` where it was one.
  Error unavailable(std::string_view plugin = {}, std::string_view method = {}) const;

  /// A call has this deadline, and no look at calls is due before.
  void look_at_deadlines_at(std::int64_t deadline) noexcept;

 private:
  friend class Restart;

  struct Loaded {
    GenerationPtr generation;
    std::shared_ptr<const Manifest> manifest;
    platform::FileIdentity identity;
    std::unique_ptr<CatalogChange> change;  // nullptr where the manifest is the same
  };
  class LifecycleLock;
  class Claim;
  struct Order;
  using Lock = std::unique_lock<Mutex>;

  // Of instances.
  Result<void> become_ready(Lock& lock);
  bool wait_while_frozen(Lock& lock) noexcept;
  Result<InstancePtr> create_in(Generation& generation, const Inside& inside, const Order& order);
  InstancePtr add(Generation::Object& object, const Order& order,
                  std::shared_ptr<const TextMap> config);
  std::uint32_t free_index();
  const Wanted& wanted_of(const Order& order);
  void let_go(Owner owner) noexcept;
  Result<void> load_first(Lock& lock);
  void unload_if_unused() noexcept;
  void open_to_creates() noexcept;
  bool has_instances() const noexcept;
  bool wanted_by_nobody() const noexcept;
  bool unused() const noexcept;
  void touch(std::uint32_t index);
  InstanceRecord record_of(std::uint32_t index) const;

  // Of what serves.
  Result<Loaded> load();
  Result<Loaded> load_and_lock(Lock& lock);
  /// Does something on a worker; where there is none, on the calling thread.
  template <class Job>
  void run_on_worker(const Job& job) noexcept {
    try {
      if (context_.workers->run(job)) return;
    } catch (const std::bad_alloc&) {
    }
    job();
  }
  Result<void> admit(const Manifest& before, const Manifest& fresh, const Bundle& bundle);
  Result<Image> load_image(Bundle bundle, bool joins_threads);
  GenerationContext generation_context();
  void adopt(Loaded&& fresh) noexcept;
  void serve_again() noexcept;

  // Of restarts.
  Result<std::shared_ptr<RestartRequest>> begin_restart(RestartReason reason, const RestartHow& how,
                                                        bool waited_for, std::uint64_t count);
  Result<void> wait_for(Lock& lock, RestartRequest& request);
  Clock::time_point next_look_at_restart() const noexcept;
  void perform(const std::shared_ptr<RestartRequest>& request);
  void perform_restart(const std::shared_ptr<RestartRequest>& request);
  Result<void> run_and_lock(const std::shared_ptr<Restart>& restart, Lock& lock);
  bool begins(RestartRequest& request, bool has_lifecycle_lock);
  void answer(RestartRequest& request, const Event& what);
  void answer(RestartRequest& request) noexcept;
  void end_late(Restart& restart);
  Clock::time_point& restart_due(RestartReason reason) noexcept;
  void restart_later(RestartReason reason, const RestartHow& how, Clock::time_point when);
  void restart_now(RestartReason reason, const RestartHow& how, std::uint64_t count);
  void count_failure(RestartReason why, const std::string& text);

  // Of what hangs.
  void watch(const std::shared_ptr<Operation>& operation, Clock::time_point when) noexcept;
  void give_up_overdue(Lock& lock) noexcept;
  void give_up(Lock& lock, const Operation::Hang& hang) noexcept;
  void give_up(Lock& lock, const std::shared_ptr<Retired>& old,
               const Operation::Hang& hang) noexcept;
  void recover(const std::shared_ptr<Restart>& given_up, const Operation::Hang& hang);
  void lose_generation();
  Error hung(const Operation::Hang& hang) const;

  // Of what served.
  std::shared_ptr<Retired> retire(GenerationPtr& generation, std::optional<Event> event);
  void run_drain(const std::shared_ptr<Retired>& old) noexcept;
  bool drain(const std::shared_ptr<Retired>& old, Clock::time_point deadline) noexcept;
  Occupancy occupancy_of(Retired& old, Clock::time_point deadline) noexcept;
  void keep_mapped(const std::shared_ptr<Retired>& old) noexcept;
  bool unload(const std::shared_ptr<Retired>& old) noexcept;
  void wait_for_end(Lock& lock, const std::shared_ptr<Retired>& old) noexcept;
  void report_stayed(const Reload& reload, const Retired& old) noexcept;
  template <class Message>
  void tell_of(const Retired& old, Event::Type type, Message message) noexcept;
  void look_again() noexcept;
  void plan_look();
  void drain_retired() noexcept;
  void wait_for_others(Lock& lock, Clock::time_point deadline) noexcept;
  bool others_drain() const noexcept;
  std::vector<Event> give_up_restart();
  static Event overdue(Event event, const char* what);
  void look_at_deadlines() noexcept;

  Error refused(std::string found) const;
  Error busy() const;
  Error why_unavailable(std::string_view plugin = {}, std::string_view method = {}) const;
  std::string reasons() const;
  const std::string& where() const noexcept { return where_; }
  Event event(Event::Type type) const;
  void tell(const Event& event) const noexcept { context_.events->tell(event); }

  const ModuleOrigin origin_;
  const std::string where_;
  const ModuleContext context_;
  const platform::ProcessMark process_;
  const std::shared_ptr<CallCounters> counters_ = std::make_shared<CallCounters>();

  mutable Mutex mutex_{LockRank::module};
  std::condition_variable_any changed_;  // the gate opens, the lifecycle lock is free
  std::condition_variable_any done_;     // a restart is answered, a generation has ended
  // Where creates begin without the lock; nullptr while they have to look at the rest. They count
  // in `uses_`, enter the generation and then load this again.
  std::atomic<Generation*> open_{nullptr};
  std::atomic<std::uint64_t> serials_{0};  // of creates
  InstanceCount uses_;  // instances, those that are being created, and those that have not ended
  std::uint64_t lifecycle_ = 0;         // the ticket of the lifecycle lock; 0: free
  std::uint64_t tickets_ = 0;           // given so far
  std::thread::id lifecycle_thread_;    // of its holder
  std::shared_ptr<Restart> restart_;    // under way
  std::vector<std::uint32_t> touched_;  // instances that changed since the restart looked last
  bool frozen_ = false;                 // no create may begin
  Clock::time_point gate_deadline_;     // of the frozen state, and of the gate while it is closed
  bool shut_down_ = false;

  std::shared_ptr<const Manifest> manifest_;
  platform::FileIdentity identity_;
  GenerationPtr generation_;
  std::uint64_t count_ = 0;                      // of generations
  std::shared_ptr<Module> self_;                 // while `uses_` counts an instance
  std::shared_ptr<PluginDirectory> host_;        // while it counts one of the program
  std::set<Wanted> wanted_;                      // of all instances so far
  const Wanted* last_wanted_ = nullptr;          // the one that was asked for last
  std::vector<LiveInstance*> instances_;         // by index; nullptr where it is not used
  std::vector<std::uint32_t> free_;              // indices; room for all of them
  std::list<std::shared_ptr<Retired>> retired_;  // calls or streams may be in them
  std::list<std::shared_ptr<Retired>> ending_;   // their last functions run
  std::size_t stayed_ = 0;                       // images that could not be unloaded
  Clock::duration next_look_{};  // at retired generations; zero where none is planned

  Failures failures_;
  std::uint64_t faulted_ = 0;       // the number of the generation that failed last
  Clock::time_point not_before_{};  // until then nobody serves, since the last one crashed
  // One does not replace the other.
  Clock::time_point fault_restart_due_ = Clock::time_point::max();
  Clock::time_point asked_restart_due_ = Clock::time_point::max();
};

}  // namespace tenon::detail
