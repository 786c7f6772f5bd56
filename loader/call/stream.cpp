// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/nested_call.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/stream.hpp>

#include "call/exceptions.hpp"
#include "call/host_stream.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

/// Reports the failure of a stream of the host to the plugin that called it.
[[gnu::cold]] tenon_status report(tenon_call* call, const Error& error) {
  const tenon_status status = error.status() != TENON_OK ? error.status() : TENON_UNKNOWN;
  return fail(call, status, error.message().empty() ? error.to_string() : error.message());
}

/// The C struct of a stream that the host implements.
struct GivenReader : tenon_reader {
  std::unique_ptr<HostReader> own;

  static GivenReader& of(tenon_reader* self) noexcept { return *static_cast<GivenReader*>(self); }
  static tenon_status read(tenon_call* call, tenon_reader* self, tenon_buffer into, size_t* got) {
    return detail::catching(call, "the reader of the host", [&] {
      detail::NestedCall nested(Call::of(call));
      const auto read = of(self).own->read(nested, {into.data, into.size});
      if (!read) return report(call, read.error());
      if (*read > into.size) return fail(call, TENON_INTERNAL, detail::too_many_bytes);
      *got = *read;
      return TENON_OK;
    });
  }
  static void release(tenon_reader* self) { delete &of(self); }
};

struct GivenWriter : tenon_writer {
  std::unique_ptr<HostWriter> own;

  static GivenWriter& of(tenon_writer* self) noexcept { return *static_cast<GivenWriter*>(self); }
  static tenon_status write(tenon_call* call, tenon_writer* self, tenon_bytes from) {
    if (!Value<Bytes>::has_data(from)) {
      return fail(call, TENON_INVALID_ARGUMENT, "the bytes to write have a size and no data");
    }
    return detail::catching(call, "the writer of the host", [&] {
      detail::NestedCall nested(Call::of(call));
      const auto written = of(self).own->write(nested, {from.data, from.size});
      return written ? TENON_OK : report(call, written.error());
    });
  }
  static tenon_status commit(tenon_call* call, tenon_writer* self) {
    return detail::catching(call, "the writer of the host", [&] {
      detail::NestedCall nested(Call::of(call));
      const auto committed = of(self).own->commit(nested);
      return committed ? TENON_OK : report(call, committed.error());
    });
  }
  static void release(tenon_writer* self) { delete &of(self); }
};

Error failed(const Call& call, tenon_status status, const std::string& plugin, const char* method) {
  return Error({.status = status,
                .message = std::string(call.message()),
                .plugin = plugin,
                .method = method});
}

Error empty(const char* method) {
  return Error(
      {.status = TENON_FAILED_PRECONDITION, .message = "there is no stream", .method = method});
}

}  // namespace

bool detail::is_host_stream(const tenon_reader& stream) noexcept {
  return stream.release == GivenReader::release;
}

tenon_reader* Reader::give(std::unique_ptr<HostReader> own) {
  if (own == nullptr) return nullptr;
  return new GivenReader{{sizeof(tenon_reader), GivenReader::read, GivenReader::release},
                         std::move(own)};
}

Reader& Reader::operator=(Reader&& other) noexcept {
  Reader moved(std::move(other));
  std::swap(raw_, moved.raw_);
  std::swap(plugin_, moved.plugin_);
  return *this;
}

Reader::~Reader() {
  if (raw_ != nullptr) raw_->release(raw_);
}

Result<std::size_t> Reader::read(std::span<std::uint8_t> into) {
  Call call;
  return read(call, into);
}

Result<std::size_t> Reader::failure(const Call& call, tenon_status status) const {
  if (raw_ == nullptr) return empty("read");
  if (status != TENON_OK) return failed(call, status, plugin_, "read");
  return Error({.status = TENON_INTERNAL,
                .message = detail::too_many_bytes,
                .plugin = plugin_,
                .method = "read"});
}

tenon_writer* Writer::give(std::unique_ptr<HostWriter> own) {
  if (own == nullptr) return nullptr;
  return new GivenWriter{
      {sizeof(tenon_writer), GivenWriter::write, GivenWriter::commit, GivenWriter::release},
      std::move(own)};
}

Writer& Writer::operator=(Writer&& other) noexcept {
  Writer moved(std::move(other));
  std::swap(raw_, moved.raw_);
  std::swap(plugin_, moved.plugin_);
  return *this;
}

Writer::~Writer() {
  if (raw_ != nullptr) raw_->release(raw_);
}

Result<void> Writer::failure(const Call& call, tenon_status status, const char* method) const {
  return raw_ == nullptr ? empty(method) : failed(call, status, plugin_, method);
}

Result<void> Writer::write(BytesView from) {
  Call call;
  return write(call, from);
}

Result<void> Writer::commit() {
  Call call;
  return commit(call);
}

Result<void> Writer::commit(Call& call) {
  if (raw_ == nullptr) return empty("commit");
  const tenon_status status = raw_->commit(call.raw(), raw_);
  if (status != TENON_OK) return failure(call, status, "commit");
  return {};
}

}}  // namespace tenon::v0_1
