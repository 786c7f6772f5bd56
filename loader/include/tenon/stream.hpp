// SPDX-License-Identifier: BSL-1.0
//
// tenon/stream.hpp: readers and writers, the only values that outlive the call that answered them.
//
//   tenon::Reader body = store->get_object("photos", "cat.png").value();
//   while (auto got = body.read(buffer)) { if (*got == 0) break; ... }
//
// What a plugin answered keeps the plugin's code loaded. When the plugin is restarted the stream
// goes on in the old code, as long as RestartOptions::drain says; then, and also when the Handle
// that answered it ends, or at once when a plugin with a session restarts, it is revoked: its
// functions answer `aborted`, retryable and restarted.
#pragma once

#include <tenon/abi.h>
#include <tenon/call.hpp>
#include <tenon/export.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tenon {

/// A reader of the host's own, to be passed to plugins as a Reader. Ends with it, on whichever
/// thread that is. Exceptions become failures.
class OwnReader {
 public:
  virtual ~OwnReader() = default;
  /// Fills `into` from its start and answers how much that was; 0 only at the end. May block, until
  /// the call is cancelled. Comes from one thread at a time.
  virtual Result<std::size_t> read(Call& call, std::span<std::uint8_t> into) = 0;
};

/// A writer of the host's own. Ended without a commit it discards what was written.
class OwnWriter {
 public:
  virtual ~OwnWriter() = default;
  /// Takes all of `from` or fails.
  virtual Result<void> write(Call& call, BytesView from) = 0;
  /// Makes what was written complete and durable.
  virtual Result<void> commit(Call& call) = 0;
};

/// Owns a stream to read from: a plugin's, or one of the host's own. Released at its end, on any
/// thread. Used by one thread at a time. An empty one, also one that was moved from, fails.
class TENON_API Reader {
 public:
  Reader() noexcept = default;
  /// To be passed to a plugin.
  template <std::derived_from<OwnReader> Own>
  Reader(std::unique_ptr<Own> own) : raw_(give(std::move(own))) {}
  /// Takes over what crossed the ABI. `plugin`: for errors.
  explicit Reader(tenon_reader* raw, std::string_view plugin = {}) : raw_(raw), plugin_(plugin) {}
  Reader(Reader&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), plugin_(std::move(other.plugin_)) {}
  Reader& operator=(Reader&& other) noexcept;
  ~Reader();

  explicit operator bool() const noexcept { return raw_ != nullptr; }

  /// Fills `into` from its start and answers how much that was; 0 only at the end. May block; a
  /// Call can be given a deadline and cancelled. Errors: those of the plugin; `aborted` when the
  /// stream was revoked.
  Result<std::size_t> read(std::span<std::uint8_t> into);
  Result<std::size_t> read(Call& call, std::span<std::uint8_t> into) {
    if (raw_ == nullptr) [[unlikely]]
      return failure(call, TENON_OK);
    std::size_t got = 0;
    const tenon_status status = raw_->read(call.raw(), raw_, {into.data(), into.size()}, &got);
    if (status != TENON_OK || got > into.size()) [[unlikely]]
      return failure(call, status);
    return got;
  }

  /// What crosses the ABI; still owned.
  tenon_reader* raw() const noexcept { return raw_; }
  /// The same, owned by the caller from now on.
  [[nodiscard]] tenon_reader* release() noexcept { return std::exchange(raw_, nullptr); }

 private:
  static tenon_reader* give(std::unique_ptr<OwnReader> own);
  /// A read that failed: with `status`, or without a stream, or it gave more than there was room
  /// for.
  Result<std::size_t> failure(const Call& call, tenon_status status) const;

  tenon_reader* raw_ = nullptr;
  std::string plugin_;
};

/// Owns a stream to write to, as Reader does. Released without a commit it discards what was
/// written.
class TENON_API Writer {
 public:
  Writer() noexcept = default;
  /// To be passed to a plugin.
  template <std::derived_from<OwnWriter> Own>
  Writer(std::unique_ptr<Own> own) : raw_(give(std::move(own))) {}
  /// Takes over what crossed the ABI. `plugin`: for errors.
  explicit Writer(tenon_writer* raw, std::string_view plugin = {}) : raw_(raw), plugin_(plugin) {}
  Writer(Writer&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), plugin_(std::move(other.plugin_)) {}
  Writer& operator=(Writer&& other) noexcept;
  ~Writer();

  explicit operator bool() const noexcept { return raw_ != nullptr; }

  /// Writes all of `from` or fails. May block. Errors: as of Reader::read.
  Result<void> write(BytesView from);
  Result<void> write(Call& call, BytesView from) {
    if (raw_ == nullptr) [[unlikely]]
      return failure(call, TENON_OK, "write");
    const tenon_status status = raw_->write(call.raw(), raw_, Value<Bytes>::pass(call.raw(), from));
    if (status != TENON_OK) [[unlikely]]
      return failure(call, status, "write");
    return {};
  }
  /// Makes what was written complete and durable. May block. Errors: as of Reader::read.
  Result<void> commit();
  Result<void> commit(Call& call);

  /// What crosses the ABI; still owned.
  tenon_writer* raw() const noexcept { return raw_; }
  /// The same, owned by the caller from now on.
  [[nodiscard]] tenon_writer* release() noexcept { return std::exchange(raw_, nullptr); }

 private:
  static tenon_writer* give(std::unique_ptr<OwnWriter> own);
  /// A call that failed: with `status`, or without a stream.
  Result<void> failure(const Call& call, tenon_status status, const char* method) const;

  tenon_writer* raw_ = nullptr;
  std::string plugin_;
};

namespace detail {

/// A stream that may be absent, as it crosses the ABI.
template <class Stream>
auto* raw_of(const std::optional<Stream>& stream) noexcept {
  return stream ? stream->raw() : nullptr;
}
template <class Stream>
auto* raw_of(const Stream& stream) noexcept {
  return stream.raw();
}

/// It belongs to the plugin that took it.
template <class Stream>
void passed(Stream& stream) noexcept {
  static_cast<void>(stream.release());
}
template <class Stream>
void passed(std::optional<Stream>& stream) noexcept {
  if (stream) passed(*stream);
}

/// A stream of an answer that may be absent.
template <class Stream, class Raw>
std::optional<Stream> optional_stream(Raw* raw, std::string_view plugin) {
  if (raw == nullptr) return std::nullopt;
  return Stream(raw, plugin);
}

}  // namespace detail
}  // namespace tenon
