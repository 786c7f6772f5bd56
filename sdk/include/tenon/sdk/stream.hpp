// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/stream.hpp: readers and writers. A method answers one by making an object of a class of
// the plugin's own, and gets those of others as objects of the same classes:
//
//   struct Object : tenon::sdk::Reader {
//     std::size_t read(tenon::sdk::Call call, tenon::sdk::Buffer into) override { ... }
//   };
//   std::unique_ptr<Reader> get(std::string_view key) override {
//     return std::make_unique<Object>(key);
//   }
//
// A stream outlives the call that made it, not the instance: it may point into that. Its functions
// may run beside the methods of the instance.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/host.hpp>
#include <tenon/sdk/table.hpp>
#include <tenon/values.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace tenon::sdk {

/// What others read from. Used by one thread at a time, but not always the same. Ends when its
/// holder is done with it, or is not allowed to hold it longer.
class Reader {
 public:
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Fills `into` from its start and answers how much that was; 0 only at the end. May block until
  /// `call` is cancelled. Throws Failure, or anything else, when it fails.
  virtual std::size_t read(Call call, Buffer into) = 0;

 protected:
  Reader() = default;
};

/// What others write to. As Reader; what was written and not committed is discarded at its end.
class Writer {
 public:
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Takes all of `from` or fails.
  virtual void write(Call call, BytesView from) = 0;
  /// Makes what was written complete and durable.
  virtual void commit(Call call) = 0;

 protected:
  Writer() = default;
};

namespace detail {

/// Whose a stream is that came across the ABI. A method that was given one owns it only when
/// it succeeds, but its author may be done with it before.
template <class Raw>
class Ownership {
 public:
  enum class State { lent, owned, released, returned };

  Ownership(Raw* raw, State state) noexcept : raw_(raw), state_(state) {}

  Raw* raw() const noexcept { return raw_; }
  /// The method has succeeded.
  void own() noexcept {
    State expected = State::lent;
    if (!state_.compare_exchange_strong(expected, State::owned)) raw_->release(raw_);
  }
  /// It has failed.
  void give_back() noexcept { state_.store(State::returned); }
  /// The object that stands for the stream has ended.
  void release() noexcept {
    State expected = State::lent;
    if (state_.compare_exchange_strong(expected, State::released)) return;
    if (expected == State::owned) raw_->release(raw_);
  }

 private:
  Raw* const raw_;
  std::atomic<State> state_;
};

class TENON_SDK_LOCAL ForeignReader final : public Reader {
 public:
  explicit ForeignReader(std::shared_ptr<Ownership<tenon_reader>> stream) noexcept
      : stream_(std::move(stream)) {}
  ~ForeignReader() override { stream_->release(); }

  std::size_t read(Call call, Buffer into) override {
    tenon_reader* raw = stream_->raw();
    std::size_t got = 0;
    pass(call, raw->read(call.raw(), raw, {into.data, into.size}, &got));
    return got;
  }

 private:
  const std::shared_ptr<Ownership<tenon_reader>> stream_;
};

class TENON_SDK_LOCAL ForeignWriter final : public Writer {
 public:
  explicit ForeignWriter(std::shared_ptr<Ownership<tenon_writer>> stream) noexcept
      : stream_(std::move(stream)) {}
  ~ForeignWriter() override { stream_->release(); }

  void write(Call call, BytesView from) override {
    tenon_writer* raw = stream_->raw();
    pass(call, raw->write(call.raw(), raw, Value<Bytes>::pass(call.raw(), from)));
  }
  void commit(Call call) override {
    tenon_writer* raw = stream_->raw();
    pass(call, raw->commit(call.raw(), raw));
  }

 private:
  const std::shared_ptr<Ownership<tenon_writer>> stream_;
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

/// A stream of a request, while the method runs.
template <class Raw>
class Lent {
 public:
  using Object = typename Streams<Raw>::Object;

