// SPDX-License-Identifier: BSL-1.0
#include "module/module.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <utility>

#include "call/thread_records.hpp"
#include "catalog/scan.hpp"
#include "manifest/module_file.hpp"
#include "module/forked.hpp"
#include "module/lifecycle_lock.hpp"
#include "module/restart.hpp"

namespace tenon::detail {

namespace {

/// For the pauses of one module. The system is asked once in a process: that takes as long as
/// reading a few manifests.
std::minstd_rand next_random() {
  static std::atomic<std::uint32_t> seed{std::random_device{}()};
  return std::minstd_rand(seed.fetch_add(0x9e3779b9));
}

}  // namespace

LiveInstance::LiveInstance(Module& module, std::uint32_t index, const Wanted& wanted, Owner owner,
                           std::uint64_t serial)
    : Instance(module, index),
      module_(module),
      index_(index),
      owner_(owner),
      serial_(serial),
      wanted_(wanted) {}

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

/// Returns whether an instance has been created and not released. REQUIRED: the lock.
bool Module::has_instances() const noexcept {
  return instances_.size() != free_.size();
}

/// REQUIRED: the lock.
bool Module::unused() const noexcept {
  return uses_.none();
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
  return Error({.code = "module-busy",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "another thread is loading or restarting the module and does not end",
                .where = where()});
}

// -- Instances ----------------------------------------------------------------

/// A use of the module by an instance that is being created: the module is not unloaded meanwhile.
/// It ends with this, unless the instance takes it over.
class Module::Claim {
 public:
  Claim(Module& module, Owner owner) noexcept : module_(module), owner_(owner) {
    module_.uses_.add(owner);
  }
  /// REQUIRED: the lock is not held.
  ~Claim() {
    if (!passed_) module_.let_go(owner_);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  void pass() noexcept { passed_ = true; }

 private:
  Module& module_;
  const Owner owner_;
  bool passed_ = false;
};

/// What a create asks for.
struct Module::Order {
  const Kind& kind;
  std::int32_t target;
  std::string_view name;
  const std::optional<TextMap>& config;
  Owner owner;
  std::uint64_t serial;
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

Result<InstancePtr> Module::create(const Kind& kind, std::int32_t target, std::string_view name,
                                   const std::optional<TextMap>& config, Owner owner) {
  const Order order{kind, target, name, config, owner, ++serials_};
  Claim claim(*this, owner);
  Result<InstancePtr> made = InstancePtr();
  if (Generation* generation = open_.load(); generation != nullptr) {
    const Inside inside(*generation, *this);
    if (open_.load() == generation) made = create_in(*generation, inside, order);
  }
  while (made && *made == nullptr) {
    Lock lock(mutex_);
    if (auto ready = become_ready(lock); !ready) {
      made = std::move(ready).error();
      break;
    }
    Generation& generation = *generation_;
    const Inside inside(generation, *this);  // stays, whatever happens to the module
    lock.unlock();
    made = create_in(generation, inside, order);
  }
  if (made) claim.pass();
  return made;
}

/// Creates an instance in the generation that the thread is inside. Where a restart publishes
/// meanwhile, the object ends with the generation that was replaced: returns nullptr.
Result<InstancePtr> Module::create_in(Generation& generation, const Inside& inside,
                                      const Order& order) {
  Generation::Object object;
  if (auto created = generation.create(order.kind, order.target, order.name, inside, object);
      !created) {
    return std::move(created).error();
  }
  Result<InstancePtr> made = InstancePtr();
  try {
    std::shared_ptr<const TextMap> config;
    if (order.config) {
      config = std::make_shared<const TextMap>(*order.config);
      if (auto done = generation.configure(object, *config, inside); !done) {
        made = std::move(done).error();
      }
    }
    const Lock lock(mutex_);
    if (made && generation_.get() == &generation) return add(object, order, std::move(config));
  } catch (...) {  // memory has run out
    generation.end(object, inside);
    throw;
  }
  generation.end(object, inside);
  return made;
}

/// Where an allocation fails, the object is left to the caller. REQUIRED: the lock.
InstancePtr Module::add(Generation::Object& object, const Order& order,
                        std::shared_ptr<const TextMap> config) {
  const std::uint32_t index = free_index();
  auto instance =
      std::make_unique<LiveInstance>(*this, index, wanted_of(order), order.owner, order.serial);
  instance->version_ = object.plugin->version;
  instance->configured_ = config != nullptr ? 1 : 0;
  instance->config_ = std::move(config);
  touch(index);
  generation_->list(index, object);
  // From here on nothing fails.
  if (self_ == nullptr) self_ = shared_from_this();
  if (order.owner == Owner::program && host_ == nullptr) host_ = context_.directory.lock();
  free_.pop_back();
  return InstancePtr(instances_[index] = instance.release());
}

/// The index of the next instance, which stays free until that is there. REQUIRED: the lock.
std::uint32_t Module::free_index() {
  if (free_.empty()) {
    const std::size_t count = instances_.size() + 1;
    make_room(count);
    if (free_.capacity() < count) free_.reserve(2 * count);
    instances_.push_back(nullptr);
    free_.push_back(static_cast<std::uint32_t>(count - 1));
  }
  return free_.back();
}

/// REQUIRED: the lock.
const Wanted& Module::wanted_of(const Order& order) {
  const auto is_meant = [&order](const Wanted& one) {
    return one.kind == &order.kind && one.target == order.target && one.name == order.name;
  };
  if (last_wanted_ == nullptr || !is_meant(*last_wanted_)) {
    last_wanted_ =
        &*wanted_.insert(Wanted{&order.kind, order.target, std::string(order.name)}).first;
  }
  return *last_wanted_;
}

/// A restart that is under way has to follow what happened to the instance. REQUIRED: the lock.
void Module::touch(std::uint32_t index) {
  if (restart_ != nullptr) touched_.push_back(index);
}

/// REQUIRED: the lock.
InstanceRecord Module::record_of(std::uint32_t index) const {
  const LiveInstance* instance = instances_[index];
  if (instance == nullptr) return {};
  return {instance->serial_, instance->configured_, &instance->wanted_, instance->config_};
}

void Module::release(LiveInstance& instance) noexcept {
  const std::uint32_t index = instance.index_;
  {
    Lock lock(mutex_);
    instances_[index] = nullptr;
    touch(index);
    if (generation_ == nullptr) {
      free_.push_back(index);
    } else {
      Generation& generation = *generation_;
      const Inside inside(generation, *this);
      bool streams_ended = true;
      if (!generation.leases().empty()) {
        lock.unlock();
        streams_ended = generation.end_streams(index);
        lock.lock();
      }
      const Generation::Object object = generation.take(index, streams_ended);
      free_.push_back(index);
      lock.unlock();
      generation.end(object, inside);
    }
  }
  let_go(instance.owner_);
}

/// The use of the module by an instance ends. The last one unloads the module, and nothing keeps it
/// or its host any more. REQUIRED: the lock is not held.
void Module::let_go(Owner owner) noexcept {
  if (uses_.take_unless_last(owner)) return;
  std::shared_ptr<Module> self;
  std::shared_ptr<PluginDirectory> host;  // may end here, before the module
  {
    const Lock lock(mutex_);
    uses_.take(owner);
    if (uses_.none_of_program()) host.swap(host_);
    if (!uses_.none()) return;
    self.swap(self_);
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
  touch(instance.index_);
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
    return Error({.code = "file-changed",
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
  auto load = [&] {
    image.emplace(Image::load(context_.images, std::move(bundle), joins_threads));
  };
  if (context_.contain_crashes) {
    std::optional<platform::Crash> none;
    platform::call_contained({package, "load", nullptr}, platform::call_body<decltype(load)>, &load,
                             none);
  } else {
    load();
  }
  return std::move(*image);
}

GenerationContext Module::generation_context() {
  return {
      .mutex = mutex_,
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
  if (has_instances()) {
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
    if (instance == nullptr) continue;
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

/// Lets creates begin without the lock, where nothing has to be looked at. Called whenever that
/// changes. REQUIRED: the lock.
void Module::open_to_creates() noexcept {
  const bool open = lifecycle_ == 0 && !frozen_ && !shut_down_ && !failures_.quarantined();
  open_.store(open ? generation_.get() : nullptr);
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
        {.code = "module-quarantined",
         .status = TENON_UNAVAILABLE,
         .message = "the module has failed too often and is not used any more: " + reasons(),
         .where = where(),
         .fix = "replace its file, or restart it by hand",
         .plugin = std::string(plugin),
         .method = std::string(method)});
  }
  return Error({.code = "module-restarting",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "the module has failed and waits for its restart",
                .where = where(),
                .plugin = std::string(plugin),
                .method = std::string(method)});
}

}  // namespace tenon::detail
