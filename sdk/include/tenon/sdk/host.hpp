// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/host.hpp: the host as its plugins see it: its log, and the plugins of others.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/call.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/logger.hpp>
#include <tenon/values.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// A call of the plugin's own: for its own threads, and for calls to other plugins whose results
/// shall not fill the arena of the method. Belongs to the thread that made it.
class OwnCall {
 public:
  /// With a parent it is cancelled when that is, and ends at the same deadline.
  explicit OwnCall(const tenon_host* host, Call parent = Call(nullptr)) : host_(host) {
    if (tenon_status status = host->call_begin(host, parent.raw(), &raw_); status != TENON_OK) {
      throw Failure(status, "the host begins no call");
    }
  }
  ~OwnCall() { host_->call_end(host_, raw_); }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

  operator Call() const noexcept { return Call(raw_); }

 private:
  const tenon_host* host_;
  tenon_call* raw_ = nullptr;
};

namespace detail {

/// Hands on what another plugin, or the host, said when it failed.
inline void pass(Call call, tenon_status status) {
  if (status == TENON_OK) return;
  const tenon_string said = call.raw()->functions->message(call.raw());
  throw Failure(status, std::string_view(said.data, said.size));
}

}  // namespace detail

/// An instance of another plugin, at the version that V stands for, eg: photo::sdk::FilterV1.
/// Released with the Client.
template <class V>
class Client {
 public:
  using Table = typename V::Interface::Table;

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

  /// Calls a method without an answer. The request needs no struct_size. Throws Failure with what
  /// the other plugin said.
  ///
  ///   client.call(call, &photo_filter_v1::apply, {0, pixels, width, height, 1.f});
  template <class Request>
  void call(Call call, tenon_status (*Table::*method)(tenon_call*, void*, const Request*),
            std::common_type_t<Request> request) const {
    request.struct_size = sizeof request;
    detail::pass(call, (table().*method)(call.raw(), self(), &request));
  }
  /// Calls a method with an answer, which lives in the arena of the call. It may come from an older
  /// plugin: ask with TENON_HAS for what joined its end later.
  template <class Request, class Response>
  const Response& call(Call call,
                       tenon_status (*Table::*method)(tenon_call*, void*, const Request*,
                                                      const Response**),
                       std::common_type_t<Request> request) const {
    request.struct_size = sizeof request;
    const Response* response = nullptr;
    detail::pass(call, (table().*method)(call.raw(), self(), &request, &response));
    if (response == nullptr)
      throw Failure(TENON_INTERNAL, "the plugin succeeded without an answer");
    return *response;
  }

  const Table& table() const noexcept { return *static_cast<const Table*>(instance_.table); }
  void* self() const noexcept { return instance_.self; }

 private:
  const tenon_host* host_;
  tenon_instance instance_;
};

/// The host that loaded the plugin. Passed by value, usable from any thread while the plugin
/// lives. A Host made of nothing logs nothing and knows no plugins.
class Host {
 public:
  explicit Host(const tenon_host* raw) noexcept : log(raw), raw_(raw) {}

  /// The host's log, with the name of the module.
  Logger log;

  /// A new instance of another plugin, eg: create<photo::sdk::FilterV1>(call, "builtin:blur").
  /// Throws Failure.
  template <class V>
  Client<V> create(Call call, std::string_view reference) const {
    tenon_plugin_request request = wanted<V>(reference);
    tenon_instance instance{};
    detail::pass(call, known().create(raw_, call.raw(), &request, &instance));
    return Client<V>(raw_, instance);
  }

  /// The names of the plugins that `create` could serve. Throws Failure.
  template <class V>
  std::vector<std::string> find(Call call) const {
    tenon_plugin_request request = wanted<V>({});
    const tenon_find_response* response = nullptr;
    detail::pass(call, known().find(raw_, call.raw(), &request, &response));
    return Value<std::vector<std::string>>::own(response->names);
  }

  const tenon_host* raw() const noexcept { return raw_; }

 private:
  template <class V>
  static tenon_plugin_request wanted(std::string_view reference) {
    using Interface = typename V::Interface;
    return {sizeof(tenon_plugin_request), {Interface::kind.data(), Interface::kind.size()},
            Interface::version,           0,
            Interface::fingerprint,       {reference.data(), reference.size()}};
  }
  const tenon_host& known() const {
    if (raw_ == nullptr) throw Failure(TENON_FAILED_PRECONDITION, "the plugin has no host");
    return *raw_;
  }

  const tenon_host* raw_;
};

}  // namespace tenon::sdk