  explicit Lent(Raw* raw) {
    using Owner = Ownership<Raw>;
    if (raw != nullptr) stream_ = std::make_shared<Owner>(raw, Owner::State::lent);
  }
  ~Lent() {
    if (stream_ != nullptr) stream_->give_back();
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  /// For the author; nullptr where there is none.
  std::unique_ptr<Object> object() const {
    if (stream_ == nullptr) return nullptr;
    return std::make_unique<typename Streams<Raw>::Foreign>(stream_);
  }
  /// The method has succeeded.
  void own() noexcept {
    if (stream_ != nullptr) std::exchange(stream_, nullptr)->own();
  }

 private:
  std::shared_ptr<Ownership<Raw>> stream_;
};
template <class Raw>
Lent(Raw*) -> Lent<Raw>;

/// What crosses the ABI of a stream of the plugin's own.
template <class Raw>
struct TENON_SDK_LOCAL Given : Raw {
  using Object = typename Streams<Raw>::Object;

  Given(const Raw& functions, std::unique_ptr<Object> made) noexcept
      : Raw(functions), object(std::move(made)) {}

  static Object& of(Raw* self) noexcept { return *static_cast<Given*>(self)->object; }
  static void release(Raw* self) noexcept {
    guarded({nullptr, nullptr}, [&] {
      delete static_cast<Given*>(self);
      return TENON_OK;
    });
  }

  const std::unique_ptr<Object> object;
};

struct TENON_SDK_LOCAL ReaderFunctions {
  static tenon_status read(tenon_call* call, tenon_reader* self, tenon_buffer into,
                           std::size_t* got) noexcept {
    return guarded({call, nullptr}, [&] {
      *got = Given<tenon_reader>::of(self).read(Call(call), {into.data, into.size});
      const bool says_so = TENON_ABI >= 1 && *got == 0 && into.size != 0;
      return says_so ? TENON_OUT_OF_RANGE : TENON_OK;  // authors answer 0 at the end
    });
  }
};

struct TENON_SDK_LOCAL WriterFunctions {
  static tenon_status write(tenon_call* call, tenon_writer* self, tenon_bytes from) noexcept {
    return guarded({call, nullptr}, [&] {
      Given<tenon_writer>::of(self).write(Call(call), {from.data, from.size});
      return TENON_OK;
    });
  }
  static tenon_status commit(tenon_call* call, tenon_writer* self) noexcept {
    return guarded({call, nullptr}, [&] {
      Given<tenon_writer>::of(self).commit(Call(call));
      return TENON_OK;
    });
  }
};

}  // namespace detail

/// What crosses the ABI, for who answers or passes a stream in its structs. Whoever gets it
/// releases it; nullptr of nothing. A method that it is passed to owns it once it has succeeded.
inline tenon_reader* give(std::unique_ptr<Reader> reader) {
  using Given = detail::Given<tenon_reader>;
  if (reader == nullptr) return nullptr;
  const tenon_reader functions{sizeof functions, detail::ReaderFunctions::read, Given::release};
  return new Given(functions, std::move(reader));
}
inline tenon_writer* give(std::unique_ptr<Writer> writer) {
  using Given = detail::Given<tenon_writer>;
  if (writer == nullptr) return nullptr;
  const tenon_writer functions{sizeof functions, detail::WriterFunctions::write,
                               detail::WriterFunctions::commit, Given::release};
  return new Given(functions, std::move(writer));
}

/// The other way round: takes over a stream of another plugin's answer. nullptr of nothing.
inline std::unique_ptr<Reader> take(tenon_reader* raw) {
  using Owner = detail::Ownership<tenon_reader>;
  if (raw == nullptr) return nullptr;
  return std::make_unique<detail::ForeignReader>(std::make_shared<Owner>(raw, Owner::State::owned));
}
inline std::unique_ptr<Writer> take(tenon_writer* raw) {
  using Owner = detail::Ownership<tenon_writer>;
  if (raw == nullptr) return nullptr;
  return std::make_unique<detail::ForeignWriter>(std::make_shared<Owner>(raw, Owner::State::owned));
}

}  // namespace tenon::sdk
