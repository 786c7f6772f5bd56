// SPDX-License-Identifier: BSL-1.0
//
// One HTTP request and its response, which is read in chunks. The transfer runs only inside
// functions of the exchange, on the calling thread.
#pragma once

#include <tenon/sdk/call.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "connection.hpp"
#include "signature.hpp"

namespace tenon::s3 {

/// The limits of an exchange. Each function fails when `call` is cancelled, when its deadline has
/// passed, and when no data has moved for `timeout`.
struct WaitLimits {
  sdk::Call call;
  Duration timeout;
};

class Exchange {
 public:
  /// Prepares `request`. Its body must stay valid until the response has begun. `action` begins the
  /// messages.
  Exchange(std::shared_ptr<Connections> connections, const std::string& origin,
           const Request& request, std::string action);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sends the request and waits until the body of the response begins. Throws sdk::Failure.
  void begin(const WaitLimits& limits);

  // Properties of the response, valid after `begin` has returned.
  long status() const;
  /// Returns a header field, or nothing if there is none.
  std::optional<std::string> header(const char* name) const;
  /// Returns the length of the body in bytes, or nothing if the server does not report it.
  std::optional<std::uint64_t> length() const;
  const std::string& action() const noexcept { return action_; }

  /// Reads into `into` and returns the number of bytes; 0 only at the end of the body. Throws
  /// sdk::Failure. After a cancelled call, the next call continues.
  std::size_t read(const WaitLimits& limits, Buffer into);

 private:
  static constexpr std::size_t chunk_size = 65536;

  static std::size_t on_data(char* data, std::size_t one, std::size_t size, void* self) noexcept;
  std::size_t on_data(const std::uint8_t* data, std::size_t size) noexcept;
  void set_up(const std::string& url, const Request& request);
  template <class Value>
  void set(CURLoption option, Value value);
  /// Runs the transfer until it has ended or a part of the body has arrived.
  void run(const WaitLimits& limits);
  void advance();
  void wait(const WaitLimits& limits, Duration longest) const;
  /// Returns a number that grows when data is sent or received.
  std::uint64_t transferred() const;
  void check(CURLMcode code) const;
  [[noreturn]] void fail() const;

  const std::shared_ptr<Connections> connections_;
  const std::string action_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers_;
  char error_[CURL_ERROR_SIZE] = "";

  Buffer into_{};                              // the buffer of the reader
  std::size_t filled_ = 0;                     // number of bytes in into_
  std::array<std::uint8_t, chunk_size> rest_;  // data that did not fit into into_
  std::size_t rest_begin_ = 0;
  std::size_t rest_end_ = 0;
  bool began_ = false;
  bool paused_ = false;
  bool ended_ = false;
  CURLcode result_ = CURLE_OK;
};

}  // namespace tenon::s3
