// SPDX-License-Identifier: BSL-1.0
#include "raw_module.hpp"

#include <tenon/call.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <new>
#include <utility>

#include "child.hpp"
#include "image.hpp"
#include "platform/utf8_path.hpp"

namespace tenon::sdk::conformance {
namespace {

std::string_view text_of(tenon_string text) noexcept {
  return {text.data, text.size};
}

const tenon_registration& registration(const tenon_module& module, std::size_t index) {
  return TENON_AT(tenon_registration, module.registrations, index);
}

/// Returns nullptr if the plugin is not registered.
const tenon_registration* find_registration(const tenon_module& module, const PluginInfo& plugin) {
  for (std::size_t i = 0; i < module.registrations.count; ++i) {
    const tenon_registration& one = registration(module, i);
    if (text_of(one.kind) == plugin.kind() && text_of(one.name) == plugin.name() &&
        one.version == plugin.version()) {
      return &one;
    }
  }
  return nullptr;
}

/// Returns the base table if the plugin has instances; otherwise nullptr.
const tenon_base* base_of(const void* table) {
  const tenon_base* base = static_cast<const tenon_table*>(table)->base;
  return base != nullptr && TENON_HAS(base, create) && base->create != nullptr ? base : nullptr;
}

/// Whether a module was left loaded in this process.
bool left_loaded = false;

}  // namespace

struct RawModule::Functions {
  static void log(const tenon_host*, std::int32_t, tenon_string message) noexcept {
    std::cerr << text_of(message) << "\n";
  }
  static tenon_status call_begin(const tenon_host*, tenon_call*, tenon_call** call) noexcept {
    auto* made = new (std::nothrow) Call;
    if (made == nullptr) return TENON_RESOURCE_EXHAUSTED;
    *call = made->raw();
    return TENON_OK;
  }
  static void call_end(const tenon_host*, tenon_call* call) noexcept { delete &Call::of(call); }
  static tenon_status plugins(const tenon_host* host, tenon_call* call, const tenon_plugin_request*,
                              const tenon_plugins_response** out) noexcept {
    static_cast<const Host*>(host)->was_asked = true;
    auto* none = static_cast<tenon_plugins_response*>(
        tenon_allocate_zeroed(call, sizeof(tenon_plugins_response)));
    none->struct_size = sizeof *none;
    none->names = {"", 0, sizeof(tenon_string)};
    *out = none;
    return TENON_OK;
  }
  static tenon_status create(const tenon_host* host, tenon_call* call, const tenon_plugin_request*,
                             tenon_instance*) noexcept {
    static_cast<const Host*>(host)->was_asked = true;
    return tenon_fail(call, TENON_NOT_FOUND, "there are no other plugins");
  }
  static void release(const tenon_host*, tenon_instance*) noexcept {}
  static std::int32_t log_wanted(const tenon_host*, std::int32_t) noexcept { return 1; }
  static void log_line(const tenon_host* host, const tenon_log_line* line) noexcept {
    log(host, line->level, line->message);
  }
};

// The constructor that it calls has made a whole object, so the destructor runs if `load` fails.
RawModule::RawModule(const Options& options) : RawModule(options, Unloaded()) {
  load();
}

RawModule::RawModule(const Options& options, Unloaded)
    : report_(inspect(options)),
      file_(options.module.string()),
      own_process_(!options.in_process),
      host_{{sizeof(tenon_host),
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
             {file_.data(), file_.size()}}},
      module_(options.builtin) {}

RawModule::~RawModule() {
  if (own_process_ || image_ == nullptr) return;
  if (instances_ > 0) {
    left_loaded = true;
    return;
  }
  stop();
  unload_image(image_);
}

void RawModule::load() {
  if (module_ == nullptr) {
    const NamedFunction loading("the constructors of the module");
    std::string why;
    image_ = load_image(platform::path_from(file_), why);
    if (image_ == nullptr) fail("it cannot be loaded: " + why);
    module_ = static_cast<const tenon_module*>(symbol_of(image_, "tenon_module_v1"));
  }
  compare();
  if (TENON_HAS(module_, start) && module_->start != nullptr) {
    Call call;
    tenon_status status = TENON_OK;
    {
      const NamedFunction running("start");
      status = module_->start(call.raw(), &host_);
    }
    check(call, status, "start", report_.manifest->package);
  }
  started_ = true;
}

void RawModule::compare() const {
  require(module_ != nullptr, "it does not export its module object");
  require(module_->magic == TENON_MAGIC, "its module object does not begin with TENON_MAGIC");
  const std::size_t count = module_->registrations.count;
  require(count == report_.plugins.size(), "it registers " + counted(count, "plugin") +
                                               ", and its manifest declares " +
                                               std::to_string(report_.plugins.size()));
  for (const PluginInfo& plugin : report_.plugins) {
    require(find_registration(*module_, plugin) != nullptr,
            "it does not register " + std::string(plugin.name()) + " (" +
                std::string(plugin.kind()) + " version " + std::to_string(plugin.version()) +
                "), which its manifest declares");
  }
}

void RawModule::check(Call& call, tenon_status status, std::string_view function,
                      std::string_view plugin) const {
  if (status == TENON_OK) return;
  if (host_.was_asked) skip("it uses another plugin, and its kinds are known to no host here");
  fail(std::string(plugin) + ": " + std::string(function) +
       " failed: " + std::string(call.message()));
}

void RawModule::create_all() {
  for (std::size_t i = 0; i < module_->registrations.count; ++i) {
    destroy(create(registration(*module_, i)));
  }
}

const tenon_registration& RawModule::find(const PluginInfo& plugin) const {
  return *find_registration(*module_, plugin);
}

tenon_instance RawModule::create(const tenon_registration& plugin) const {
  tenon_instance instance{plugin.table, nullptr};
  const tenon_base* base = base_of(plugin.table);
  if (base == nullptr) return instance;
  Call call;
  const tenon_create_request in{sizeof in, &host_, plugin.name};
  tenon_status status = TENON_OK;
  {
    const NamedFunction running("create");
    status = base->create(call.raw(), &in, &instance.self);
  }
  check(call, status, "create", text_of(plugin.name));
  ++instances_;
  return instance;
}

void RawModule::destroy(const tenon_instance& instance) const {
  const tenon_base* base = base_of(instance.table);
  if (base == nullptr) return;
  --instances_;
  if (!TENON_HAS(base, destroy) || base->destroy == nullptr) return;
  const NamedFunction running("destroy");
  base->destroy(instance.self);
}

void RawModule::stop() {
  if (!std::exchange(started_, false)) return;
  if (!TENON_HAS(module_, stop) || module_->stop == nullptr) return;
  const NamedFunction running("stop");
  module_->stop();
}

void RawModule::unload() {
  stop();
  if (image_ == nullptr) return;
  {
    const NamedFunction running("the destructors of the module");
    unload_image(std::exchange(image_, nullptr));
  }
  if (!is_mapped(platform::path_from(file_))) return;
  const bool may_stay = !report_.reload || report_.reload->grade != ReloadGrade::safe;
  require(may_stay || left_loaded, "it stays mapped after it was unloaded");
}

}  // namespace tenon::sdk::conformance
