// SPDX-License-Identifier: BSL-1.0
#include "module/module_host.hpp"

#include <tenon/values.hpp>

#include "base/log.hpp"
#include "call/call_children.hpp"
#include "call/call_log.hpp"
#include "call/thread_records.hpp"
#include "catalog/kinds.hpp"
#include "module/events.hpp"
#include "module/module.hpp"

namespace tenon::detail {
namespace {

/// Says why to the plugin, in the words that a host author would read.
tenon_status fail(tenon_call* call, tenon_status status, const std::string& message) {
  call->functions->fail(call, status, {message.data(), message.size()});
  return status;
}

/// For code that is still running although the host has ended.
Error host_is_gone() {
  return Error({.status = TENON_UNAVAILABLE, .message = "the host of this module has ended"});
}

/// What a finding is to a plugin.
tenon_status status_of(const Error& error) {
  if (error.status() != TENON_OK) return error.status();
  return error.code() == "not-found" ? TENON_NOT_FOUND : TENON_FAILED_PRECONDITION;
}

struct Asked {
  const Kind* kind;
  const KindVersion* version;
};

/// What a request asks for, as far as this program knows it.
Result<Asked> look_up(const tenon_plugin_request& in) {
  const std::string_view id(in.kind.data, in.kind.size);
  const Kind* kind = find_kind(id);
  const KindVersion* version = kind != nullptr ? kind->find(in.version) : nullptr;
  if (version == nullptr) {
    return Error({.status = TENON_NOT_FOUND,
                  .message = "the host does not know version " + std::to_string(in.version) +
                             " of " + std::string(id)});
  }
  if (version->fingerprint != in.fingerprint) {
    return Error({.status = TENON_FAILED_PRECONDITION,
                  .message = "the host was built with another spec of version " +
                             std::to_string(in.version) + " of " + std::string(id)});
  }
  return Asked{kind, version};
}

}  // namespace

struct ModuleHost::Functions {
  static Result<InstancePtr> create_client(const ModuleHost& host, const Asked& asked,
                                           const tenon_plugin_request& in) {
    Result<ChosenPlugin> chosen = [&]() -> Result<ChosenPlugin> {
      const auto directory = host.directory_.lock();
      if (directory == nullptr) return host_is_gone();
      return directory->choose_for(host.package_, *asked.kind, in.version,
                                   {in.reference.data, in.reference.size});
    }();
    if (!chosen) return std::move(chosen).error();
    return chosen->module->create(*asked.kind, in.version, chosen->name, std::nullopt,
                                  Owner::plugin);
  }

  static void log(const tenon_host* host, std::int32_t level, tenon_string message) {
    log_of(of(host).generation(), plain_line(level, message));
  }

  static tenon_status call_begin(const tenon_host* host, tenon_call* parent, tenon_call** call) {
    Call* outer = parent != nullptr ? &Call::of(parent) : nullptr;
    *call = (new ChildCall(outer, &of(host).generation()))->raw();
    return TENON_OK;
  }

  static void call_end(const tenon_host*, tenon_call* call) {
    delete static_cast<ChildCall*>(&Call::of(call));
  }

  static tenon_status find(const tenon_host* host, tenon_call* call, const tenon_plugin_request* in,
                           const tenon_find_response** out) {
    const AskerScope asker(&of(host).leases_.generation());
    auto asked = look_up(*in);
    if (!asked) return fail(call, asked.error().status(), std::string(asked.error().message()));
    const auto directory = of(host).directory_.lock();
    if (directory == nullptr)
      return fail(call, TENON_UNAVAILABLE, std::string(host_is_gone().message()));
    const auto names = directory->names_for(of(host).package_, *asked->kind, in->version);
    auto* answer =
        static_cast<tenon_find_response*>(tenon_allocate_zeroed(call, sizeof(tenon_find_response)));
    answer->struct_size = sizeof *answer;
    answer->names = Value<std::vector<std::string>>::raw<Copy::deep>(call, names);
    *out = answer;
    return TENON_OK;
  }

  static tenon_status create(const tenon_host* host, tenon_call* call,
                             const tenon_plugin_request* in, tenon_instance* out) {
    const AskerScope asker(&of(host).leases_.generation());
    auto asked = look_up(*in);
    if (!asked) return fail(call, asked.error().status(), std::string(asked.error().message()));
    auto made = create_client(of(host), *asked, *in);
    if (!made) {
      std::string why = in_one_line(made.error());
      fail(call, status_of(made.error()), why);
      Call::of(call).add_failed_inside(UINT32_MAX, std::move(why));
      return status_of(made.error());
    }
    out->table = asked->version->client;
    out->self = made->get();
    static_cast<LiveInstance&>(**made).make_client_of(of(host).leases_);
    const std::lock_guard lock(of(host).mutex_);
    of(host).clients_.insert(made->get());
    static_cast<void>(made->release());
    return TENON_OK;
  }

  static void release(const tenon_host* host, tenon_instance* instance) {
    const AskerScope asker(&of(host).leases_.generation());
    auto* client = static_cast<Instance*>(instance->self);
    if (of(host).process_.inherited()) return;
    {
      const std::lock_guard lock(of(host).mutex_);
      if (of(host).clients_.erase(client) == 0) return;
    }
    InstancePtr ended(client);
    *instance = {nullptr, nullptr};
  }

  static std::int32_t log_wanted(const tenon_host* host, std::int32_t level) {
    return wants_of(of(host).generation(), level) ? 1 : 0;
  }

  static void log_line(const tenon_host* host, const tenon_log_line* line) {
    log_of(of(host).generation(), *line);
  }
};

const Generation& ModuleHost::generation() const noexcept {
  return static_cast<const Generation&>(leases_.generation());
}

ModuleHost::ModuleHost(Package package, std::weak_ptr<PluginDirectory> directory, LeaseList& leases)
    : table_{{sizeof(tenon_host), TENON_ABI_MAJOR, TENON_ABI_MINOR, Functions::log,
              Functions::call_begin, Functions::call_end, Functions::find, Functions::create,
              Functions::release, Functions::log_wanted, Functions::log_line},
             this},
      package_(std::move(package)),
      directory_(std::move(directory)),
      leases_(leases) {}

ModuleHost::~ModuleHost() {
  for (Instance* client : clients_) InstancePtr ended(client);
}

}  // namespace tenon::detail
