// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/host.hpp: services of the host for plugins: its log, and access to other plugins.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/call.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/logger.hpp>
#include <tenon/values.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon::sdk {
namespace detail {

/// Returns whether there is a host. Throws Failure otherwise.
inline bool has_host(const tenon_host* host) {
  if (host == nullptr) fail(TENON_FAILED_PRECONDITION, "the plugin has no host");
  return host != nullptr;
}

/// Returns whether a call, in which another plugin or the host is called, is not empty. Throws
/// Failure otherwise.
inline bool has_call(Call call) {
  if (call.raw() == nullptr) fail(TENON_FAILED_PRECONDITION, "the call is empty");
  return call.raw() != nullptr;
}

/// Throws Failure with the status and the message of another plugin, or of the host, unless the
/// status is TENON_OK.
inline void pass(Call call, tenon_status status) {
  if (status == TENON_OK) return;
  const tenon_string message = call.raw()->functions->message(call.raw());
  fail(status, std::string_view(message.data, message.size));
}

/// The methods of a Client, as its operator-> returns them.
template <class Calls>
struct Arrow {
  Calls calls;

  const Calls* operator->() const noexcept { return &calls; }
};

}  // namespace detail

/// A call that the plugin begins itself: for its own threads, and for calls to other plugins whose
/// results should not grow the arena of the current method. Ends with the object. Used only by the
/// thread that created it.
class OwnCall {
 public:
  /// Begins a call. With a parent it is cancelled together with the parent and has the same
  /// deadline. Throws Failure if the host refuses, or TENON_FAILED_PRECONDITION if it is nullptr.
  explicit OwnCall(const tenon_host* host, Call parent = Call(nullptr)) : host_(host) {
    if (!detail::has_host(host)) return;
    if (tenon_status status = host->call_begin(host, parent.raw(), &raw_); status != TENON_OK) {
      fail(status, "the host cannot begin a call");
    }
  }
  /// Ends the call and frees its arena.
  ~OwnCall() {
    if (raw_ != nullptr) host_->call_end(host_, raw_);
  }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

  /// Returns the call, which is valid as long as this object.
  operator Call() const noexcept { return Call(raw_); }

 private:
  const tenon_host* host_;
  tenon_call* raw_ = nullptr;
};

/// Owns an instance of another plugin and calls it. V is the class of a version of a kind, eg:
/// photo::sdk::FilterV1. The destructor releases the instance; no call of it may be running then.
/// Which threads may call a method is stated in the interface definition of the kind.
template <class V>
class Client {
 public:
  /// The vtable of the version.
  using Table = typename V::Interface::Table;

  /// Takes ownership of `instance`.
  Client(const tenon_host* host, tenon_instance instance) noexcept
      : host_(host), instance_(instance) {}
  Client(Client&& other) noexcept : host_(other.host_), instance_(other.instance_) {
    other.instance_ = {};
  }
  Client& operator=(Client&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(instance_, other.instance_);
    return *this;
  }
  ~Client() {
    if (instance_.table != nullptr) host_->release(host_, &instance_);
  }

  /// Returns the methods of the plugin, each with the Call first:
  ///
  ///   client->apply(call, pixels, width, height, 1.f);
  ///
  /// Arguments need not outlive the call. Throws as `call` does.
  auto operator->() const noexcept {
    return detail::Arrow<typename V::Calls>{typename V::Calls(*this)};
  }

