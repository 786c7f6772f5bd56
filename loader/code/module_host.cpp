// SPDX-License-Identifier: BSL-1.0
#include "code/module_host.hpp"

#include <tenon/values.hpp>

#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "call/call_children.hpp"
#include "call/call_log.hpp"
#include "call/events.hpp"
#include "call/thread_records.hpp"
#include "catalog/kinds.hpp"
#include "catalog/reference.hpp"
#include "code/live_instance.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Sets the message of a failure that the plugin gets.
tenon_status fail(tenon_call* call, tenon_status status, const std::string& message) {
  call->functions->fail(call, status, {message.data(), message.size()});
  return status;
}

/// The error for code that still runs after its generation or the host has ended.
Error host_is_gone() {
  return Error({.status = TENON_UNAVAILABLE,
                .message = "the host has ended, or it has stopped this module"});
}

/// Returns the status of an error for a plugin.
tenon_status status_of(const Error& error) {
  if (error.status() != TENON_OK) return error.status();
  return error.code() == "not-found" ? TENON_NOT_FOUND : TENON_FAILED_PRECONDITION;
}

/// Returns the path from the root. Without a current directory it is left relative.
std::string absolute_path(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::path whole =
      file.empty() ? file : std::filesystem::absolute(file, failed).lexically_normal();
  return (failed ? file : whole).string();
}

struct KnownVersion {
  const Kind* kind;
  const KindVersion* version;
};

/// Returns the kind and version of a request, if this program knows them.
Result<KnownVersion> look_up(const tenon_plugin_request& in) {
  if (!Value<std::string>::has_data(in.kind) || !Value<std::string>::has_data(in.reference)) {
    return Error({.status = TENON_INVALID_ARGUMENT,
                  .message = "the request has a size without data in 'kind' or 'reference'"});
  }
  const std::string_view id(in.kind.data, in.kind.size);
  bool known = false;
  for (const Kind* kind : find_kinds(id)) {
    const KindVersion* version = kind->find(in.version);
    if (version == nullptr) continue;
    if (version->fingerprint == in.fingerprint) return KnownVersion{kind, version};
    known = true;
  }
  const std::string title = "version " + std::to_string(in.version) + " of " + std::string(id);
  if (known) {
    return Error({.status = TENON_FAILED_PRECONDITION,
                  .message = "the host was built with another spec of " + title});
  }
  return Error({.status = TENON_NOT_FOUND, .message = "the host does not know " + title});
}

}  // namespace

struct ModuleHost::Functions {
  /// Returns a plugin of the generation, if the calling thread is about to make it serve. Until
  /// then, the catalog has the manifest of the previous code.
  static std::optional<PluginChoice> choose_built(ModuleHost& host, const KnownVersion& known,
                                                  const tenon_plugin_request& in) {
    auto module = host.module();
    if (module == nullptr || !module->builds(host.generation_)) return std::nullopt;
    const std::string_view text(in.reference.data, in.reference.size);
    const auto wanted = Reference::parse(text, known.kind->id.substr(0, known.kind->id.find('/')));
    const bool own = wanted && wanted->origin != Reference::Origin::builtin &&
                     wanted->match(host.package_.version) == Match::exact &&
                     host.generation_->provides(*known.kind, in.version, wanted->name);
    if (!own) return std::nullopt;
    return PluginChoice{std::move(module), wanted->name};
  }

  static Result<Instance*> create_client(ModuleHost& host, const KnownVersion& known,
                                         const tenon_plugin_request& in) {
    Result<PluginChoice> chosen = [&]() -> Result<PluginChoice> {
      const auto services = host.services();
      if (services == nullptr) return host_is_gone();
      return services->choose_for(host.package_, *known.kind, in.version,
                                  {in.reference.data, in.reference.size});
    }();
    if (!chosen) {
      auto own = choose_built(host, known, in);
      if (!own) return std::move(chosen).error();
      chosen = *std::move(own);
    }
    auto made = chosen->module->create(*known.kind, in.version, chosen->name, std::nullopt,
                                       Owner::plugin, host.generation_);
    if (!made) return std::move(made).error();
    const sync::Lock lock(host.mutex_);
    if (host.streams_ == nullptr) return host_is_gone();
    static_cast<LiveInstance&>(**made).make_client_of(*host.streams_);
    host.clients_.insert(made->get());
    return made->release();
  }

