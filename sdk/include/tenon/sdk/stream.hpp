// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/stream.hpp: readers and writers. A method returns an object of a class that derives
// from Reader or Writer, and gets streams of others as a Reader or Writer:
//
//   struct Object : tenon::sdk::Reader {
//     std::size_t read(tenon::sdk::Call call, tenon::sdk::Buffer into) override { ... }
//   };
//   std::unique_ptr<Reader> get(std::string_view key) override {
//     return std::make_unique<Object>(key);
//   }
//
// A stream outlives the call that created it, but never the instance, so it may refer to members of
// the instance. Its functions may run concurrently with the methods of the instance.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/host.hpp>
#include <tenon/sdk/vtable.hpp>
#include <tenon/values.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace tenon::sdk {

/// A stream to read from. Used by one thread at a time, but not always by the same thread. It is
/// destroyed when its holder releases it, or when the host revokes it.
class Reader {
 public:
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Reads up to `into.size` bytes to the start of `into`, and returns the number of bytes read; 0
  /// only at the end of the stream. May block until `call` is cancelled. Throws Failure or any
  /// other exception on errors.
  virtual std::size_t read(Call call, Buffer into) = 0;

 protected:
  Reader() = default;
};

/// A stream to write to. Used and destroyed as a Reader is. Destroying it discards data that was
/// not committed.
class Writer {
 public:
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Writes all bytes of `from`. Throws Failure or any other exception on errors.
  virtual void write(Call call, BytesView from) = 0;
  /// Makes the written data complete and durable. Throws as `write` does.
  virtual void commit(Call call) = 0;

 protected:
  Writer() = default;
};

namespace detail {

/// Ownership of a stream that crossed the ABI. A method borrows a stream of its request and owns it
/// only after it has succeeded, but the plugin may destroy its object earlier, or keep it although
/// the method fails.
template <class Raw>
class StreamOwnership {
 public:
  enum class State { borrowed, owned, released, returned };

  StreamOwnership(Raw* raw, State state) noexcept : raw_(raw), state_(state) {}

  /// Returns the stream. Throws Failure if it was returned to its caller, who may have released it;
  /// without exceptions, returns nullptr then.
  Raw* raw() const {
    if (state_.load() != State::returned) return raw_;
    fail(TENON_FAILED_PRECONDITION,
         "the stream belongs to its caller again, because the method that got it has failed");
    return nullptr;
  }
  /// Takes ownership, after the method has succeeded.
  void own() noexcept {
    State expected = State::borrowed;
    if (!state_.compare_exchange_strong(expected, State::owned)) raw_->release(raw_);
  }
  /// Returns the stream to the caller, after the method has failed.
  void give_back() noexcept { state_.store(State::returned); }
  /// Releases the stream if it is owned, because the object for it was destroyed.
  void release() noexcept {
    State expected = State::borrowed;
    if (state_.compare_exchange_strong(expected, State::released)) return;
    if (expected == State::owned) raw_->release(raw_);
  }

 private:
  Raw* const raw_;
  std::atomic<State> state_;
};

class TENON_SDK_LOCAL ForeignReader final : public Reader {
 public:
  explicit ForeignReader(std::shared_ptr<StreamOwnership<tenon_reader>> stream) noexcept
      : stream_(std::move(stream)) {}
  ~ForeignReader() override { stream_->release(); }

  std::size_t read(Call call, Buffer into) override {
    std::size_t got = 0;
    if (tenon_reader* raw = stream_->raw(); raw != nullptr && has_call(call)) {
      pass(call, raw->read(call.raw(), raw, {into.data, into.size}, &got));
    }
    return got;
  }

 private:
  const std::shared_ptr<StreamOwnership<tenon_reader>> stream_;
};

class TENON_SDK_LOCAL ForeignWriter final : public Writer {
 public:
  explicit ForeignWriter(std::shared_ptr<StreamOwnership<tenon_writer>> stream) noexcept
      : stream_(std::move(stream)) {}
  ~ForeignWriter() override { stream_->release(); }

  void write(Call call, BytesView from) override {
    if (tenon_writer* raw = stream_->raw(); raw != nullptr && has_call(call)) {
      pass(call, raw->write(call.raw(), raw, Value<Bytes>::pass(call.raw(), from)));
    }
  }
  void commit(Call call) override {
    if (tenon_writer* raw = stream_->raw(); raw != nullptr && has_call(call)) {
      pass(call, raw->commit(call.raw(), raw));
    }
  }

 private:
  const std::shared_ptr<StreamOwnership<tenon_writer>> stream_;
};

template <class Raw>
struct Streams;
template <>
struct Streams<tenon_reader> {
  using Object = Reader;
  using Foreign = ForeignReader;
};
template <>
struct Streams<tenon_writer> {
  using Object = Writer;
  using Foreign = ForeignWriter;
};

/// A stream of a request while the method runs.
template <class Raw>
class BorrowedStream {
 public:
  using Object = typename Streams<Raw>::Object;