  /// Calls a method that has no response with the structs of the ABI. Sets struct_size of the
  /// request. `streams`: those of the request; see detail::PassedStream. Throws Failure with the
  /// status and the message of the other plugin, or TENON_FAILED_PRECONDITION if the call or the
  /// Client is empty. A Client is empty after it was moved from, and, without exceptions, if
  /// `create` failed.
  template <class Request, class... Streams>
  void call(Call call, tenon_status (*Table::*method)(tenon_call*, void*, const Request*),
            std::common_type_t<Request> request, Streams&... streams) const {
    request.struct_size = sizeof request;
    if (!can_call(call)) return;
    finish(call, (table().*method)(call.raw(), self(), &request), streams...);
  }
  /// Calls a method that has a response, and returns the response, which is valid as long as the
  /// arena of the call. An older plugin may return a shorter struct: check fields that were added
  /// later with TENON_HAS. Throws as above.
  template <class Request, class Response, class... Streams>
  const Response& call(Call call,
                       tenon_status (*Table::*method)(tenon_call*, void*, const Request*,
                                                      const Response**),
                       std::common_type_t<Request> request, Streams&... streams) const {
    request.struct_size = sizeof request;
    const Response* response = nullptr;
    if (can_call(call)) {
      finish(call, (table().*method)(call.raw(), self(), &request, &response), streams...);
    }
    if (response != nullptr) return *response;
    fail(TENON_INTERNAL, "the plugin succeeded without a response");
    static constexpr Response none{};  // without exceptions
    return none;
  }

  /// Returns the vtable and, with `self`, the object for calls to raw functions.
  const Table& table() const noexcept { return *static_cast<const Table*>(instance_.table); }
  void* self() const noexcept { return instance_.self; }

 private:
  friend typename V::Calls;
  bool can_call(Call call) const {
    if (instance_.table == nullptr) fail(TENON_FAILED_PRECONDITION, "the client has no plugin");
    return instance_.table != nullptr && detail::has_call(call);
  }
  template <class... Streams>
  static void finish(Call call, tenon_status status, Streams&... streams) {
    if (status == TENON_OK) (streams.taken(), ...);
    detail::pass(call, status);
  }

  const tenon_host* host_;
  tenon_instance instance_;
};

/// The host that loaded the plugin. Passed by value; usable from any thread during the lifetime of
/// the plugin. An empty Host, `Host(nullptr)`, has no plugins.
class Host {
 public:
  /// Refers to `raw` and does not own it.
  explicit Host(const tenon_host* raw) noexcept : log(raw), raw_(raw) {}

  /// The host's log. Lines carry the name of the module.
  Logger log;

  /// Creates an instance of another plugin. V is the class of a version of a kind; `reference`
  /// names the plugin: create<photo::sdk::FilterV1>(call, "builtin:blur"). Throws Failure with the
  /// error of the host, or TENON_FAILED_PRECONDITION if the Host or the call is empty.
  template <class V>
  Client<V> create(Call call, std::string_view reference) const {
    tenon_plugin_request request = request_for<V>(reference);
    tenon_instance instance{};
    if (can_call(call)) detail::pass(call, raw_->create(raw_, call.raw(), &request, &instance));
    return Client<V>(raw_, instance);
  }

  /// Returns the names of the plugins that `create<V>` accepts. Throws Failure as `create` does.
  template <class V>
  std::vector<std::string> plugins(Call call) const {
    tenon_plugin_request request = request_for<V>({});
    const tenon_plugins_response* response = nullptr;
    if (can_call(call)) detail::pass(call, raw_->plugins(raw_, call.raw(), &request, &response));
    if (response == nullptr) return {};  // without exceptions
    return Value<std::vector<std::string>>::own(response->names);
  }

  /// Returns the absolute path of the module's file, for files that are installed beside it. Valid
  /// as long as the plugin. dladdr returns the path of the private copy that the host has loaded.
  /// Empty for a builtin, and if the Host is empty or older than this function.
  std::string_view module_file() const noexcept {
    if (raw_ == nullptr || !TENON_HAS(raw_, module_file)) return {};
    return Value<std::string>::view(raw_->module_file);
  }

  /// Returns the C struct of the host; nullptr if the Host is empty.
  const tenon_host* raw() const noexcept { return raw_; }

 private:
  template <class V>
  static tenon_plugin_request request_for(std::string_view reference) {
    using Interface = typename V::Interface;
    return {sizeof(tenon_plugin_request), {Interface::kind.data(), Interface::kind.size()},
            Interface::version,           0,
            Interface::fingerprint,       {reference.data(), reference.size()}};
  }
  bool can_call(Call call) const { return detail::has_host(raw_) && detail::has_call(call); }

  const tenon_host* raw_;
};

}  // namespace tenon::sdk
