// SPDX-License-Identifier: BSL-1.0
//
// tenon/list_view.hpp: reads a list of the ABI in place, with C++17.
#pragma once

#include <tenon/abi.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tenon { inline namespace v0_1 {

/// How values of type T cross the ABI; see tenon/values.hpp.
template <class T, class = void>
struct Value;

namespace detail {

/// Returns the data of empty values, which are not NULL because NULL means absent. Not a variable:
/// one in a header is a unique symbol, which keeps the library that includes it loaded.
inline const std::uint8_t* no_data() noexcept {
  return reinterpret_cast<const std::uint8_t*>("");
}

/// Iterates over a view by index. Dereferencing creates the element.
template <class View, class Element>
class IndexIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Element;

  IndexIterator() noexcept = default;
  IndexIterator(const View& view, std::size_t at) noexcept : view_(view), at_(at) {}
  Element operator*() const { return view_.element(at_); }
  IndexIterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  IndexIterator operator++(int) noexcept {
    const IndexIterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const IndexIterator& a, const IndexIterator& b) noexcept {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const IndexIterator& a, const IndexIterator& b) noexcept {
    return !(a == b);
  }

 private:
  View view_;
  std::size_t at_ = 0;
};

}  // namespace detail

/// A list that is read in place: a forward range of Value<T>::View.
template <class T>
class ListView {
 public:
  using Element = typename Value<T>::View;
  using Iterator = detail::IndexIterator<ListView, Element>;

  ListView() noexcept : raw_{detail::no_data(), 0, sizeof(typename Value<T>::Raw)} {}
  explicit ListView(const tenon_list& raw) noexcept : raw_(raw) {}

  std::size_t size() const noexcept { return raw_.count; }
  bool empty() const noexcept { return raw_.count == 0; }
  /// Returns an element. Requires i < size().
  Element operator[](std::size_t i) const {
    return Value<T>::view(TENON_AT(typename Value<T>::Raw, raw_, i));
  }
  Iterator begin() const noexcept { return {*this, 0}; }
  Iterator end() const noexcept { return {*this, size()}; }
  /// Returns the elements [from, from + count). Requires from + count <= size().
  ListView slice(std::size_t from, std::size_t count) const noexcept {
    return ListView({static_cast<const char*>(raw_.data) + from * raw_.stride, count, raw_.stride});
  }
  const tenon_list& raw() const noexcept { return raw_; }

 private:
  friend Iterator;
  Element element(std::size_t i) const { return (*this)[i]; }

  tenon_list raw_;
};

}}  // namespace tenon::v0_1
