// SPDX-License-Identifier: BSL-1.0
//
// tenon/stream.hpp: readers and writers, the only values that outlive the call that returned them.
//
//   tenon::Reader body = store->get_object("photos", "cat.png").value();
//   while (auto got = body.read(buffer)) { if (*got == 0) break; ... }
//
// A stream of a plugin keeps the plugin's code loaded. After a restart it continues in the old code
// for at most RestartPolicy::drain_timeout. It is revoked after that, when its Handle is destroyed,
// and when a plugin with a session or with state restarts. Functions of a revoked stream return
// `aborted`, retryable and restarted.
#pragma once

#include <tenon/abi.h>
#include <tenon/call.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tenon { inline namespace v0_1 {

/// A reader that the host implements, to be passed to plugins as a Reader. It is destroyed with the
/// Reader, on any thread. Exceptions become failures.
class HostReader {
 public:
  virtual ~HostReader() = default;
  /// Fills `into` from its start and returns the number of bytes; 0 only at the end. May block
  /// until the call is cancelled. Called by one thread at a time.
  ///
  /// `call` is a part of the plugin's call and is cancelled with it. Its own deadline, cancellation
  /// and `reset` do not change the plugin's call. Memory of its results is freed with the plugin's
  /// call, even after a `reset`.
  virtual Result<std::size_t> read(Call& call, std::span<std::uint8_t> into) = 0;
};

/// A writer that the host implements. If it is destroyed without a commit, the data is discarded.
class HostWriter {
 public:
  virtual ~HostWriter() = default;
  /// Writes all of `from` or fails. `call`: see HostReader::read.
  virtual Result<void> write(Call& call, BytesView from) = 0;
  /// Makes the data complete and durable.
  virtual Result<void> commit(Call& call) = 0;
};

/// Owns a stream to read from, of a plugin or of the host, and releases it in its destructor, on
/// any thread. Used by one thread at a time. All functions of an empty or moved-from Reader fail.
class TENON_API Reader {
 public:
  Reader() noexcept = default;
  /// Wraps a reader of the host, to be passed to a plugin; empty for nullptr.
  template <std::derived_from<HostReader> Own>
  Reader(std::unique_ptr<Own> own) : raw_(give(std::move(own))) {}
  /// Takes ownership of a C stream. `plugin` is named in errors.
  explicit Reader(tenon_reader* raw, std::string_view plugin = {}) : raw_(raw), plugin_(plugin) {}
  Reader(Reader&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), plugin_(std::move(other.plugin_)) {}
  Reader& operator=(Reader&& other) noexcept;
  ~Reader();

  explicit operator bool() const noexcept { return raw_ != nullptr; }

  /// Fills `into` from its start and returns the number of bytes; 0 only at the end. May block;
  /// pass a Call to set a deadline or to cancel. Errors: those of the plugin; `aborted` if the
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

  /// Returns the C stream without giving up ownership.
  tenon_reader* raw() const noexcept { return raw_; }
  /// Returns the C stream, which the caller then owns.
  [[nodiscard]] tenon_reader* release() noexcept { return std::exchange(raw_, nullptr); }

 private:
  static tenon_reader* give(std::unique_ptr<HostReader> own);
  /// Returns the error of a read that failed with `status`, had no stream, or returned too many
  /// bytes.
  Result<std::size_t> failure(const Call& call, tenon_status status) const;

  tenon_reader* raw_ = nullptr;
  std::string plugin_;
};

/// Owns a stream to write to; see Reader. If it is destroyed without a commit, the data is
/// discarded.
class TENON_API Writer {
 public:
  Writer() noexcept = default;
  /// Wraps a writer of the host, to be passed to a plugin; empty for nullptr.
  template <std::derived_from<HostWriter> Own>
  Writer(std::unique_ptr<Own> own) : raw_(give(std::move(own))) {}
  /// Takes ownership of a C stream. `plugin` is named in errors.
  explicit Writer(tenon_writer* raw, std::string_view plugin = {}) : raw_(raw), plugin_(plugin) {}
  Writer(Writer&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), plugin_(std::move(other.plugin_)) {}
  Writer& operator=(Writer&& other) noexcept;
  ~Writer();

  explicit operator bool() const noexcept { return raw_ != nullptr; }

  /// Writes all of `from` or fails. May block. Errors: those of Reader::read.
  Result<void> write(BytesView from);
  Result<void> write(Call& call, BytesView from) {
    if (raw_ == nullptr) [[unlikely]]
      return failure(call, TENON_OK, "write");
    const tenon_status status = raw_->write(call.raw(), raw_, Value<Bytes>::pass(call.raw(), from));
    if (status != TENON_OK) [[unlikely]]
      return failure(call, status, "write");
    return {};
  }
  /// Makes the data complete and durable. May block. Errors: those of Reader::read.
  Result<void> commit();
  Result<void> commit(Call& call);

  /// Returns the C stream without giving up ownership.
  tenon_writer* raw() const noexcept { return raw_; }
  /// Returns the C stream, which the caller then owns.
  [[nodiscard]] tenon_writer* release() noexcept { return std::exchange(raw_, nullptr); }

 private:
  static tenon_writer* give(std::unique_ptr<HostWriter> own);
  /// Returns the error of a call that failed with `status` or had no stream.
  Result<void> failure(const Call& call, tenon_status status, const char* method) const;

  tenon_writer* raw_ = nullptr;
  std::string plugin_;
};

}}  // namespace tenon::v0_1
