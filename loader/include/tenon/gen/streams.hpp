// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/streams.hpp: passes streams to and from methods, for generated code.
#pragma once

#include <tenon/stream.hpp>

#include <optional>
#include <string_view>

namespace tenon::inline v0_1 {

namespace detail {

/// Returns the C stream, or nullptr if it is absent.
template <class Stream>
auto* raw_of(const std::optional<Stream>& stream) noexcept {
  return stream ? stream->raw() : nullptr;
}
template <class Stream>
auto* raw_of(const Stream& stream) noexcept {
  return stream.raw();
}

/// Gives up ownership after a plugin has taken the stream.
template <class Stream>
void passed(Stream& stream) noexcept {
  static_cast<void>(stream.release());
}
template <class Stream>
void passed(std::optional<Stream>& stream) noexcept {
  if (stream) passed(*stream);
}

/// Returns an optional stream of a response.
template <class Stream, class Raw>
std::optional<Stream> optional_stream(Raw* raw, std::string_view plugin) {
  if (raw == nullptr) return std::nullopt;
  return Stream(raw, plugin);
}

}  // namespace detail
}  // namespace tenon::inline v0_1
