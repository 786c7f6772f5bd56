// SPDX-License-Identifier: BSL-1.0
#include "code/generation.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/keep_until_exit.hpp"
#include "call/exceptions.hpp"
#include "call/quirks.hpp"
#include "call/thread_records.hpp"
#include "catalog/kinds.hpp"

namespace tenon::inline v0_1::detail {
namespace {

/// The first fields of the request of every configure method.
struct ConfigureRequest {
  std::size_t struct_size;
  tenon_map config;
};
using ConfigureFunction = tenon_status (*)(tenon_call*, void*, const ConfigureRequest*);

Error step_failed(const ValidatedPlugin& plugin, std::string message) {
  return Error({.status = TENON_INTERNAL,
                .message = std::move(message),
                .plugin = plugin.name,
                .method = "create"});
}

/// Returns whether both kinds have a version `target` of the same spec, which determines its
/// vtable.
bool agree_on(std::int32_t target, const Kind& a, const Kind& b) noexcept {
  const KindVersion* of_a = a.find(target);
  const KindVersion* of_b = b.find(target);
  return of_a != nullptr && of_b != nullptr && of_a->fingerprint == of_b->fingerprint;
}

}  // namespace

/// Marks that a thread runs a function of a listed object, other than a method. `take` leaves the
/// end of the object to the last of them.
class Generation::Use {
 public:
  Use(Generation& generation, std::uint32_t index, const GenerationGuard& guard)
      : generation_(generation), index_(index), guard_(guard) {
    const ModuleLock lock(generation_.mutex_);
    if (generation_.plugin_of(index) == nullptr) return;
    Object& object = generation_.objects_[index];
    ++object.uses;
    object_ = object;
    guard.run_plugin(generation_.target_of(*object_.plugin));
  }
  ~Use() {
    if (object_.plugin == nullptr) return;
    Object last;
    {
      const ModuleLock lock(generation_.mutex_);
      Object& listed = generation_.objects_[index_];
      if (listed.number == object_.number) {
        --listed.uses;
        return;
      }
      const auto own = std::ranges::find(generation_.removed_, object_.number, &Object::number);
      if (--own->uses != 0) return;
      last = std::move(*own);
      generation_.removed_.erase(own);
    }
    generation_.end(last, guard_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  /// Returns whether there is such an object.
  explicit operator bool() const noexcept { return object_.plugin != nullptr; }
  const Reached* operator->() const noexcept { return &object_; }
  const Reached& operator*() const noexcept { return object_; }

 private:
  Generation& generation_;
  const std::uint32_t index_;
  const GenerationGuard& guard_;
  Reached object_;
};

void leave_loaded(GenerationPtr generation) noexcept {
  keep_until_exit(std::shared_ptr<void>(generation.release(), [](void*) {}));
}

void EndGeneration::operator()(Generation* generation) const noexcept {
  if (!generation->broken()) generation->end();
  if (generation->broken()) {
    // `stop` has not ended its threads.
    const bool alone = generation->image_ && !generation->image_->starts_threads();
    if (alone) generation->host_->close();
    leave_loaded(GenerationPtr(generation));
  } else {
    delete generation;
  }
}

Generation::Generation(std::optional<Image> image, ValidatedModule validated,
                       const Manifest& manifest, const GenerationContext& context)
    : image_(std::move(image)),
      package_(manifest.name),
      abi_(manifest.abi),
      validated_(std::move(validated)),
      owner_(context.owner),
      patience_(context.patience),
      interception_(*this, image_ ? &image_->map() : nullptr, context.interception),
      streams_(*this, abi_, *this, interception_.contains_crashes()),
      host_(std::make_shared<ModuleHost>(package_of(manifest), context.file, context.host,
                                         context.log, streams_)),
      mutex_(context.mutex) {
  if (image_) image_->keep(host_);
  std::ranges::stable_sort(validated_.plugins, {}, &ValidatedPlugin::name);
  targets_.push_back(std::make_unique<CallTarget[]>(capacity_));
  add_targets(targets_.back().get(), capacity_);
  newest_targets_.store(targets_.back().get());
  std::vector<PluginMethods> methods;
  for (ValidatedPlugin& plugin : validated_.plugins) {
    methods.push_back(plugin.methods());
    interception_.prepare(plugin);
    plugin_targets_.push_back({nullptr, nullptr, this, &plugin.name});
  }
  add_targets(plugin_targets_.data(), plugin_targets_.size());
  methods_ = std::make_shared<const std::vector<PluginMethods>>(std::move(methods));
}

void Generation::report(RestartReason why, const Error& error) noexcept {
  if (const auto owner = owner_.lock()) owner->fault(*this, why, error);
}

tenon_status Generation::run_stream(std::string_view function, tenon_call* call, const Body& body) {
  const tenon_status status =
      interception_.run_alone(package_, function, call, body, crashed_in_call);
  return status == TENON_OK ? status : stream_failed(function, call, status);
}

tenon_status Generation::stream_threw(std::string_view function, tenon_call* call) {
  return stream_failed(
      function, call,
      interception_.thrown(package_, function, call, text_of_exception("the plugin")));
}

/// The caller may return the status without being fatal itself.
tenon_status Generation::stream_failed(std::string_view function, tenon_call* call,
                                       tenon_status status) {
  const Error error({.status = status,
                     .message = std::string(Call::of(call).message()),
                     .plugin = package_,
                     .method = std::string(function)});
  if ((status & TENON_FATAL) != 0) report(RestartReason::fatal_status, error);
  Call::of(call).add_failed_inside(UINT32_MAX, error.to_string());
  return status & ~TENON_FATAL;
}

Error Generation::failed(Call& call, tenon_status status, const ValidatedPlugin& plugin,
                         const char* method) {
  Error error({.status = status,
               .message = std::string(call.message()),
               .plugin = plugin.name,
               .method = method,
               .behind = std::string(call.failed_inside(0))});
  if ((status & TENON_FATAL) != 0) report(RestartReason::fatal_status, error);
  return error;
}

Result<GenerationPtr> Generation::begin(std::optional<Image> image, const tenon_module& module,
                                        const Manifest& manifest, const std::string& where,
                                        const GenerationContext& context) {
  auto validated = validate(module, image ? &image->map() : nullptr, manifest, where);
  if (!validated) return std::move(validated).error();
  GenerationPtr generation(
      new Generation(std::move(image), std::move(*validated), manifest, context));
  if (const auto start = generation->validated_.object.start; start != nullptr) {
    GenerationGuard guard(*generation);
    Call call;
    const tenon_status status = generation->interception_.run_lifecycle(
        manifest.name, "start", call.raw(),
        [&] { return start(call.raw(), generation->host_->raw()); }, generation->preserved());
    if (status != TENON_OK) {
      return Error({.code = "start-failed",
                    .status = status,
                    .message = std::string(call.message()),
                    .where = where,
                    .plugin = manifest.name,
                    .method = "start"});
    }
  }
  generation->started_ = true;
  return generation;
}

void Generation::end() noexcept {
  std::vector<Object> objects;
  std::vector<Object> removed;
  {
    const ModuleLock lock(mutex_);
    objects.swap(objects_);
    removed.swap(removed_);
  }
  {
    const GenerationGuard guard(*this);
    const auto deadline = std::chrono::steady_clock::now() + patience_;
    const bool streams = streams_.count() != 0;
    for (std::uint32_t index = 0; index < objects.size(); ++index) {
      if (streams) end_streams(index, deadline);
      end(objects[index], guard);
    }
    for (const Object& object : removed) end(object, guard);
  }
  streams_.revoke_all();
  if (std::exchange(started_, false) && validated_.object.stop != nullptr) {
    GenerationGuard guard(*this);
    Call call;
    interception_.run_lifecycle(
        package_, "stop", call.raw(),
        [&] {
          validated_.object.stop();
          return TENON_OK;
        },
        preserved());
  }
}

std::optional<Image> Generation::stop() noexcept {
  if (!broken()) end();
  return broken() ? std::nullopt : std::exchange(image_, std::nullopt);
}

const ValidatedPlugin* Generation::choose(const Kind& kind, std::int32_t target,
                                          std::string_view name) const {
  const auto first = std::lower_bound(
      validated_.plugins.begin(), validated_.plugins.end(), name,
      [](const ValidatedPlugin& one, std::string_view wanted) { return one.name < wanted; });
  const auto newest_with = [&](const auto& is_usable) {
    const ValidatedPlugin* best = nullptr;
    for (auto one = first; one != validated_.plugins.end() && one->name == name; ++one) {
      if (!is_usable(*one) || !one->version->serves(target)) continue;
      if (best == nullptr || one->version->version > best->version->version) best = &*one;
    }
    return best;
  };
  if (const auto* own =
          newest_with([&](const ValidatedPlugin& plugin) { return plugin.kind == &kind; })) {
    return own;
  }
  // The library with this kind was loaded after the module.
  const auto known = find_kinds(kind.id);
  return newest_with([&](const ValidatedPlugin& plugin) {
    return std::ranges::find(known, plugin.kind) != known.end() &&
           agree_on(target, *plugin.kind, kind);
  });
}

Result<void> Generation::create(const Kind& kind, std::int32_t target, std::string_view name,
                                const GenerationGuard& guard, Object& object) {
  const ValidatedPlugin* plugin = choose(kind, target, name);
  if (plugin == nullptr) {
    return Error({.code = "missing-plugin",
                  .where = std::string(name),
                  .found = "package " + package_ + " without " + std::string(kind.id) +
                           " that could be used as version " + std::to_string(target),
                  .needed = "a plugin of that kind under that name",
                  .fix = "use a build of " + package_ + " that still has it"});
  }
  guard.run_plugin(target_of(*plugin));
  object.plugin = plugin;
  if (plugin->base.create != nullptr) {
    Call call;
    const tenon_create_request in{
        sizeof in, host_->raw(), {plugin->name.data(), plugin->name.size()}};
    const bool first = !created_.exchange(true);
    const tenon_status status = interception_.run_lifecycle(
        plugin->name, "create", call.raw(),
        [&] { return plugin->base.create(call.raw(), &in, &object.self); },
        first ? preserved() : Preserved::float_modes);
    if (status != TENON_OK) return failed(call, status, *plugin, "create");
  }
  try {
    Result<void> adapted = adapt(object, target);
    if (!adapted) end(object, guard);
    return adapted;
  } catch (const std::bad_alloc&) {
    end(object, guard);
    throw;
  } catch (...) {
    end(object, guard);
    return step_failed(*plugin, text_of_exception("the hand-written step"));
  }
}

/// Adds the interceptor and the adapter of an object.
Result<void> Generation::adapt(Object& object, std::int32_t target) {
  const ValidatedPlugin& plugin = *object.plugin;
  object.target = {plugin.table.get(), object.self, this, &plugin.name};
  object.interceptor = interception_.of(plugin, object.self);
  if (object.interceptor != nullptr) {
    object.target.table = plugin.version->intercepted;
    object.target.self = object.interceptor->as_self();
  }
  if (const Adapter* adapter = plugin.version->adapter_to(target); adapter != nullptr) {
    void* adapted = adapter->create(object.target.table, object.target.self, plugin.name);
    if (adapted == nullptr) {
      return step_failed(plugin, "the function that makes the hand-written step returned nullptr");
    }
    object.adapter = adapter;
    object.target.table = adapter->table;
    object.target.self = adapted;
  }
  return {};
}

void Generation::list(std::uint32_t index, Object& object) {
  if (objects_.size() <= index) objects_.resize(index + 1);
  set_target(index, object.target);
  object.number = ++listed_;
  objects_[index] = std::move(object);
}

Result<void> Generation::add(std::uint32_t index, const InstanceSpec& spec) {
  const GenerationGuard guard(*this);
  Object object;
  if (auto made = create(*spec.kind, spec.target, spec.name, guard, object); !made) {
    return made;
  }
  try {
    const ModuleLock lock(mutex_);
    list(index, object);
  } catch (...) {  // out of memory
    end(object, guard);
    throw;
  }
  return {};
}

void Generation::set_target(std::uint32_t index, const CallTarget& target) {
  if (index < capacity_) {
    targets_.back()[index] = target;
    return;
  }
  const std::size_t larger = std::max<std::size_t>(2 * capacity_, index + 1);
  auto grown = std::make_unique<CallTarget[]>(larger);
  std::copy_n(targets_.back().get(), capacity_, grown.get());
  grown[index] = target;
  targets_.push_back(std::move(grown));
  capacity_ = larger;
  add_targets(targets_.back().get(), larger);
  newest_targets_.store(targets_.back().get());
  if (serves_ != nullptr)
    serves_->replace(targets_[targets_.size() - 2].get(), targets_.back().get());
}

/// Returns the target of functions of a plugin other than methods.
const CallTarget& Generation::target_of(const ValidatedPlugin& plugin) const noexcept {
  return plugin_targets_[index_of(plugin)];
}

void Generation::serve(ServingModule& module) noexcept {
  serves_ = &module;
  module.publish(targets_.back().get());
}

const ValidatedPlugin* Generation::plugin_of(std::uint32_t index) const noexcept {
  return index < objects_.size() ? objects_[index].plugin : nullptr;
}

const PluginMethods* Generation::methods_of(std::uint32_t index) const noexcept {
  const ValidatedPlugin* plugin = plugin_of(index);
  return plugin != nullptr ? &(*methods_)[index_of(*plugin)] : nullptr;
}

Generation::Object Generation::take(std::uint32_t index, bool streams_ended) noexcept {
  Object taken;
  if (plugin_of(index) == nullptr) return taken;
  std::swap(taken, objects_[index]);
  if (!streams_ended) ++taken.uses;
  if (taken.uses != 0) {
    removed_.push_back(std::move(taken));
    return {};
  }
  return taken;
}

void Generation::remove(std::uint32_t index) noexcept {
  const GenerationGuard guard(*this);
  const bool streams_ended = end_streams(index);
  Object object;
  {
    const ModuleLock lock(mutex_);
    object = take(index, streams_ended);
  }
  end(object, guard);
}

bool Generation::end_streams(std::uint32_t index) noexcept {
  if (streams_.empty()) return true;
  if (end_streams(index, std::chrono::steady_clock::now() + patience_)) return true;
  const std::string name = [&] {
    const ModuleLock lock(mutex_);
    const ValidatedPlugin* plugin = plugin_of(index);
    return plugin != nullptr ? plugin->name : package_;
  }();
  host_->log().write(LogLevel::warn, "a call in a stream of " + name + " does not end");
  return false;
}

bool Generation::end_streams(std::uint32_t index,
                             std::chrono::steady_clock::time_point deadline) noexcept {
  streams_.revoke(index);
  return streams_.wait(index, deadline);
}

void Generation::end(const Object& object, const GenerationGuard& guard) noexcept {
  if (object.plugin == nullptr) return;
  guard.run_plugin(target_of(*object.plugin));
  if (object.adapter != nullptr) object.adapter->destroy(object.target.self);
  if (object.plugin->base.destroy == nullptr) return;
  Call call;
  interception_.run_lifecycle(object.plugin->name, "destroy", call.raw(), [&] {
    object.plugin->base.destroy(object.self);
    return TENON_OK;
  });
}

/// Returns the version at which the instance is used.
const KindVersion& Generation::target_of(const Reached& object) noexcept {
  if (object.adapter == nullptr) return *object.plugin->version;
  return *object.plugin->kind->find(object.adapter->target);
}

Error Generation::no_configuration(const ValidatedPlugin& plugin, std::string message) {
  return Error({.status = TENON_UNIMPLEMENTED,
                .message = std::move(message),
                .fix = "create it without a configuration",
                .plugin = plugin.name,
                .method = "configure"});
}

Result<void> Generation::configure(std::uint32_t index, const TextMap& config) {
  const GenerationGuard guard(*this);
  const Use object(*this, index, guard);
  return object ? configure(*object, config, guard) : Result<void>();
}

Result<void> Generation::configure(const Reached& object, const TextMap& config,
                                   const GenerationGuard& guard) {
  guard.run_plugin(target_of(*object.plugin));
  const KindVersion& target = target_of(object);
  const MethodInfo* method = target.configure();
  const MethodInfo* own = method != nullptr
                              ? object.plugin->version->own_method(target.version, method->name)
                              : nullptr;
  if (method == nullptr || (own != nullptr && !object.plugin->implements(*own))) {
    if (config.empty()) return {};
    return no_configuration(
        *object.plugin, method == nullptr ? "plugins of " + std::string(object.plugin->kind->id) +
                                                " take no configuration"
                                          : "the plugin takes no configuration");
  }
  ConfigureFunction function;
  std::memcpy(&function, static_cast<const char*>(object.target.table) + target.configure_offset,
              sizeof function);
  Call call;
  const ConfigureRequest in{sizeof in, Value<TextMap>::raw<Copy::shallow>(call.raw(), config)};
  // An interceptor has already replaced the status of the plugin.
  const bool intercepted = contains_crashes() && object.plugin->version->intercepted != nullptr;
  tenon_status result = TENON_OK;
  tenon_status status =
      interception_.run_lifecycle(object.plugin->name, "configure", call.raw(), [&] {
        result = function(call.raw(), object.target.self, &in);
        return intercepted ? TENON_OK : result;
      });
  if (status == TENON_OK) status = result & ~TENON_RESTARTED;  // a flag of method calls
  if (status != TENON_OK) return failed(call, status, *object.plugin, "configure");
  return {};
}

// -- State and sessions -------------------------------------------------------

const tenon_base* Generation::base_of(std::uint32_t index) const {
  const ModuleLock lock(mutex_);
  const ValidatedPlugin* plugin = plugin_of(index);
  return plugin != nullptr ? &plugin->base : nullptr;
}

bool Generation::saves_state(std::uint32_t index) const {
  const tenon_base* base = base_of(index);
  return base != nullptr && base->save_state != nullptr;
}

bool Generation::restores_state(std::uint32_t index) const {
  const tenon_base* base = base_of(index);
  return base != nullptr && base->restore_state != nullptr;
}

bool Generation::restores_without_state(std::uint32_t index) const {
  return has(abi_, Quirk::restored_without_state) && restores_state(index);
}

Result<std::optional<Bytes>> Generation::save_state(
    std::uint32_t index, const StateForms& forms, std::chrono::steady_clock::time_point deadline) {
  GenerationGuard guard(*this);
  const Use object(*this, index, guard);
  if (!object || object->plugin->base.save_state == nullptr) return std::optional<Bytes>();
  Call call;
  call.set_deadline(deadline);
  const tenon_state_request in{sizeof in, forms.saved, 0, {nullptr, 0}};
  const tenon_state_response* out = nullptr;
  const tenon_status status = interception_.run_lifecycle(
      object->plugin->name, "save_state", call.raw(),
      [&] { return object->plugin->base.save_state(call.raw(), object->self, &in, &out); });
  if (status != TENON_OK) return failed(call, status, *object->plugin, "save_state");
  if (out == nullptr) {
    return Error({.status = TENON_INTERNAL,
                  .message = "the plugin returned success without a response",
                  .plugin = object->plugin->name,
                  .method = "save_state"});
  }
  if (forms.type == nullptr && !Value<Bytes>::has_data(out->state)) {
    return size_without_data(object->plugin->name, "save_state", "state");
  }
  auto kept = keep_state(call.raw(), forms, out->state);
  if (!kept) return std::move(kept).error();
  return std::optional<Bytes>(std::move(*kept));
}

Result<void> Generation::restore_state(std::uint32_t index, const StateForms& forms,
                                       const Bytes* state,
                                       std::chrono::steady_clock::time_point deadline) {
  GenerationGuard guard(*this);
  const Use object(*this, index, guard);
  if (!object) return {};
  Call call;
  call.set_deadline(deadline);
  tenon_state_request in{sizeof in, 0, 0, Value<Bytes>::none()};
  if (state != nullptr) {
    const Result<tenon_bytes> given = give_state(call.raw(), forms, *state);
    if (!given) return given.error();
    in.version = forms.restored;
    in.state = *given;
  }
  const tenon_status status = interception_.run_lifecycle(
      object->plugin->name, "restore_state", call.raw(),
      [&] { return object->plugin->base.restore_state(call.raw(), object->self, &in); });
  if (status != TENON_OK) return failed(call, status, *object->plugin, "restore_state");
  return {};
}

Result<void> Generation::suspend(std::uint32_t index,
                                 std::chrono::steady_clock::time_point deadline) {
  GenerationGuard guard(*this);
  const Use object(*this, index, guard);
  if (!object || object->plugin->base.suspend == nullptr) return {};
  Call call;
  call.set_deadline(deadline);
  const tenon_status status = interception_.run_lifecycle(
      object->plugin->name, "suspend", call.raw(),
      [&] { return object->plugin->base.suspend(call.raw(), object->self); });
  if (status != TENON_OK) return failed(call, status, *object->plugin, "suspend");
  return {};
}

Result<void> Generation::resume(std::uint32_t index) {
  GenerationGuard guard(*this);
  const Use object(*this, index, guard);
  if (!object || object->plugin->base.resume == nullptr) return {};
  Call call;
  const tenon_status status = interception_.run_lifecycle(
      object->plugin->name, "resume", call.raw(),
      [&] { return object->plugin->base.resume(call.raw(), object->self); });
  if (status != TENON_OK) return failed(call, status, *object->plugin, "resume");
  return {};
}

}  // namespace tenon::inline v0_1::detail
