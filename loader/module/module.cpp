// SPDX-License-Identifier: BSL-1.0
#include "module/module.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "catalog/scan.hpp"
#include "manifest/module_file.hpp"
#include "module/log.hpp"
#include "module/restart.hpp"
#include "module/right.hpp"
#include "module/thread_records.hpp"

namespace tenon::detail {
namespace {}  // namespace

LiveInstance::LiveInstance(std::shared_ptr<Module> module, std::uint32_t index, Wanted wanted,
                           std::uint64_t serial)
    : Instance(*module, index),
      module_(std::move(module)),
      index_(index),
      serial_(serial),
      wanted_(std::move(wanted)) {}

Module::Module(ModuleOrigin origin, Manifest manifest, const ModuleContext& context)
    : origin_(std::move(origin)),
      context_(context),
      manifest_(std::move(manifest)),
      failures_(context.restart.limits, std::minstd_rand(std::random_device{}())) {}

Module::~Module() {
  // Code that a thread is still in cannot be taken from under it.
  while (!left_.empty()) {
    left_.front().generation->leases().revoke_all();
    if (end(left_.begin(), Clock::now() + context_.restart.drain)) continue;
    static_cast<void>(left_.front().generation.release());
    left_.pop_front();
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
  ModuleInfo info{manifest_.name,
                  manifest_.version.to_string(),
                  origin_.file,
                  generation_ != nullptr,
                  count_,
                  static_cast<std::size_t>(live),
                  left_.size(),
                  stayed_,
                  failures_.quarantined()};
  info.methods = counters_.read();
  for (const MethodCalls& method : info.methods) {
    info.calls.calls += method.calls;
    info.calls.failures += method.failures;
    info.calls.in_flight += method.in_flight;
  }
  return info;
}

bool Module::in_use() const {
  std::lock_guard lock(mutex_);
  return generation_ != nullptr || has_instances();
}

bool Module::has_instances() const noexcept {
  return std::any_of(instances_.begin(), instances_.end(),
                     [](const LiveInstance* instance) { return instance != nullptr; });
}

Event Module::event(Event::Type type) const {
  return {.type = type,
          .package = manifest_.name,
          .package_version = manifest_.version.to_string(),
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

/// Until something serves that instances can be added to.
Result<void> Module::become_ready(Lock& lock) {
  for (;;) {
    if (holder_ == std::this_thread::get_id()) {
      return refused("the module asks for an instance of itself while it is loaded or restarted");
    }
    if (failures_.quarantined() || not_before_ > Clock::now()) {
      lock.unlock();
      return unavailable();
    }
    if (still_) {
      const bool ended = changed_.wait_until(lock, gate_deadline_, [&] { return !still_; });
      if (!ended && !stand_still_no_longer()) return busy();
    } else if (generation_ == nullptr) {
      lock.unlock();
      if (auto loaded = load_first(); !loaded) return loaded;
      lock.lock();
    } else {
      return {};
    }
  }
}

Result<InstancePtr> Module::create(Wanted wanted, const std::optional<TextMap>& config) {
  Lock lock(mutex_);
  wanted_++;  // what is loaded for it is not unloaded before
  if (auto ready = become_ready(lock); !ready) {
    if (!lock.owns_lock()) lock.lock();
    wanted_--;
    lock.unlock();
    unload_if_unused();
    return std::move(ready).error();
  }
  wanted_--;
  under_way_++;
  const std::uint32_t index = free_index();
  auto* instance = new LiveInstance(shared_from_this(), index, std::move(wanted), ++serials_);
  instances_[index] = instance;
  Generation& generation = *generation_;
  lock.unlock();

  Result<void> made = generation.add(index, instance->wanted());
  if (made && config) made = generation.configure(index, *config);
  lock.lock();
  if (made) instance->version_ = &generation.version_of(index);
  if (made && config) {
    instance->config_ = *config;
    instance->configured_++;
  }
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
  Lock lock(mutex_);
  // A module that is being stopped gives back what it holds of itself.
  while (still_ && holder_ != std::this_thread::get_id()) {
    if (changed_.wait_until(lock, gate_deadline_) == std::cv_status::timeout) {
      stand_still_no_longer();
    }
  }
  under_way_++;
  Generation* generation = generation_.get();
  lock.unlock();
  if (generation != nullptr) generation->remove(instance.index_);
  lock.lock();
  instances_[instance.index_] = nullptr;
  under_way_--;
  changed_.notify_all();
  lock.unlock();
  unload_if_unused();
}

void Module::unload_if_unused() noexcept {
  std::optional<Left> last;
  {
    Lock lock(mutex_);
    const auto unused = [&] { return generation_ != nullptr && !has_instances() && wanted_ == 0; };
    if (!unused()) return;
    if (holder_ == std::this_thread::get_id() || this_thread_is_in(*generation_)) {
      context_.keeper->soon([weak = weak_from_this()] {
        if (const auto module = weak.lock()) module->unload_if_unused();
      });
      return;
    }
    Right right(*this, lock);
    if (!right || !unused()) return;
    current.store(nullptr);
    last = Left{std::move(generation_), event(Event::Type::unloaded), Clock::now()};
  }
  drain(std::move(last));
}

const KindVersion& Module::version_of(const LiveInstance& instance) const {
  std::lock_guard lock(mutex_);
  return *instance.version_;
}

// The call that configured may have been in a generation that has been replaced meanwhile. A
// restart that has not published yet sees what is remembered here; of one that has, the new
// generation is told here.
void Module::remember_config(LiveInstance& instance, const TextMap& config) {
  Lock lock(mutex_);
  instance.config_ = config;
  instance.configured_++;
  Generation* generation = generation_.get();
  if (generation == nullptr || this_thread_is_in(*generation)) return;
  while (still_ && changed_.wait_until(lock, gate_deadline_) == std::cv_status::no_timeout) {
  }
  generation = generation_.get();
  if (generation == nullptr) return;
  under_way_++;
  lock.unlock();
  auto configured = generation->configure(instance.index_, config);
  if (!configured) log_warning(configured.error().to_string());
  lock.lock();
  under_way_--;
  changed_.notify_all();
}

std::vector<InstanceRecord> Module::look() const {
  std::lock_guard lock(mutex_);
  std::vector<InstanceRecord> records;
  for (const LiveInstance* instance : instances_) {
    if (instance == nullptr || instance->version_ == nullptr) continue;
    records.push_back({instance->index_, instance->serial_, instance->wanted_, instance->config_,
                       instance->configured_});
  }
  return records;
}

// -- Loading ------------------------------------------------------------------

Result<Module::Loaded> Module::load() {
  if (origin_.builtin != nullptr) {
    auto begun = Generation::begin(std::nullopt, *origin_.builtin, manifest_, where(),
                                   context_.directory, *this, supervision());
    if (!begun) return std::move(begun).error();
    return Loaded{std::move(*begun), manifest_, {}};
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
    std::lock_guard lock(mutex_);
    if (generation_ == nullptr) identity_ = file->identity();
  }
  auto read = read_module_image(*content, origin_.file);
  if (!read) return std::move(read).error();
  if (read->manifest.name != manifest_.name) {
    return Error({.code = "restart-refused",
                  .where = where(),
                  .found = "package " + read->manifest.name,
                  .needed = "package " + manifest_.name,
                  .fix = "put another package into a file of its own"});
  }
  const Manifest before = manifest();
  if (before.in_development) put_in_development(read->manifest);
  if (auto admitted = context_.directory.admit(before, read->manifest, *content, origin_.file);
      !admitted) {
    return std::move(admitted).error();
  }
  auto image = load_image(std::move(*content), read->manifest.joins_threads);
  if (!image) return std::move(image).error();
  const tenon_module& object = image->module();
  auto begun = Generation::begin(std::move(*image), object, read->manifest, where(),
                                 context_.directory, *this, supervision());
  if (!begun) return std::move(begun).error();
  return Loaded{std::move(*begun), std::move(read->manifest), file->identity()};
}

/// Constructors of the module run inside of the system's loader, where no crash can be contained.
Result<Image> Module::load_image(std::vector<std::byte> content, bool joins_threads) {
  std::optional<Result<Image>> image;
  const auto load = [&] {
    image.emplace(Image::load(context_.images, std::move(content), origin_.file, joins_threads));
  };
  if (context_.contain_crashes) {
    static_cast<void>(platform::call_contained({manifest_.name, "load", nullptr}, load));
  } else {
    load();
  }
  return std::move(*image);
}

SupervisionOptions Module::supervision() noexcept {
  return {context_.contain_crashes, context_.count_calls ? &counters_ : nullptr,
          origin_.file.filename().string()};
}

Result<void> Module::load_first() {
  Event what;
  Result<void> done;
  {
    Lock lock(mutex_);
    Right right(*this, lock);
    if (!right) return busy();
    if (generation_ != nullptr) return {};
    if (has_instances()) {
      lock.unlock();
      Restart restart(*this, RestartReason::crash, {});
      done = restart.run();
      what = restart.event();
    } else {
      lock.unlock();
      const auto begun = Clock::now();
      auto fresh = load();
      if (!fresh) return std::move(fresh).error();
      lock.lock();
      adopt(std::move(*fresh));
      what = event(Event::Type::loaded);
      what.loading = Clock::now() - begun;
    }
  }
  tell(what);  // without the right, which who listens may need
  return done;
}

/// What serves from now on. Answers what did until now.
std::optional<Module::Left> Module::adopt(Loaded&& fresh) {
  std::optional<Left> old;
  if (generation_ != nullptr) {
    old = Left{std::move(generation_), event(Event::Type::drained), Clock::now()};
  }
  generation_ = std::move(fresh.generation);
  manifest_ = std::move(fresh.manifest);
  identity_ = fresh.identity;
  count_++;
  for (LiveInstance* instance : instances_) {
    if (instance == nullptr || instance->version_ == nullptr) continue;
    instance->version_ = &generation_->version_of(instance->index_);
  }
  generation_->open();
  serve_again();
  return old;
}

// -- The gate -----------------------------------------------------------------

/// From here to `serve_again` no instance comes or goes. REQUIRED: the right.
Result<void> Module::stand_still(Clock::time_point deadline) {
  Lock lock(mutex_);
  still_ = true;
  gate_deadline_ = deadline;
  if (changed_.wait_until(lock, deadline, [&] { return under_way_ == 0; })) return {};
  still_ = false;
  changed_.notify_all();
  return Error({.code = "restart-failed",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = "an instance that is being made or ended does not get ready",
                .where = where()});
}

/// Whoever waits past the deadline ends the standstill for all, unless what served cannot go on.
/// REQUIRED: the lock.
bool Module::stand_still_no_longer() noexcept {
  if (still_ && suspended_) return false;
  if (still_ && generation_ != nullptr) serve_again();
  still_ = false;
  return true;
}

/// REQUIRED: the lock.
void Module::serve_again() noexcept {
  if (generation_ != nullptr && !failures_.quarantined()) current.store(generation_.get());
  still_ = false;
  suspended_ = false;
  interrupting_ = false;
  not_before_ = {};
  changed_.notify_all();
}

Module::Passage Module::pass_gate() noexcept {
  Lock lock(mutex_);
  if (generation_ != nullptr && this_thread_is_in(*generation_)) return {false, generation_.get()};
  while (current.load() == &gate_) {
    if (failures_.quarantined() || not_before_ > Clock::now()) return {false, nullptr};
    if (changed_.wait_until(lock, gate_deadline_) == std::cv_status::no_timeout) continue;
    stand_still_no_longer();
    if (current.load() == &gate_) return {false, nullptr};
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

Error Module::unavailable() const {
  std::lock_guard lock(mutex_);
  if (failures_.quarantined()) {
    return Error(
        {.code = "quarantined",
         .status = TENON_UNAVAILABLE,
         .message = "the module has failed too often and is not used any more: " + reasons(),
         .where = where(),
         .fix = "replace its file, or restart it by hand"});
  }
  return Error({.code = "restarting",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "the module has failed and waits for its restart",
                .where = where()});
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
