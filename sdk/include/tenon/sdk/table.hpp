// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/table.hpp: from the functions of a table to the methods of a C++ class. For generated
// code; an author has no need of it.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/base.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tenon::sdk::detail {

/// Runs a method. Nothing that it throws gets further than here.
template <class Body>
TENON_SDK_ALWAYS_INLINE tenon_status guarded(const Frame& frame, Body&& body) noexcept {
  Inside inside(frame);
  try {
    return body();
  } catch (...) {
    return tell_exception(frame.call);
  }
}

/// A request as long as this side knows it: what came, or a copy whose missing end is zero.
template <class Request>
class Whole {
 public:
  explicit Whole(const Request* in) noexcept {
    if (in->struct_size >= sizeof(Request)) {
      whole_ = in;
    } else {
      std::memset(&copy_, 0, sizeof copy_);
      std::memcpy(&copy_, in, in->struct_size);
      whole_ = &copy_;
    }
  }
  const Request* get() const noexcept { return whole_; }

 private:
  const Request* whole_;
  Request copy_;
};

/// An answer in the arena of the call, zeroed but for its size.
template <class Response>
Response* new_response(tenon_call* call) {
  auto* response = static_cast<Response*>(tenon_allocate_zeroed(call, sizeof(Response)));
  response->struct_size = sizeof(Response);
  return response;
}

/// The function of a table that calls the raw form of a method.
template <auto method>
struct Thunk;

template <class V, class Request, tenon_status (V::*method)(tenon_call*, const Request*)>
struct TENON_SDK_LOCAL Thunk<method> {
  static tenon_status function(tenon_call* call, void* self, const Request* in) noexcept {
    return guarded({call, nullptr}, [&] {
      return (static_cast<V*>(self)->*method)(call, Whole<Request>(in).get());
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
      return (static_cast<V*>(self)->*method)(call, Whole<Request>(in).get(), out);
    });
  }
};

/// Whether the author of P wrote the member that V, the base of a version, has a default of. One
/// that cannot be named from here (private, overloaded) was written.
template <template <class> class Member, class P, class V, class = void>
inline constexpr bool written = true;
template <template <class> class Member, class P, class V>
inline constexpr bool written<Member, P, V, std::void_t<Member<P>>> =
    !std::is_same_v<Member<P>, Member<V>>;

/// Whether the author of P wrote one of the two forms of a method.
template <template <class> class Plain, template <class> class Raw, class P, class V>
inline constexpr bool is_written = written<Plain, P, V> || written<Raw, P, V>;

/// The type of a member function without its class and without noexcept; of anything else nothing
/// that a method has.
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

/// Whether P has a member that hides the method of V, because it is not the same function, so that
/// nobody would ever call it. One that cannot be named from here does not count.
template <template <class> class Member, class P, class V, class = void>
inline constexpr bool hides = false;
template <template <class> class Member, class P, class V>
inline constexpr bool hides<Member, P, V, std::void_t<Member<P>>> =
    !std::is_same_v<typename FunctionOf<Member<P>>::Type, typename FunctionOf<Member<V>>::Type>;

/// The slot of a method: NULL where the author wrote neither of its forms.
template <auto method, template <class> class Plain, template <class> class Raw, class P, class V>
constexpr auto slot() {
  constexpr auto function = &Thunk<method>::function;
  return is_written<Plain, Raw, P, V> ? function : nullptr;
}

/// Makes and ends instances of P, which the methods know as V.
template <class P, class V>
struct TENON_SDK_LOCAL Lifetime {
  static tenon_status create(tenon_call* call, const tenon_create_request* in, void** self) {
    *self = nullptr;
    return guarded({call, in}, [&] {
      *self = static_cast<V*>(new P());
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

/// What surrounds a restart, for instances that the methods know as V.
template <class V>
struct TENON_SDK_LOCAL Handover {
  static Plugin& plugin(void* self) noexcept { return *static_cast<V*>(self); }

  static tenon_status save_state(tenon_call* call, void* self, const tenon_state_request* in,
                                 const tenon_state_response** out) noexcept {
    *out = nullptr;
    return guarded({call, nullptr}, [&] {
      const Bytes state = plugin(self).save_state(in->version);
      auto* answer = new_response<tenon_state_response>(call);
      answer->state = Value<Bytes>::raw<Copy::deep>(call, state);
      *out = answer;
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
  static_assert(written<SaveState, P, V> == written<RestoreState, P, V>,
                "who overrides one of save_state and restore_state overrides both");
  static_assert(written<Suspend, P, V> == written<Resume, P, V>,
                "who overrides one of suspend and resume overrides both");
  tenon_base base{};
  base.struct_size = sizeof base;
  base.create = &Lifetime<P, V>::create;
  base.destroy = &Lifetime<P, V>::destroy;
  if (written<SaveState, P, V>) {
    base.save_state = &Handover<V>::save_state;
    base.restore_state = &Handover<V>::restore_state;
  }
  if (written<Suspend, P, V>) {
    base.suspend = &Handover<V>::suspend;
    base.resume = &Handover<V>::resume;
  }
  return base;
}

template <class P, class V>
TENON_SDK_LOCAL inline constexpr tenon_base base_of = make_base<P, V>();

template <class P>
TENON_SDK_LOCAL inline constexpr
    typename P::Interface::Table table_of = P::Interface::template table<P>();

}  // namespace tenon::sdk::detail
