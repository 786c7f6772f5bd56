// SPDX-License-Identifier: BSL-1.0
#include "module/module.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <utility>

#include "catalog/scan.hpp"
#include "manifest/module_file.hpp"
#include "module/forked.hpp"
#include "module/lifecycle_lock.hpp"
#include "module/restart.hpp"
#include "module/thread_records.hpp"

namespace tenon::detail {

namespace {

/// For the pauses of one module. The system is asked once in a process: that takes as long as
/// reading a few manifests.
std::minstd_rand next_random() {
  static std::atomic<std::uint32_t> seed{std::random_device{}()};
  return std::minstd_rand(seed.fetch_add(0x9e3779b9));
}

}  // namespace

LiveInstance::LiveInstance(std::shared_ptr<Module> module, std::uint32_t index, Wanted wanted,
                           std::uint64_t serial)
    : Instance(*module, index),
      module_(std::move(module)),
      index_(index),
      serial_(serial),
      wanted_(std::make_shared<const Wanted>(std::move(wanted))) {}

Module::Module(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
               const ModuleContext& context)
    : origin_(std::move(origin)),
      where_(origin_.builtin != nullptr ? "builtin " + manifest->name : origin_.file.string()),
      context_(context),
      manifest_(std::move(manifest)),
      failures_(context.restart.limits, next_random()) {}

Module::~Module() {
  for (const auto& old : retired_) leave_loaded(std::move(old->generation));
  if (generation_ != nullptr) leave_loaded(std::move(generation_));
}

std::shared_ptr<const Manifest> Module::manifest() const {
  const Lock lock(mutex_);
  return manifest_;
}

ModuleInfo Module::info() const {
  const Lock lock(mutex_);
  ModuleInfo info{manifest_->name,
                  manifest_->version.to_string(),
                  origin_.file,
                  generation_ != nullptr,
                  count_,
                  instances_.size() - free_.size(),
                  retired_.size(),
                  stayed_,
                  failures_.quarantined()};
  info.methods = counters_->read();
  for (const MethodCalls& method : info.methods) {
    info.calls.calls += method.calls;
    info.calls.failures += method.failures;
    info.calls.in_flight += method.in_flight;
  }
  return info;
}

bool Module::in_use() const {
  const Lock lock(mutex_);
  return generation_ != nullptr || !unused();
}

/// REQUIRED: the lock.
bool Module::wanted_by_nobody() const noexcept {
  return generation_ == nullptr && unused() && lifecycle_ == 0;
}

bool Module::idle() const {
  const Lock lock(mutex_);
  return wanted_by_nobody() && retired_.empty() && ending_.empty();
}

void Module::take_manifest(std::shared_ptr<const Manifest> found,
                           const platform::FileIdentity& identity) {
  const Lock lock(mutex_);
  if (!wanted_by_nobody()) return;
  manifest_ = std::move(found);
  if (!(identity == identity_)) failures_.release();
}

bool Module::has_manifest(const Manifest& manifest) const {
  const Lock lock(mutex_);
  return manifest_.get() == &manifest || same_manifest(*manifest_, manifest);
}

/// REQUIRED: the lock.
bool Module::has_instances() const noexcept {
  return instances_.size() != free_.size();
}

/// REQUIRED: the lock.
bool Module::unused() const noexcept {
  return !has_instances() && wanted_ == 0;
}

/// REQUIRED: the lock.
bool Module::has_ready_instances() const noexcept {
  return std::any_of(instances_.begin(), instances_.end(), [](const LiveInstance* instance) {
    return instance != nullptr && instance->ready_;
  });
}

Event Module::event(Event::Type type) const {
  return {.type = type,
          .package = manifest_->name,
          .package_version = manifest_->version.to_string(),
          .generation = count_};
}

Error Module::refused(std::string found) const {
  return Error({.code = "restart-refused",
                .status = TENON_FAILED_PRECONDITION,
                .message = std::move(found),
                .where = where()});
}

Error Module::busy() const {
  return Error({.code = "busy",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "another thread is loading or restarting the module and does not end",
                .where = where()});
}

// -- Instances ----------------------------------------------------------------

/// Somebody is about to create an instance: a module that is loaded for it is not unloaded before.
/// REQUIRED: the lock is held, also when it ends.
class Module::Expected {
 public:
  explicit Expected(Module& module) noexcept : module_(module) { module_.wanted_++; }
  ~Expected() { module_.wanted_--; }
  Expected(const Expected&) = delete;
  Expected& operator=(const Expected&) = delete;

