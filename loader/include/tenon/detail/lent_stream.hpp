// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/lent_stream.hpp: streams that one plugin passes to another, which stay usable for as
// long as the code behind them is loaded. For generated code.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>
#include <tenon/detail/instance.hpp>

#include <memory>

namespace tenon { inline namespace v0_1 { namespace detail {

class RevocableStream;

/// Releases a stream that nobody gets; has no effect for nullptr.
template <class Raw>
void discard(Raw* stream) noexcept {
  if (stream != nullptr) stream->release(stream);
}

/// Returns a revocable stream around one that a plugin returned to the method that the calling
/// thread is in, for adapters; nullptr for nullptr.
TENON_API tenon_reader* revocable(tenon_reader* stream);
TENON_API tenon_writer* revocable(tenon_writer* stream);
/// A stream that a plugin passes to a method of another one. It is revocable during the call, and
/// the other plugin owns it once the method has succeeded.
class TENON_API LentStream {
 public:
  /// Replaces the stream by a revocable one. `instance` is the one that the caller calls.
  LentStream(Instance& instance, tenon_reader*& stream);
  LentStream(Instance& instance, tenon_writer*& stream);
  ~LentStream();
  LentStream(const LentStream&) = delete;
  LentStream& operator=(const LentStream&) = delete;

  void passed() noexcept;

 private:
  std::shared_ptr<RevocableStream> stream_;
};

}}}  // namespace tenon::v0_1::detail
