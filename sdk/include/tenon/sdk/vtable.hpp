// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/vtable.hpp: makes the vtable of a plugin from the methods of its C++ class. For
// generated code; authors do not use it directly.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/base.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace tenon::sdk::detail {

/// Runs a method, and returns its status. Converts an exception to a status.
template <class Body>
TENON_SDK_ALWAYS_INLINE tenon_status guarded(const Frame& frame, Body&& body) noexcept {
  CurrentFrameScope scope(frame);
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (...) {
    return report_exception(frame.call);
  }
#else
  const tenon_status status = body();
  return frame.failure != TENON_OK ? frame.failure : status;
#endif
}

/// A request with all fields that this build knows: the request itself, or, if an older caller made
/// it, a copy in which the missing fields are zero.
template <class Request>
class CompleteRequest {
 public:
  explicit CompleteRequest(const Request* in) noexcept {
    if (in->struct_size >= sizeof(Request)) {
      complete_ = in;
    } else {
      std::memset(&copy_, 0, sizeof copy_);
      std::memcpy(&copy_, in, in->struct_size);
      complete_ = &copy_;
    }
  }
  const Request* get() const noexcept { return complete_; }

 private:
  const Request* complete_;
  Request copy_;
};

/// Returns a new response in the arena of the call: struct_size is set, the rest is zero.
template <class Response>
Response* new_response(tenon_call* call) {
  auto* response = static_cast<Response*>(tenon_allocate_zeroed(call, sizeof(Response)));
  response->struct_size = sizeof(Response);
  return response;
}

/// The function in the vtable that calls the raw form of a method.
template <auto method>
struct Thunk;

template <class V, class Request, tenon_status (V::*method)(tenon_call*, const Request*)>
struct TENON_SDK_LOCAL Thunk<method> {
  static tenon_status function(tenon_call* call, void* self, const Request* in) noexcept {
    return guarded({call, nullptr}, [&] {
      return (static_cast<V*>(self)->*method)(call, CompleteRequest<Request>(in).get());
    });
  }
};

template <class V, class Request, class Response,
          tenon_status (V::*method)(tenon_call*, const Request*, const Response**)>
struct TENON_SDK_LOCAL Thunk<method> {
  static tenon_status function(tenon_call* call, void* self, const Request* in,
                               const Response** out) noexcept {
    *out = nullptr;
    return guarded({call, nullptr}, [&] {
      return (static_cast<V*>(self)->*method)(call, CompleteRequest<Request>(in).get(), out);
    });
  }
};

/// True if P overrides a member of V, the base class of a version. A member that cannot be named
/// here, because it is private or overloaded, counts as an override.
template <template <class> class Member, class P, class V, class = void>
inline constexpr bool overrides = true;
template <template <class> class Member, class P, class V>
inline constexpr bool overrides<Member, P, V, std::void_t<Member<P>>> =
    !std::is_same_v<Member<P>, Member<V>>;

/// True if P overrides one of the two forms of a method.
template <template <class> class Plain, template <class> class Raw, class P, class V>
inline constexpr bool overrides_either = overrides<Plain, P, V> || overrides<Raw, P, V>;

/// The type of a member function without its class and without noexcept; void for anything else.
template <class Member>
struct FunctionOf {
  using Type = void;
};
template <class Function, class C>
struct FunctionOf<Function C::*> {
  using Type = Function;
};
template <class R, class C, class... Parameters>
struct FunctionOf<R (C::*)(Parameters...) noexcept> {
  using Type = R(Parameters...);
};

/// True if a member of P hides the method of V without overriding it, because its signature
/// differs: it would never be called. A member that cannot be named here does not count.
template <template <class> class Member, class P, class V, class = void>
inline constexpr bool hides = false;
template <template <class> class Member, class P, class V>
inline constexpr bool hides<Member, P, V, std::void_t<Member<P>>> =
    !std::is_same_v<typename FunctionOf<Member<P>>::Type, typename FunctionOf<Member<V>>::Type>;

