// SPDX-License-Identifier: BSL-1.0
//
// One request over HTTP and its answer, which is read piece by piece. The transfer runs while a
// function of the exchange does, on that function's thread, and stands still otherwise.
#pragma once

#include "connection.hpp"
#include "signature.hpp"

#include <tenon/sdk/call.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::s3 {

/// How long an exchange may take. Each function fails when `call` is cancelled or its deadline has
/// passed, and when the server is silent for as long as `silence`.
struct Patience {
  sdk::Call call;
  Duration silence;
};

class Exchange {
 public:
  /// Prepares `request`, whose body must stay until the answer has begun. `action` is for messages.
  Exchange(std::shared_ptr<Connections> connections, const std::string& origin,
           const Request& request, std::string action);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sends the request and waits for the beginning of the answer's body. Throws sdk::Failure.
  void begin(const Patience& patience);

  // Of the answer, after `begin`.
  long status() const;
  /// A header field; nothing where there is none.
  std::optional<std::string> header(const char* name) const;
  /// Its length in bytes, where the server says it before.
  std::optional<std::uint64_t> length() const;
  const std::string& action() const noexcept { return action_; }

  /// Fills `into` from its start and returns how much that was; 0 only at the end. Throws
  /// sdk::Failure; when the call was cancelled, the next one continues.
  std::size_t read(const Patience& patience, Buffer into);

 private:
  static constexpr std::size_t piece = 65536;

  static std::size_t take(char* data, std::size_t one, std::size_t size, void* self) noexcept;
  std::size_t take(const std::uint8_t* data, std::size_t size) noexcept;
  void set_up(const std::string& url, const Request& request);
  template <class Value>
  void set(CURLoption option, Value value);
  /// Runs the transfer until it has ended or something of the body has come.
  void run(const Patience& patience);
  void advance();
  void wait(const Patience& patience, Duration longest) const;
  /// Grows when anything is sent or received.
  std::uint64_t moved() const;
  void check(CURLMcode code) const;
  [[noreturn]] void fail() const;

  const std::shared_ptr<Connections> connections_;
  const std::string action_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers_;
  char error_[CURL_ERROR_SIZE] = "";

  Buffer into_{};                         // where the reader wants the body
  std::size_t filled_ = 0;                // how much of it is there
  std::array<std::uint8_t, piece> rest_;  // what came beyond that
  std::size_t rest_begin_ = 0;
  std::size_t rest_end_ = 0;
  bool began_ = false;
  bool paused_ = false;
  bool ended_ = false;
  CURLcode result_ = CURLE_OK;
};

}  // namespace tenon::s3
