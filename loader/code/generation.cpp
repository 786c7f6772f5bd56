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

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

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
      mutex_(context.mutex),
      objects_(*this, context.mutex, context.counters) {
  if (image_) image_->keep(host_);
  std::ranges::stable_sort(validated_.plugins, {}, &ValidatedPlugin::name);
  std::vector<PluginMethods> methods;
  for (ValidatedPlugin& plugin : validated_.plugins) {
    methods.push_back(plugin.methods());
    interception_.prepare(plugin);
    plugin_targets_.push_back({nullptr, nullptr, this, &plugin.name});
  }
  add_targets(plugin_targets_.data(), plugin_targets_.size());
  methods_ = std::make_shared<const std::vector<PluginMethods>>(std::move(methods));
}

Generation::~Generation() {
  delete load_record_.load();
  host_->close();
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
               .cause = std::string(call.failed_inside(0))});
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
  {
    const ObjectTable::All all = objects_.extract_all();
    const GenerationGuard guard(*this);
    const auto deadline = std::chrono::steady_clock::now() + patience_;
    const bool streams = streams_.count() != 0;
    for (std::uint32_t index = 0; index < all.listed.size(); ++index) {
      if (streams) end_streams(index, deadline);
      destroy(all.listed[index], guard);
    }
    for (const PluginObject& object : all.extracted) destroy(object, guard);
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
                                const GenerationGuard& guard, PluginObject& object) {
  // The first create ends the load, however it ends.
  std::unique_ptr<LoadRecord> load;
  std::optional<LoadRecord::Here> here;
  if (load_record_.load() != nullptr) {
    load.reset(load_record_.exchange(nullptr));
    here.emplace();
  }
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
  object.generation = this;
  object.plugin = plugin;
  if (plugin->base.create != nullptr) {
    Call call;
    const tenon_create_request in{
        sizeof in, host_->raw(), {plugin->name.data(), plugin->name.size()}};
    // Most creates only read it: a write would take the cache line from other threads.
    const bool first = !created_.load() && !created_.exchange(true);
    const tenon_status status = interception_.run_lifecycle(
        plugin->name, "create", call.raw(),
        [&] { return plugin->base.create(call.raw(), &in, &object.self); },
        first ? preserved() : Preserved::float_modes);
    if (status != TENON_OK) return failed(call, status, *plugin, "create");
  }
  try {
    Result<void> adapted = adapt(object, target);
    if (!adapted) object.destroy();
    return adapted;
  } catch (const std::bad_alloc&) {
    object.destroy();
    throw;
  } catch (...) {
    object.destroy();
    return step_failed(*plugin, text_of_exception("the hand-written step"));
  }
}

/// Adds the interceptor and the adapter of an object.
Result<void> Generation::adapt(PluginObject& object, std::int32_t target) {
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

void Generation::destroy(const ObjectRef& object, const GenerationGuard& guard) noexcept {
  if (!object) return;
  guard.run_plugin(target_of(*object.plugin));
  object.destroy();
}

Result<void> Generation::add(std::uint32_t index, const InstanceSpec& spec) {
  const GenerationGuard guard(*this);
  PluginObject object;
  if (auto made = create(*spec.kind, spec.target, spec.name, guard, object); !made) {
    return made;
  }
  try {
    const ModuleLock lock(mutex_);
    objects_.insert(index, object);
  } catch (...) {  // out of memory
    object.destroy();
    throw;
  }
  return {};
}

void Generation::remove(std::uint32_t index) noexcept {
  const GenerationGuard guard(*this);
  const bool streams_ended = end_streams(index);
  PluginObject object;
  {
    const ModuleLock lock(mutex_);
    object = objects_.extract(index, streams_ended);
  }
  destroy(object, guard);
}

const CallTarget& Generation::target_of(const ValidatedPlugin& plugin) const noexcept {
  return plugin_targets_[index_of(plugin)];
}

const PluginMethods* Generation::methods_of(std::uint32_t index) const noexcept {
  const ValidatedPlugin* plugin = objects_.plugin_of(index);
  return plugin != nullptr ? &(*methods_)[index_of(*plugin)] : nullptr;
}

bool Generation::restores_without_state(std::uint32_t index) const {
  return has(abi_, Quirk::restored_without_state) && objects_.restores_state(index);
}

bool Generation::end_streams(std::uint32_t index) noexcept {
  if (streams_.empty()) return true;
  if (end_streams(index, std::chrono::steady_clock::now() + patience_)) return true;
  const std::string name = [&] {
    const ModuleLock lock(mutex_);
    const ValidatedPlugin* plugin = objects_.plugin_of(index);
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

}}}  // namespace tenon::v0_1::detail
