// SPDX-License-Identifier: BSL-1.0
#include "code/plugin_object.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "code/generation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// The first fields of the request of every configure method.
struct ConfigureRequest {
  std::size_t struct_size;
  tenon_map config;
};
using ConfigureFunction = tenon_status (*)(tenon_call*, void*, const ConfigureRequest*);

Error no_configuration(const ValidatedPlugin& plugin, std::string message) {
  return Error({.status = TENON_UNIMPLEMENTED,
                .message = std::move(message),
                .fix = "create it without a configuration",
                .plugin = plugin.name,
                .method = "configure"});
}

}  // namespace

/// Calls a function of the plugin.
template <class Function>
Result<void> ObjectRef::run(const char* function, Call& call, const Function& body) const {
  const tenon_status status =
      generation->interception().run_lifecycle(plugin->name, function, call.raw(), body);
  if (status == TENON_OK) return {};
  return generation->failed(call, status, *plugin, function);
}

const KindVersion& ObjectRef::used_version() const noexcept {
  return adapter == nullptr ? *plugin->version : *plugin->kind->find(adapter->target);
}

Result<void> ObjectRef::configure(const TextMap& config) const {
  const KindVersion& used = used_version();
  const MethodInfo* method = used.configure();
  const MethodInfo* own =
      method != nullptr ? plugin->version->own_method(used.version, method->name) : nullptr;
  if (method == nullptr || (own != nullptr && !plugin->implements(*own))) {
    if (config.empty()) return {};
    return no_configuration(
        *plugin, method == nullptr
                     ? "plugins of " + std::string(plugin->kind->id) + " take no configuration"
                     : "the plugin takes no configuration");
  }
  ConfigureFunction function;
  std::memcpy(&function, static_cast<const char*>(target.table) + used.configure_offset,
              sizeof function);
  Call call;
  const ConfigureRequest in{sizeof in, Value<TextMap>::raw<Copy::shallow>(call.raw(), config)};
  // An interceptor has already replaced the status of the plugin.
  const bool intercepted =
      generation->contains_crashes() && plugin->version->intercepted != nullptr;
  tenon_status result = TENON_OK;
  tenon_status status =
      generation->interception().run_lifecycle(plugin->name, "configure", call.raw(), [&] {
        result = function(call.raw(), target.self, &in);
        return intercepted ? TENON_OK : result;
      });
  if (status == TENON_OK) status = result & ~TENON_RESTARTED;  // a flag of method calls
  if (status != TENON_OK) return generation->failed(call, status, *plugin, "configure");
  return {};
}

Result<std::optional<Bytes>> ObjectRef::save_state(const StateForms& forms, Time deadline) const {
  if (plugin->base.save_state == nullptr) return std::optional<Bytes>();
  Call call;
  call.set_deadline(deadline);
  const tenon_state_request in{sizeof in, forms.saved, 0, {nullptr, 0}};
  const tenon_state_response* out = nullptr;
  auto saved =
      run("save_state", call, [&] { return plugin->base.save_state(call.raw(), self, &in, &out); });
  if (!saved) return std::move(saved).error();
  if (out == nullptr) {
    return Error({.status = TENON_INTERNAL,
                  .message = "the plugin returned success without a response",
                  .plugin = plugin->name,
                  .method = "save_state"});
  }
  if (forms.type == nullptr && !Value<Bytes>::has_data(out->state)) {
    return size_without_data(plugin->name, "save_state", "state");
  }
  auto kept = keep_state(call.raw(), forms, out->state);
  if (!kept) return std::move(kept).error();
  return std::optional<Bytes>(std::move(*kept));
}

Result<void> ObjectRef::restore_state(const StateForms& forms, const Bytes* state,
                                      Time deadline) const {
  Call call;
  call.set_deadline(deadline);
  tenon_state_request in{sizeof in, 0, 0, Value<Bytes>::none()};
  if (state != nullptr) {
    const Result<tenon_bytes> given = give_state(call.raw(), forms, *state);
    if (!given) return given.error();
    in.version = forms.restored;
    in.state = *given;
  }
  return run("restore_state", call,
             [&] { return plugin->base.restore_state(call.raw(), self, &in); });
}

Result<void> ObjectRef::suspend(Time deadline) const {
  if (plugin->base.suspend == nullptr) return {};
  Call call;
  call.set_deadline(deadline);
  return run("suspend", call, [&] { return plugin->base.suspend(call.raw(), self); });
}

Result<void> ObjectRef::resume() const {
  if (plugin->base.resume == nullptr) return {};
  Call call;
  return run("resume", call, [&] { return plugin->base.resume(call.raw(), self); });
}

void ObjectRef::destroy() const noexcept {
  if (plugin == nullptr) return;
  if (adapter != nullptr) adapter->destroy(target.self);
  if (plugin->base.destroy == nullptr) return;
  Call call;
  generation->interception().run_lifecycle(plugin->name, "destroy", call.raw(), [&] {
    plugin->base.destroy(self);
    return TENON_OK;
  });
}

}}}  // namespace tenon::v0_1::detail