  static void log(const tenon_host* host, std::int32_t level, tenon_string message) {
    log_of(of(host), plain_line(level, message));
  }

  static tenon_status call_begin(const tenon_host* host, tenon_call* parent, tenon_call** call) {
    Call* outer = parent != nullptr ? &Call::of(parent) : nullptr;
    *call = (new ChildCall(outer, &of(host)))->raw();
    return TENON_OK;
  }

  static void call_end(const tenon_host*, tenon_call* call) {
    delete static_cast<ChildCall*>(&Call::of(call));
  }

  static tenon_status plugins(const tenon_host* host, tenon_call* call,
                              const tenon_plugin_request* in, const tenon_plugins_response** out) {
    const CallerScope caller(of(host).generation_);
    auto known = look_up(*in);
    if (!known) return fail(call, known.error().status(), std::string(known.error().message()));
    const auto services = of(host).services();
    if (services == nullptr)
      return fail(call, TENON_UNAVAILABLE, std::string(host_is_gone().message()));
    const auto names = services->names_for(of(host).package_, *known->kind, in->version);
    auto* response = static_cast<tenon_plugins_response*>(
        tenon_allocate_zeroed(call, sizeof(tenon_plugins_response)));
    response->struct_size = sizeof *response;
    response->names = Value<std::vector<std::string>>::raw<Copy::deep>(call, names);
    *out = response;
    return TENON_OK;
  }

  static tenon_status create(const tenon_host* host, tenon_call* call,
                             const tenon_plugin_request* in, tenon_instance* out) {
    const CallerScope caller(of(host).generation_);
    auto known = look_up(*in);
    if (!known) return fail(call, known.error().status(), std::string(known.error().message()));
    auto made = create_client(of(host), *known, *in);
    if (!made) {
      std::string why = in_one_line(made.error());
      fail(call, status_of(made.error()), why);
      Call::of(call).add_failed_inside(UINT32_MAX, std::move(why));
      return status_of(made.error());
    }
    out->table = known->version->client;
    out->self = *made;
    return TENON_OK;
  }

  static void release(const tenon_host* host, tenon_instance* instance) {
    const CallerScope caller(of(host).generation_);
    auto* client = static_cast<Instance*>(instance->self);
    if (of(host).process_.inherited()) return;
    {
      const sync::Lock lock(of(host).mutex_);
      if (of(host).clients_.erase(client) == 0) return;
    }
    InstancePtr ended(client);
    *instance = {nullptr, nullptr};
  }

  static std::int32_t log_wanted(const tenon_host* host, std::int32_t level) {
    return wants_of(of(host), level) ? 1 : 0;
  }

  static void log_line(const tenon_host* host, const tenon_log_line* line) {
    log_of(of(host), *line);
  }
};

ModuleHost::ModuleHost(Package package, const std::filesystem::path& file, HostLink host,
                       std::shared_ptr<Log> log, RevocableStreams& streams)
    : file_(absolute_path(file)),
      table_{{sizeof(tenon_host),
              TENON_ABI_MAJOR,
              TENON_ABI_MINOR,
              Functions::log,
              Functions::call_begin,
              Functions::call_end,
              Functions::plugins,
              Functions::create,
              Functions::release,
              Functions::log_wanted,
              Functions::log_line,
              {file_.empty() ? nullptr : file_.c_str(), file_.size()}},
             this},
      package_(std::move(package)),
      log_(std::move(log)),
      generation_(static_cast<Generation*>(&streams.generation())),
      host_(std::move(host)),
      streams_(&streams) {}

/// Returns the services of the host, or nullptr if it has ended or this is closed. A forked child
/// does not use the lock.
std::shared_ptr<HostServices> ModuleHost::services() {
  if (process_.inherited()) return inherited_services();
  const sync::Lock lock(mutex_);
  return host_.services();
}

std::shared_ptr<PluginModule> ModuleHost::module() {
  if (process_.inherited()) return nullptr;
  const sync::Lock lock(mutex_);
  if (streams_ == nullptr) return nullptr;
  return generation_->owner();
}

bool ModuleHost::runs_here() const noexcept {
  return innermost_serving() == generation_;
}

void ModuleHost::close() noexcept {
  std::set<Instance*> clients;
  {
    const sync::Lock lock(mutex_);
    clients.swap(clients_);
    streams_ = nullptr;
    host_ = {};
  }
  for (Instance* client : clients) InstancePtr ended(client);
}

}}}  // namespace tenon::v0_1::detail
