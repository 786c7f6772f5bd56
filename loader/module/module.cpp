// SPDX-License-Identifier: BSL-1.0
#include "module/module.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "manifest/module_file.hpp"
#include "module/log.hpp"
#include "module/thread_records.hpp"

namespace tenon::detail {
namespace {

// How long a restart waits for calls to end before it gives up or leaves their generation loaded.
constexpr auto drain_patience = std::chrono::seconds(10);

// Far above any real module; keeps a file that is none from filling the memory.
constexpr std::size_t largest_file = std::size_t{1} << 30;

auto drain_deadline() {
  return std::chrono::steady_clock::now() + drain_patience;
}

}  // namespace

LiveInstance::LiveInstance(std::shared_ptr<Module> module, std::uint32_t index, Wanted wanted)
    : Instance(*module, index),
      module_(std::move(module)),
      index_(index),
      wanted_(std::move(wanted)) {}

std::optional<TextMap> LiveInstance::config() const {
  std::lock_guard lock(mutex_);
  return config_;
}

void LiveInstance::set_config(TextMap config) {
  std::lock_guard lock(mutex_);
  config_ = std::move(config);
}

/// While it lives, no create or release is under way and no other thread changes what serves.
class Module::Exclusive {
 public:
  Exclusive(Module& module, std::unique_lock<std::mutex>& lock) : module_(module) {
    module_.changed_.wait(
        lock, [&] { return module_.exclusive_ == std::thread::id() && module_.under_way_ == 0; });
    module_.exclusive_ = std::this_thread::get_id();
  }
  ~Exclusive() {
    std::lock_guard lock(module_.mutex_);
    module_.exclusive_ = {};
    module_.changed_.notify_all();
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

 private:
  Module& module_;
};

Module::Module(ModuleOrigin origin, Manifest manifest, PluginDirectory& directory,
               std::shared_ptr<ImageFolder> images)
    : origin_(std::move(origin)),
      directory_(directory),
      images_(std::move(images)),
      manifest_(std::move(manifest)) {}

Module::~Module() {
  // Code that a thread is still in cannot be taken from under it.
  for (auto& old : retired_) {
    if (!wait_until_left(*this, *old, drain_deadline())) static_cast<void>(old.release());
  }
}

Manifest Module::manifest() const {
  std::lock_guard lock(mutex_);
  return manifest_;
}

std::string Module::where() const {
  return origin_.builtin != nullptr ? "builtin " + manifest_.name : origin_.file.string();
}

ModuleInfo Module::info() const {
  std::lock_guard lock(mutex_);
  const auto live = std::count_if(instances_.begin(), instances_.end(),
                                  [](const LiveInstance* instance) { return instance != nullptr; });
  return {manifest_.name, manifest_.version.to_string(), origin_.file, generation_ != nullptr,
          count_,         static_cast<std::size_t>(live)};
}

bool Module::in_use() const {
  std::lock_guard lock(mutex_);
  return generation_ != nullptr;
}

Error Module::refused(std::string found) const {
  return Error({.code = "restart-refused",
                .status = TENON_FAILED_PRECONDITION,
                .message = std::move(found),
                .where = where()});
}

// -- Instances ----------------------------------------------------------------

Result<InstancePtr> Module::create(Wanted wanted, const std::optional<TextMap>& config) {
  std::unique_lock lock(mutex_);
  if (exclusive_ == std::this_thread::get_id()) {
    return refused("the module asks for an instance of itself while it is loaded or restarted");
  }
  changed_.wait(lock, [&] { return exclusive_ == std::thread::id(); });
  while (generation_ == nullptr) {
    lock.unlock();
    if (auto loaded = load_first(); !loaded) return std::move(loaded).error();
    lock.lock();
    changed_.wait(lock, [&] { return exclusive_ == std::thread::id(); });
  }
  under_way_++;
  const std::uint32_t index = free_index();
  auto* instance = new LiveInstance(shared_from_this(), index, std::move(wanted));
  instances_[index] = instance;
  Generation& generation = *generation_;
  lock.unlock();

  Result<void> made = generation.add(index, instance->wanted());
  if (made && config) {
    made = generation.configure(index, *config);
    if (made) instance->set_config(*config);
  }
  lock.lock();
  under_way_--;
  changed_.notify_all();
  lock.unlock();
  InstancePtr owned(instance);
  if (!made) return std::move(made).error();
  return owned;
}

std::uint32_t Module::free_index() {
  const auto free = std::find(instances_.begin(), instances_.end(), nullptr);
  if (free != instances_.end()) return static_cast<std::uint32_t>(free - instances_.begin());
  instances_.push_back(nullptr);
  return static_cast<std::uint32_t>(instances_.size() - 1);
}

void Module::release(LiveInstance& instance) noexcept {
  std::unique_lock lock(mutex_);
  // A module that is being stopped gives back what it holds of itself.
  if (exclusive_ != std::this_thread::get_id()) {
    changed_.wait(lock, [&] { return exclusive_ == std::thread::id(); });
  }
  under_way_++;
  Generation* generation = generation_.get();
  lock.unlock();
  if (generation != nullptr) generation->remove(instance.index_);
  lock.lock();
  instances_[instance.index_] = nullptr;
  under_way_--;
  changed_.notify_all();
  const bool outermost = exclusive_ != std::this_thread::get_id();
  lock.unlock();
  if (outermost) unload_if_unused();
}

void Module::unload_if_unused() noexcept {
  std::unique_ptr<Generation> last;
  std::unique_lock lock(mutex_);
  const auto unused = [&] {
    return generation_ != nullptr &&
           std::all_of(instances_.begin(), instances_.end(),
                       [](auto* instance) { return instance == nullptr; });
  };
  if (!unused() || this_thread_is_in(*generation_)) return;
  Exclusive exclusive(*this, lock);
  if (unused()) {
    current.store(nullptr);
    last = std::move(generation_);
  }
  lock.unlock();
  if (last != nullptr) retire(std::move(last));
}

const KindVersion& Module::version_of(const LiveInstance& instance) const {
  std::lock_guard lock(mutex_);
  return generation_->version_of(instance.index_);
}

// -- Loading ------------------------------------------------------------------

Result<Module::Loaded> Module::load() {
  if (origin_.builtin != nullptr) {
    auto begun = Generation::begin(std::nullopt, *origin_.builtin, manifest_, where(), directory_);
    if (!begun) return std::move(begun).error();
    return Loaded{std::move(*begun), manifest_, {}};
  }
  auto file = platform::File::open(origin_.file);
  if (!file) return std::move(file).error();
  auto content = file->read_all(largest_file);
  if (!content) return std::move(content).error();
  auto read = read_module_image(*content, origin_.file);
  if (!read) return std::move(read).error();
  if (read->manifest.name != manifest_.name) {
    return Error({.code = "restart-refused",
                  .where = where(),
                  .found = "package " + read->manifest.name,
                  .needed = "package " + manifest_.name,
                  .fix = "put another package into a file of its own"});
  }
  auto image = Image::load(*images_, *content, origin_.file);
  if (!image) return std::move(image).error();
  const tenon_module& object = image->module();
  auto begun = Generation::begin(std::move(*image), object, read->manifest, where(), directory_);
  if (!begun) return std::move(begun).error();
  return Loaded{std::move(*begun), std::move(read->manifest), file->identity()};
}

Result<void> Module::load_first() {
  std::unique_lock lock(mutex_);
  Exclusive exclusive(*this, lock);
  if (generation_ != nullptr) return {};
  lock.unlock();
  auto fresh = load();
  if (!fresh) return std::move(fresh).error();
  adopt(*fresh);
  return {};
}

/// Publishes a generation; answers the one that served until now.
std::unique_ptr<Generation> Module::adopt(Loaded& fresh) noexcept {
  fresh.generation->open();
  std::lock_guard lock(mutex_);
  manifest_ = std::move(fresh.manifest);
  identity_ = fresh.identity;
  count_++;
  current.store(fresh.generation.get());
  interrupting_ = false;
  changed_.notify_all();
  return std::exchange(generation_, std::move(fresh.generation));
}

// -- Restart ------------------------------------------------------------------

bool Module::changed() const {
  std::unique_lock lock(mutex_);
  if (generation_ == nullptr || origin_.builtin != nullptr) return false;
  const platform::FileIdentity loaded = identity_;
  lock.unlock();
  const auto now = platform::identity_of(origin_.file);
  return now && !(*now == loaded);
}

Result<void> Module::restart() {
  std::unique_lock lock(mutex_);
  if (generation_ == nullptr) return {};  // the next create loads what the file holds then
  if (exclusive_ == std::this_thread::get_id() || this_thread_is_in(*generation_)) {
    return refused("a module cannot be restarted from inside one of its own calls");
  }
  Exclusive exclusive(*this, lock);
  if (generation_ == nullptr) return {};
  std::vector<LiveInstance*> instances;
  std::copy_if(instances_.begin(), instances_.end(), std::back_inserter(instances),
               [](const LiveInstance* instance) { return instance != nullptr; });
  lock.unlock();

  auto fresh = load();
  if (!fresh) return std::move(fresh).error();
  const bool session =
      std::any_of(instances.begin(), instances.end(),
                  [](const LiveInstance* instance) { return instance->wanted().kind->session; });
  return session ? replace_behind_gate(*fresh, instances) : replace_beside(*fresh, instances);
}

/// Makes every instance in a generation that nobody sees yet.
Result<void> Module::fill(Generation& fresh, const std::vector<LiveInstance*>& instances) {
  for (const LiveInstance* instance : instances) {
    if (auto made = fresh.add(instance->index_, instance->wanted()); !made) return made;
    const auto config = instance->config();
    if (!config) continue;
    if (auto configured = fresh.configure(instance->index_, *config); !configured) {
      return configured;
    }
  }
  return {};
}

/// Kinds whose calls are independent: the old generation serves until the new one does.
Result<void> Module::replace_beside(Loaded& fresh, const std::vector<LiveInstance*>& instances) {
  if (auto filled = fill(*fresh.generation, instances); !filled) return filled;
  retire(adopt(fresh));
  return {};
}

/// Kinds with a session: the old generation has to end before the new one begins.
Result<void> Module::replace_behind_gate(Loaded& fresh,
                                         const std::vector<LiveInstance*>& instances) {
  close_gate();
  if (!wait_until_left(*this, *generation_, drain_deadline())) {
    open_gate(*generation_);
    return Error({.code = "restart-failed",
                  .status = TENON_DEADLINE_EXCEEDED,
                  .message = "a call into the module did not end in 10 seconds",
                  .where = where()});
  }
  if (auto filled = fill(*fresh.generation, instances); !filled) {
    open_gate(*generation_);
    return filled;
  }
  for (LiveInstance* instance : instances) {
    if (instance->wanted().kind->session) instance->make_stale();
  }
  retire(adopt(fresh));
  return {};
}

void Module::close_gate() {
  std::lock_guard lock(mutex_);
  current.store(&gate_);
  interrupting_ = true;
  for (Call* call : blocking_) call->cancel(CancelReason::restart);
}

void Module::open_gate(Generation& generation) {
  std::lock_guard lock(mutex_);
  current.store(&generation);
  interrupting_ = false;
  changed_.notify_all();
}

/// Ends a generation that is not published any more, as soon as nobody is inside; and those of
/// before that somebody was in then.
void Module::retire(std::unique_ptr<Generation> old) {
  end_retired();
  if (old == nullptr || wait_until_left(*this, *old, drain_deadline())) return;
  log_warning("a call into " + old->package() +
              " does not end; its code stays loaded until it has ended and the module restarts or "
              "unloads");
  std::lock_guard lock(mutex_);
  retired_.push_back(std::move(old));
}

void Module::end_retired() {
  // Ends after the lock: it runs code of the plugin.
  std::vector<std::unique_ptr<Generation>> ended;
  std::lock_guard lock(mutex_);
  for (auto& old : retired_) {
    if (wait_until_left(*this, *old, std::chrono::steady_clock::now())) {
      ended.push_back(std::move(old));
    }
  }
  std::erase(retired_, nullptr);
}

// -- What calls ask for -------------------------------------------------------

Generation* Module::pass_gate() noexcept {
  std::unique_lock lock(mutex_);
  if (generation_ != nullptr && this_thread_is_in(*generation_)) return generation_.get();
  changed_.wait(lock, [&] { return current.load() != &gate_; });
  return nullptr;
}

void Module::add_blocking(Call& call) {
  std::lock_guard lock(mutex_);
  blocking_.push_back(&call);
  if (interrupting_) call.cancel(CancelReason::restart);
}

void Module::remove_blocking(Call& call) {
  std::lock_guard lock(mutex_);
  blocking_.erase(std::find(blocking_.begin(), blocking_.end(), &call));
}

}  // namespace tenon::detail
