// SPDX-License-Identifier: BSL-1.0
//
// A module as the host holds it: its file, the generation that serves, the instances that live. It
// loads with the first instance, unloads with the last, and restarts all or nothing.
#pragma once

#include <tenon/host.hpp>
#include <tenon/instance.hpp>
#include <tenon/result.hpp>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "manifest/manifest.hpp"
#include "module/generation.hpp"
#include "module/image.hpp"
#include "platform/file.hpp"

namespace tenon::detail {

class Module;

/// An Instance with what its module needs to make it anew.
class LiveInstance : public Instance {
 public:
  LiveInstance(std::shared_ptr<Module> module, std::uint32_t index, Wanted wanted);

  Module& module() const noexcept { return *module_; }
  const Wanted& wanted() const noexcept { return wanted_; }

  std::optional<TextMap> config() const;
  void set_config(TextMap config);
  /// The methods of its session are refused until it begins again.
  void make_stale() noexcept { stale_.store(true); }
  /// What must live as long as the instance.
  void keep(std::shared_ptr<void> owner) noexcept { owner_ = std::move(owner); }

 private:
  friend class Module;

  std::shared_ptr<void> owner_;
  std::shared_ptr<Module> module_;
  std::uint32_t index_;
  Wanted wanted_;
  mutable std::mutex mutex_;
  std::optional<TextMap> config_;
};

/// Where the code of a module comes from.
struct ModuleOrigin {
  /// Of a drop-in; empty for a builtin.
  std::filesystem::path file;
  /// Of a builtin.
  const tenon_module* builtin = nullptr;
};

/// Thread-safe. No lock of it is held while a plugin runs.
class Module : public ServingModule, public std::enable_shared_from_this<Module> {
 public:
  Module(ModuleOrigin origin, Manifest manifest, PluginDirectory& directory,
         std::shared_ptr<ImageFolder> images);
  ~Module();

  const ModuleOrigin& origin() const noexcept { return origin_; }
  /// Of the code that serves, or of the file where none is loaded.
  Manifest manifest() const;
  ModuleInfo info() const;
  bool in_use() const;

  /// A new instance; loads when it is the first. Errors: those of loading and of the plugin.
  Result<InstancePtr> create(Wanted wanted, const std::optional<TextMap>& config);
  /// Ends an instance; unloads when it was the last. Called by InstanceDeleter.
  void release(LiveInstance& instance) noexcept;

  /// See Host::restart.
  Result<void> restart();
  /// Whether it is loaded and its file is another one than was loaded.
  bool changed() const;

  /// The version of the kind that the plugin behind an instance has now.
  const KindVersion& version_of(const LiveInstance& instance) const;

  /// What a closed gate stands for: see Entry::enter_slowly. The generation behind the gate when
  /// the calling thread is inside it, else nullptr after the gate has opened.
  Generation* pass_gate() noexcept;

  /// Calls that a restart cancels.
  void add_blocking(Call& call);
  void remove_blocking(Call& call);

 private:
  struct Loaded {
    std::unique_ptr<Generation> generation;
    Manifest manifest;
    platform::FileIdentity identity;
  };
  /// Sole right to change what serves; waits for it. Refused where the thread has it already.
  class Exclusive;

  Result<Loaded> load();
  Result<void> load_first();
  void unload_if_unused() noexcept;
  Result<void> fill(Generation& fresh, const std::vector<LiveInstance*>& instances);
  Result<void> replace_beside(Loaded& fresh, const std::vector<LiveInstance*>& instances);
  Result<void> replace_behind_gate(Loaded& fresh, const std::vector<LiveInstance*>& instances);
  std::unique_ptr<Generation> adopt(Loaded& fresh) noexcept;
  void close_gate();
  void open_gate(Generation& generation);
  void retire(std::unique_ptr<Generation> old);
  void end_retired();
  Error refused(std::string found) const;
  std::string where() const;
  std::uint32_t free_index();

  const ModuleOrigin origin_;
  PluginDirectory& directory_;
  const std::shared_ptr<ImageFolder> images_;
  Serving gate_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::thread::id exclusive_;  // who may change what serves
  std::size_t under_way_ = 0;  // creates and releases
  bool interrupting_ = false;  // the gate is closed: blocking calls are cancelled
  Manifest manifest_;
  platform::FileIdentity identity_;
  std::unique_ptr<Generation> generation_;
  std::uint64_t count_ = 0;               // of generations
  std::vector<LiveInstance*> instances_;  // by index; nullptr where it is free
  std::vector<Call*> blocking_;
  std::vector<std::unique_ptr<Generation>> retired_;  // with calls that have not ended
};

}  // namespace tenon::detail