/// Returns the entry of a method in the vtable: nullptr if P overrides neither of its forms.
template <auto method, template <class> class Plain, template <class> class Raw, class P, class V>
constexpr auto vtable_entry() {
  constexpr auto function = &Thunk<method>::function;
  return overrides_either<Plain, Raw, P, V> ? function : nullptr;
}

/// Creates and destroys instances of P. `self` points to the V in them.
template <class P, class V>
struct TENON_SDK_LOCAL Lifetime {
  static tenon_status create(tenon_call* call, const tenon_create_request* in, void** self) {
    *self = nullptr;
    return guarded({call, in}, [&] {
      auto plugin = std::make_unique<P>();
      if (!failed()) *self = static_cast<V*>(plugin.release());
      return TENON_OK;
    });
  }
  static void destroy(void* self) noexcept {
    guarded({nullptr, nullptr}, [&] {
      delete static_cast<P*>(static_cast<V*>(self));
      return TENON_OK;
    });
  }
};

/// The functions in the vtable for restarts. `self` points to a V.
template <class V>
struct TENON_SDK_LOCAL RestartFunctions {
  static Plugin& plugin(void* self) noexcept { return *static_cast<V*>(self); }

  static tenon_status save_state(tenon_call* call, void* self, const tenon_state_request* in,
                                 const tenon_state_response** out) noexcept {
    *out = nullptr;
    return guarded({call, nullptr}, [&] {
      const Bytes state = plugin(self).save_state(in->version);
      auto* response = new_response<tenon_state_response>(call);
      response->state = Value<Bytes>::raw<Copy::deep>(call, state);
      *out = response;
      return TENON_OK;
    });
  }
  static tenon_status restore_state(tenon_call* call, void* self,
                                    const tenon_state_request* in) noexcept {
    return guarded({call, nullptr}, [&] {
      plugin(self).restore_state(in->version, Value<Bytes>::view(in->state));
      return TENON_OK;
    });
  }
  static tenon_status suspend(tenon_call* call, void* self) noexcept {
    return guarded({call, nullptr}, [&] {
      plugin(self).suspend();
      return TENON_OK;
    });
  }
  static tenon_status resume(tenon_call* call, void* self) noexcept {
    return guarded({call, nullptr}, [&] {
      plugin(self).resume();
      return TENON_OK;
    });
  }
};

template <class P>
using SaveState = decltype(&P::save_state);
template <class P>
using RestoreState = decltype(&P::restore_state);
template <class P>
using Suspend = decltype(&P::suspend);
template <class P>
using Resume = decltype(&P::resume);

template <class P, class V>
constexpr tenon_base make_base() {
  static_assert(!hides<SaveState, P, V> && !hides<RestoreState, P, V> && !hides<Suspend, P, V> &&
                    !hides<Resume, P, V>,
                "save_state, restore_state, suspend or resume of the plugin has another signature "
                "than that of tenon::sdk::Plugin and would never be called: give it the same one, "
                "and write override");
  static_assert(overrides<SaveState, P, V> == overrides<RestoreState, P, V>,
                "a plugin that overrides save_state or restore_state has to override both");
  static_assert(overrides<Suspend, P, V> == overrides<Resume, P, V>,
                "a plugin that overrides suspend or resume has to override both");
  tenon_base base{};
  base.struct_size = sizeof base;
  base.create = &Lifetime<P, V>::create;
  base.destroy = &Lifetime<P, V>::destroy;
  if (overrides<SaveState, P, V>) {
    base.save_state = &RestartFunctions<V>::save_state;
    base.restore_state = &RestartFunctions<V>::restore_state;
  }
  if (overrides<Suspend, P, V>) {
    base.suspend = &RestartFunctions<V>::suspend;
    base.resume = &RestartFunctions<V>::resume;
  }
  return base;
}

template <class P, class V>
TENON_SDK_LOCAL inline constexpr tenon_base base_of = make_base<P, V>();

template <class P>
TENON_SDK_LOCAL inline constexpr
    typename P::Interface::Table vtable_of = P::Interface::template table<P>();

}  // namespace tenon::sdk::detail
