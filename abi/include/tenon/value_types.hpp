// SPDX-License-Identifier: BSL-1.0
//
// tenon/value_types.hpp: the C++ types of values that the standard library has no types for, and
// the names of those for which it has. For hosts and plugins, with C++17.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 {

using Bytes = std::vector<std::uint8_t>;
using Duration = std::chrono::nanoseconds;
/// A point in time since 1970-01-01T00:00:00Z, in nanoseconds.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;
/// A map of strings, for example the configuration of a plugin.
using TextMap = std::map<std::string, std::string, std::less<>>;

/// JSON text, not parsed.
struct Json {
  std::string text;
  friend bool operator==(const Json& a, const Json& b) { return a.text == b.text; }
  friend bool operator!=(const Json& a, const Json& b) { return !(a == b); }
};

/// Read-only bytes that the view does not own.
class BytesView {
 public:
  constexpr BytesView() noexcept = default;
  constexpr BytesView(const std::uint8_t* data, std::size_t size) noexcept
      : data_(data), size_(size) {}
  BytesView(const Bytes& bytes) noexcept : data_(bytes.data()), size_(bytes.size()) {}
  explicit BytesView(std::string_view text) noexcept
      : data_(reinterpret_cast<const std::uint8_t*>(text.data())), size_(text.size()) {}

  const std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const std::uint8_t* begin() const noexcept { return data_; }
  const std::uint8_t* end() const noexcept { return data_ + size_; }
  /// The same bytes as text.
  std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data_), size_}; }
  /// A copy.
  Bytes own() const { return Bytes(begin(), end()); }

  friend bool operator==(BytesView a, BytesView b) noexcept { return a.text() == b.text(); }
  friend bool operator!=(BytesView a, BytesView b) noexcept { return !(a == b); }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Returns a copy of the bytes of a text.
inline Bytes to_bytes(std::string_view text) {
  return BytesView(text).own();
}

/// Bytes that a plugin may change in place. The caller owns them.
struct Buffer {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;

  std::uint8_t& operator[](std::size_t i) const noexcept { return data[i]; }
  std::uint8_t* begin() const noexcept { return data; }
  std::uint8_t* end() const noexcept { return data + size; }
};

}}  // namespace tenon::v0_1