  explicit BorrowedStream(Raw* raw) {
    using Owner = StreamOwnership<Raw>;
    if (raw != nullptr) stream_ = std::make_shared<Owner>(raw, Owner::State::borrowed);
  }
  ~BorrowedStream() {
    if (stream_ != nullptr) stream_->give_back();
  }
  BorrowedStream(const BorrowedStream&) = delete;
  BorrowedStream& operator=(const BorrowedStream&) = delete;

  /// Returns the object for the plugin; nullptr if the request has no stream.
  std::unique_ptr<Object> object() const {
    if (stream_ == nullptr) return nullptr;
    return std::make_unique<typename Streams<Raw>::Foreign>(stream_);
  }
  /// Takes ownership, after the method has succeeded.
  void own() noexcept {
    if (stream_ != nullptr) std::exchange(stream_, nullptr)->own();
  }

 private:
  std::shared_ptr<StreamOwnership<Raw>> stream_;
};
template <class Raw>
BorrowedStream(Raw*) -> BorrowedStream<Raw>;

/// A stream of this plugin in the form that crosses the ABI.
template <class Raw>
struct TENON_SDK_LOCAL ExportedStream : Raw {
  using Object = typename Streams<Raw>::Object;

  ExportedStream(const Raw& functions, std::unique_ptr<Object> made) noexcept
      : Raw(functions), object(std::move(made)) {}

  static Object& of(Raw* self) noexcept { return *static_cast<ExportedStream*>(self)->object; }
  static void release(Raw* self) noexcept {
    guarded({nullptr, nullptr}, [&] {
      delete static_cast<ExportedStream*>(self);
      return TENON_OK;
    });
  }

  const std::unique_ptr<Object> object;
};

struct TENON_SDK_LOCAL ReaderFunctions {
  static tenon_status read(tenon_call* call, tenon_reader* self, tenon_buffer into,
                           std::size_t* got) noexcept {
    return guarded({call, nullptr}, [&] {
      *got = ExportedStream<tenon_reader>::of(self).read(Call(call), {into.data, into.size});
      // Since ABI 1.1 the end has a status.
      const bool at_end = TENON_ABI >= 1 && *got == 0 && into.size != 0;
      return at_end ? TENON_OUT_OF_RANGE : TENON_OK;
    });
  }
};

struct TENON_SDK_LOCAL WriterFunctions {
  static tenon_status write(tenon_call* call, tenon_writer* self, tenon_bytes from) noexcept {
    return guarded({call, nullptr}, [&] {
      ExportedStream<tenon_writer>::of(self).write(Call(call), {from.data, from.size});
      return TENON_OK;
    });
  }
  static tenon_status commit(tenon_call* call, tenon_writer* self) noexcept {
    return guarded({call, nullptr}, [&] {
      ExportedStream<tenon_writer>::of(self).commit(Call(call));
      return TENON_OK;
    });
  }
};

}  // namespace detail

/// Converts a stream to the form that crosses the ABI, for raw methods and for calls to other
/// plugins. Returns nullptr for nullptr. The receiver of a response owns and releases the stream; a
/// method that gets it in a request owns it only after it has succeeded.
inline tenon_reader* give(std::unique_ptr<Reader> reader) {
  using ExportedStream = detail::ExportedStream<tenon_reader>;
  if (reader == nullptr) return nullptr;
  const tenon_reader functions{sizeof functions, detail::ReaderFunctions::read,
                               ExportedStream::release};
  return new ExportedStream(functions, std::move(reader));
}
/// As above, for a Writer.
inline tenon_writer* give(std::unique_ptr<Writer> writer) {
  using ExportedStream = detail::ExportedStream<tenon_writer>;
  if (writer == nullptr) return nullptr;
  const tenon_writer functions{sizeof functions, detail::WriterFunctions::write,
                               detail::WriterFunctions::commit, ExportedStream::release};
  return new ExportedStream(functions, std::move(writer));
}

namespace detail {

/// A stream in a request to another plugin, which owns it only after the method has succeeded.
template <class Raw>
class PassedStream {
 public:
  explicit PassedStream(Raw* raw) noexcept : raw_(raw) {}
  ~PassedStream() {
    if (raw_ != nullptr) raw_->release(raw_);
  }
  PassedStream(const PassedStream&) = delete;
  PassedStream& operator=(const PassedStream&) = delete;

  Raw* raw() const noexcept { return raw_; }
  /// The method has succeeded.
  void taken() noexcept { raw_ = nullptr; }

 private:
  Raw* raw_;
};

}  // namespace detail

/// Takes ownership of a stream in the response of another plugin. Returns nullptr for nullptr.
inline std::unique_ptr<Reader> take(tenon_reader* raw) {
  using Owner = detail::StreamOwnership<tenon_reader>;
  if (raw == nullptr) return nullptr;
  return std::make_unique<detail::ForeignReader>(std::make_shared<Owner>(raw, Owner::State::owned));
}
/// As above, for a Writer.
inline std::unique_ptr<Writer> take(tenon_writer* raw) {
  using Owner = detail::StreamOwnership<tenon_writer>;
  if (raw == nullptr) return nullptr;
  return std::make_unique<detail::ForeignWriter>(std::make_shared<Owner>(raw, Owner::State::owned));
}

}  // namespace tenon::sdk
