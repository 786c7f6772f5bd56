// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/argument.hpp: passes documents, structs, lists and maps to methods that take a Call.
#pragma once

#include <tenon/call.hpp>
#include <tenon/values.hpp>

#include <initializer_list>
#include <new>
#include <optional>
#include <type_traits>
#include <variant>

namespace tenon { inline namespace v0_1 {
namespace detail {

/// Returns an owned value as a view, valid as long as the results of the call, and the value if the
/// copy is shallow.
template <Copy copy = Copy::shallow, class T>
ViewOf<T> lend(Call& call, const T& value) {
  auto* raw = new (tenon_allocate(call.raw(), sizeof(RawOf<T>)))
      RawOf<T>(Value<T>::template raw<copy>(call.raw(), value));
  return Value<T>::view(*raw);
}

/// The elements of a list or map in braces; std::monostate for other types.
template <class T>
struct ElementsOf {
  using type = std::monostate;
};
template <class T>
requires requires {
  typename T::value_type;
}
struct ElementsOf<T> {
  using type = std::initializer_list<typename T::value_type>;
};

}  // namespace detail

/// An argument of a method that takes a Call: an owned value or a view. It is not copied and must
/// outlive the call.
template <class T>
class Argument {
 public:
  Argument(const T& value) noexcept : from_(&value) {}
  Argument(const ViewOf<T>& view) noexcept : from_(view) {}
  /// Takes the elements of a list or map in braces.
  template <class Owned = T>
  Argument(std::initializer_list<typename Owned::value_type> elements) noexcept : from_(elements) {}

  /// Returns a view, valid as long as the value and the results of the call.
  ViewOf<T> view(Call& call) const {
    if (const auto* value = std::get_if<const T*>(&from_)) return detail::lend(call, **value);
    if constexpr (!std::is_same_v<Elements, std::monostate>) {
      if (const auto* elements = std::get_if<Elements>(&from_)) {
        return detail::lend<Copy::deep>(call, T(*elements));
      }
    }
    return *std::get_if<ViewOf<T>>(&from_);
  }

 private:
  using Elements = typename detail::ElementsOf<T>::type;
  std::variant<const T*, ViewOf<T>, Elements> from_;
};

template <class T>
class Argument<std::optional<T>> {
 public:
  Argument() noexcept = default;
  Argument(std::nullopt_t) noexcept {}
  Argument(const T& value) noexcept : from_(value) {}
  Argument(const ViewOf<T>& view) noexcept : from_(view) {}
  Argument(const std::optional<T>& value) noexcept {
    if (value) from_.emplace(*value);
  }
  Argument(const std::optional<ViewOf<T>>& view) noexcept {
    if (view) from_.emplace(*view);
  }

  std::optional<ViewOf<T>> view(Call& call) const {
    if (!from_) return std::nullopt;
    return from_->view(call);
  }

 private:
  std::optional<Argument<T>> from_;
};

}}  // namespace tenon::v0_1