 private:
  Module& module_;
};

/// Room for one more instance. Gives it back where the instance could not be made.
/// REQUIRED: the lock is held, also when it ends.
class Module::Reserved {
 public:
  explicit Reserved(Module& module) : module_(module) {
    if (module_.free_.empty()) {
      module_.make_room(module_.instances_.size() + 1);
      module_.free_.reserve(module_.instances_.size() + 1);
      module_.instances_.push_back(nullptr);
      module_.free_.push_back(static_cast<std::uint32_t>(module_.instances_.size() - 1));
    }
    index_ = module_.free_.back();
    module_.free_.pop_back();
  }
  ~Reserved() {
    if (module_.instances_[index_] == nullptr) module_.free_.push_back(index_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  std::uint32_t index() const noexcept { return index_; }

 private:
  Module& module_;
  std::uint32_t index_;
};

/// Returns once something serves that instances can be added to. The lock is held again then.
Result<void> Module::become_ready(Lock& lock) {
  for (;;) {
    if (lifecycle_ != 0 && lifecycle_thread_ == std::this_thread::get_id()) {
      return refused("the module asks for an instance of itself while it is loaded or restarted");
    }
    if (shut_down_ || failures_.quarantined() || not_before_ > Clock::now()) {
      return why_unavailable();
    }
    // The restart waits for threads that are inside.
    const bool inside = generation_ != nullptr && this_thread_is_in(*generation_);
    if (frozen_ && !inside) {
      if (!wait_while_frozen(lock)) return busy();
    } else if (generation_ == nullptr) {
      if (auto loaded = load_first(lock); !loaded) return loaded;
    } else {
      return {};
    }
  }
}

/// False when the time was not enough. REQUIRED: the lock.
bool Module::wait_while_frozen(Lock& lock) noexcept {
  const Clock::time_point deadline = gate_deadline_ + Operation::grace;
  if (changed_.wait_until(lock, deadline, [&] { return !frozen_; })) return true;
  give_up_overdue(lock);
  return !frozen_;
}

/// An instance without an object, of a module that is ready for it.
Result<InstancePtr> Module::reserve(Wanted wanted) {
  Lock lock(mutex_);
  const Expected expected(*this);
  if (auto ready = become_ready(lock); !ready) return std::move(ready).error();
  const Reserved reserved(*this);
  auto* live =
      new LiveInstance(shared_from_this(), reserved.index(), std::move(wanted), ++serials_);
  return InstancePtr(instances_[reserved.index()] = live);
}

Result<InstancePtr> Module::create(Wanted wanted, const std::optional<TextMap>& config) {
  Result<InstancePtr> instance = InstancePtr();
  try {
    instance = reserve(std::move(wanted));
  } catch (...) {  // memory has run out
    unload_if_unused();
    throw;
  }
  if (!instance) {
    unload_if_unused();
    return instance;
  }
  auto created = create_object(static_cast<LiveInstance&>(**instance), config);
  if (!created) return std::move(created).error();
  return instance;
}

/// Creates the object behind an instance. Where a restart publishes meanwhile, the object is of the
/// generation that was replaced, and is created again in the next one.
Result<void> Module::create_object(LiveInstance& instance, const std::optional<TextMap>& config) {
  const auto kept = config ? std::make_shared<const TextMap>(*config) : nullptr;
  Lock lock(mutex_);
  for (;;) {
    if (auto ready = become_ready(lock); !ready) return ready;
    Generation& generation = *generation_;
    const Inside inside(generation, *this);  // stays, whatever happens to the module
    lock.unlock();
    auto made = generation.add(instance.index_, instance.wanted());
    if (made && config) made = generation.configure(instance.index_, *config);
    if (!made) generation.remove(instance.index_);
    lock.lock();
    if (!made) return made;
    if (generation_.get() == &generation) {
      instance.version_ = generation.version_of(instance.index_);
      instance.config_ = kept;
      if (kept != nullptr) instance.configured_++;
      instance.ready_ = true;
      touch(instance);
      return {};
    }
    lock.unlock();
    generation.remove(instance.index_);
    lock.lock();
  }
}

/// A restart that is under way has to follow what happened to the instance. REQUIRED: the lock.
void Module::touch(const LiveInstance& instance) {
  if (restart_ != nullptr) touched_.push_back(instance.index_);
}

/// REQUIRED: the lock.
InstanceRecord Module::record_of(std::uint32_t index) const {
  const LiveInstance* instance = instances_[index];
  if (instance == nullptr || !instance->ready_) return {};
  return {instance->serial_, instance->configured_, instance->wanted_, instance->config_};
}

void Module::release(LiveInstance& instance) noexcept {
  {
    Lock lock(mutex_);
    if (std::exchange(instance.ready_, false)) touch(instance);
    Generation* generation = generation_.get();
    if (generation != nullptr) {
      const Inside inside(*generation, *this);
      lock.unlock();
      generation->remove(instance.index_);
      lock.lock();
    }
    instances_[instance.index_] = nullptr;
    free_.push_back(instance.index_);
  }
  unload_if_unused();
}

bool Module::implements(const LiveInstance& instance, std::string_view method) const {
  Lock lock(mutex_, std::defer_lock);
  if (!inherited()) {
    lock.lock();
    if (generation_ != nullptr) return generation_->implements(instance.index_, method);
  }
  return instance.version_->own_method(instance.wanted().target, method) != nullptr;
}

// The call that configured may have been in a generation that has been replaced meanwhile. A
// restart that has not published yet follows the change; where one has, the new generation is
// configured here.
void Module::remember_config(LiveInstance& instance, const TextMap& config) {
  if (inherited()) return;  // nothing restarts
  auto kept = std::make_shared<const TextMap>(config);
  Lock lock(mutex_);
  instance.config_ = kept;
  instance.configured_++;
  touch(instance);
  Generation* generation = generation_.get();
  if (generation == nullptr || this_thread_is_in(*generation)) return;
  const Inside inside(*generation, *this);
  lock.unlock();
  if (auto configured = generation->configure(instance.index_, *kept); !configured) {
    context_.log->write(LogLevel::warn, in_one_line(configured.error()));
  }
}

// -- Loading ------------------------------------------------------------------

Result<Module::Loaded> Module::load() {
  if (origin_.builtin != nullptr) {
    auto same = manifest();
    auto begun =
        Generation::begin(std::nullopt, *origin_.builtin, *same, where(), generation_context());
    if (!begun) return std::move(begun).error();
    return Loaded{std::move(*begun), std::move(same), {}, nullptr};
  }
  auto file = platform::File::open(origin_.file);
  if (!file) return std::move(file).error();
  auto content = file->read_all(largest_file);
  if (!content) return std::move(content).error();
  if (const auto now = platform::identity_of(origin_.file); !now || !(*now == file->identity())) {
    return Error({.code = "file-changing",
                  .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                  .message = "the file was replaced or written to while it was read",
                  .where = where()});
  }
  {
    const Lock lock(mutex_);
    if (generation_ == nullptr) identity_ = file->identity();
  }
  const auto before = manifest();
  auto read = read_whole_module(std::move(*content), origin_.file, *before);
  if (!read) return std::move(read).error();
  auto now = before;
  if (read->manifest) {
    if (before->in_development) put_in_development(*read->manifest);
    now = std::make_shared<const Manifest>(std::move(*read->manifest));
  }
  if (now->name != before->name) {
    return Error({.code = "restart-refused",
                  .where = where(),
                  .found = "package " + now->name,
                  .needed = "package " + before->name,
                  .fix = "put another package into a file of its own"});
  }
  if (auto admitted = admit(*before, *now, read->bundle); !admitted) {
    return std::move(admitted).error();
  }
  auto image = load_image(std::move(read->bundle), now->joins_threads);
  if (!image) return std::move(image).error();
  const tenon_module& object = image->module();
  auto begun = Generation::begin(std::move(*image), object, *now, where(), generation_context());
  if (!begun) return std::move(begun).error();
  std::unique_ptr<CatalogChange> change;
  if (const auto directory = context_.directory.lock()) change = directory->prepare(*this, now);
  return Loaded{std::move(*begun), std::move(now), file->identity(), std::move(change)};
}

/// Asks the host. Does not keep it: foreign code that runs next may hang.
Result<void> Module::admit(const Manifest& before, const Manifest& fresh, const Bundle& bundle) {
  const auto directory = context_.directory.lock();
  if (directory == nullptr) return refused("the host has ended");
  return directory->admit(before, fresh, bundle);
}

/// Constructors of the module run inside of the system's loader, where no crash can be contained.
Result<Image> Module::load_image(Bundle bundle, bool joins_threads) {
  lock_order::expect_none();
  const std::string package = manifest()->name;
  const Operation::Step step(package, "load");
  std::optional<Result<Image>> image;
  const auto load = [&] {
    image.emplace(Image::load(context_.images, std::move(bundle), joins_threads));
  };
  if (context_.contain_crashes) {
    static_cast<void>(platform::call_contained({package, "load", nullptr}, load));
  } else {
    load();
  }
  return std::move(*image);
}

GenerationContext Module::generation_context() {
  return {
      .directory = context_.directory,
      .faults = weak_from_this(),
      .log = context_.log,
      .supervision = {context_.contain_crashes, context_.check_calls,
                      context_.count_calls ? counters_ : nullptr, origin_.file.filename().string()},
      .patience = context_.restart.drain};
}

/// The lock is held again also when an allocation fails.
Result<Module::Loaded> Module::load_and_lock(Lock& lock) try {
  auto fresh = load();
  lock.lock();
  return fresh;
} catch (...) {
  lock.lock();
  throw;
}

/// Loads the module, or after a crash restarts it. The lock is held again at the end.
Result<void> Module::load_first(Lock& lock) {
  if (has_ready_instances()) {
    const std::uint64_t count = count_;
    lock.unlock();
    auto request = begin_restart(RestartReason::crash, {}, true, count);
    lock.lock();
    return request ? wait_for(lock, **request) : Result<void>(request.error());
  }
  Event loaded;
  {
    const LifecycleLock lifecycle(*this, lock);
    if (!lifecycle) return busy();
    if (generation_ != nullptr) return {};
    lock.unlock();
    const auto begun = Clock::now();
    auto fresh = load_and_lock(lock);
    if (!fresh) return std::move(fresh).error();
    adopt(std::move(*fresh));
    lock.unlock();
    if (fresh->change != nullptr) fresh->change->publish();
    lock.lock();
    loaded = event(Event::Type::loaded);
    loaded.loading = Clock::now() - begun;
  }
  lock.unlock();
  tell(loaded);  // without the lifecycle lock, which the listener may need
  lock.lock();
  return {};
}

/// A generation serves from now on. REQUIRED: the lock; none has served since the last was retired.
void Module::adopt(Loaded&& fresh) noexcept {
  generation_ = std::move(fresh.generation);
  manifest_ = std::move(fresh.manifest);
  identity_ = fresh.identity;
  count_++;
  fault_restart_due_ = Clock::time_point::max();  // it has not failed
  for (LiveInstance* instance : instances_) {
    if (instance == nullptr || !instance->ready_) continue;
    instance->version_ = generation_->version_of(instance->index_);
  }
  serve_again();
}

// -- The gate -----------------------------------------------------------------

/// REQUIRED: the lock.
void Module::serve_again() noexcept {
  const bool serves = generation_ != nullptr && !failures_.quarantined() && !shut_down_;
  interrupting.store(false);  // before a call can enter what serves now
  if (serves) generation_->serve(*this);
  frozen_ = false;
  not_before_ = {};
  changed_.notify_all();
}

Module::Passage Module::pass_gate() noexcept {
  Lock lock(mutex_, std::defer_lock);
  if (!inherited()) lock.lock();
  if (generation_ != nullptr && this_thread_has_entered(*generation_)) {
    return {false, generation_.get()};
  }
  if (inherited()) return {false, nullptr};  // nobody is there to open it
  while (closed()) {
    if (shut_down_ || failures_.quarantined() || not_before_ > Clock::now())
      return {false, nullptr};
    if (changed_.wait_until(lock, gate_deadline_ + Operation::grace) == std::cv_status::no_timeout)
      continue;
    give_up_overdue(lock);
    if (closed()) return {false, nullptr};
  }
  return {true, nullptr};
}

/// REQUIRED: the lock.
std::string Module::reasons() const {
  std::string text;
  for (const Failures::Reason& reason : failures_.reasons()) {
    text += (text.empty() ? "" : "; ") + reason.text;
  }
  return text;
}

Error Module::unavailable(std::string_view plugin, std::string_view method) const {
  if (inherited()) return forked_error(where(), plugin, method);
  const Lock lock(mutex_);
  return why_unavailable(plugin, method);
}

/// REQUIRED: the lock.
Error Module::why_unavailable(std::string_view plugin, std::string_view method) const {
  if (shut_down_) {
    return Error({.code = "host-ended",
                  .status = TENON_UNAVAILABLE,
                  .message = "the host of the module has ended",
                  .where = where(),
                  .plugin = std::string(plugin),
                  .method = std::string(method)});
  }
  if (failures_.quarantined()) {
    return Error(
        {.code = "quarantined",
         .status = TENON_UNAVAILABLE,
         .message = "the module has failed too often and is not used any more: " + reasons(),
         .where = where(),
         .fix = "replace its file, or restart it by hand",
         .plugin = std::string(plugin),
         .method = std::string(method)});
  }
  return Error({.code = "restarting",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "the module has failed and waits for its restart",
                .where = where(),
                .plugin = std::string(plugin),
                .method = std::string(method)});
}

}  // namespace tenon::detail
