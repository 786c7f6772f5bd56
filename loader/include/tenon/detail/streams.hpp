// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/streams.hpp: passes streams to and from methods, for generated code.
#pragma once

#include <tenon/stream.hpp>

#include <optional>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Added to the status of a method that fails after the plugin has succeeded, because its response
/// cannot be used: the plugin owns the streams of the request. No caller outside of the library and
/// of generated code sees it.
inline constexpr tenon_status streams_taken = 1 << 30;

/// Returns whether the plugin owns the streams of the request after a method has returned `status`.
constexpr bool took_streams(tenon_status status) noexcept {
  return status == TENON_OK || (status > 0 && (status & streams_taken) != 0);
}

/// Returns the status of a call for a calling plugin, which owns the streams of the request if it
/// gets a failure. If the other plugin owns them, it gets success without a response instead.
template <class... Response>
tenon_status client_failure(tenon_status status, tenon_status failure,
                            const Response**... out) noexcept {
  if (!took_streams(status)) return failure;
  ((*out = nullptr), ...);
  return TENON_OK;
}

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

}}}  // namespace tenon::v0_1::detail
