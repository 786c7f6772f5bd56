// SPDX-License-Identifier: BSL-1.0
#include "exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "failures.hpp"

namespace tenon::s3 {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void add(std::unique_ptr<curl_slist, void (*)(curl_slist*)>& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  static_cast<void>(list.release());
  list.reset(longer);
}

/// Resets a borrowed buffer at the end of a scope.
struct BufferReset {
  ~BufferReset() { buffer = {}; }
  Buffer& buffer;
};

}  // namespace

Exchange::Exchange(std::shared_ptr<Connections> connections, const std::string& origin,
                   const Request& request, std::string action)
    : connections_(std::move(connections)),
      action_(std::move(action)),
      connection_(connections_->take()),
      headers_(nullptr, curl_slist_free_all) {
  const std::string query = query_of(request.query);
  set_up(origin + request.path + (query.empty() ? "" : "?" + query), request);
  check(curl_multi_add_handle(connection_->multi, connection_->easy));
}

Exchange::~Exchange() {
  curl_multi_remove_handle(connection_->multi, connection_->easy);
  connections_->give_back(std::move(connection_));
}

template <class Value>
void Exchange::set(CURLoption option, Value value) {
  const CURLcode result = curl_easy_setopt(connection_->easy, option, value);
  if (result != CURLE_OK) throw connection_failure(action_, result, "");
}

void Exchange::set_up(const std::string& url, const Request& request) {
  for (const auto& [name, value] : request.headers) add(headers_, name + ": " + value);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);  // keys may have dots between slashes
  // Other versions of HTTP read ahead.
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_ERRORBUFFER, error_);
  set(CURLOPT_NOSIGNAL, 1L);    // the signals of the process belong to the host
  set(CURLOPT_QUICK_EXIT, 1L);  // does not wait for a cancelled look-up of a name
  set(CURLOPT_BUFFERSIZE, static_cast<long>(chunk_size));
  set(CURLOPT_WRITEFUNCTION, static_cast<curl_write_callback>(&Exchange::on_data));
  set(CURLOPT_WRITEDATA, this);
  if (request.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (request.method == "PUT" || request.method == "POST") {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.text().data());
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else {
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

void Exchange::begin(const WaitLimits& limits) {
  run(limits);
  if (ended_ && result_ != CURLE_OK && !began_) fail();
}

std::size_t Exchange::read(const WaitLimits& limits, Buffer into) {
  if (rest_begin_ == rest_end_) {
    into_ = into;
    filled_ = 0;
    const BufferReset reset{into_};
    run(limits);
    if (filled_ == 0 && result_ != CURLE_OK) fail();
    return filled_;
  }
  const std::size_t count = std::min(into.size, rest_end_ - rest_begin_);
  std::memcpy(into.data, rest_.data() + rest_begin_, count);
  rest_begin_ += count;
  return count;
}

void Exchange::run(const WaitLimits& limits) {
  std::uint64_t before = transferred();
  Clock::time_point last_transfer = Clock::now();
  for (;;) {
    limits.call.check();
    advance();
    if (ended_ || filled_ > 0 || rest_begin_ < rest_end_) return;
    if (const std::uint64_t now = transferred(); now != before) {
      before = now;
      last_transfer = Clock::now();
    }
    const Duration left = limits.timeout - (Clock::now() - last_transfer);
    if (left <= Duration::zero()) {
      throw connection_failure(action_, CURLE_OPERATION_TIMEDOUT, "the server does not respond");
    }
    wait(limits, left);
  }
}

void Exchange::advance() {
  if (ended_) return;
  if (std::exchange(paused_, false)) curl_easy_pause(connection_->easy, CURLPAUSE_CONT);
  int running = 0;
  check(curl_multi_perform(connection_->multi, &running));
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(connection_->multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    ended_ = true;
    result_ = message->data.result;
  }
}

void Exchange::wait(const WaitLimits& limits, Duration longest) const {
  tenon_call* raw = limits.call.raw();
  const std::intptr_t handle = raw != nullptr ? raw->functions->wait_handle(raw) : -1;
  // Without a descriptor that reports a cancellation, the call is polled often.
  if (raw != nullptr && handle < 0) longest = std::min<Duration>(longest, milliseconds(50));
  if (const auto deadline = limits.call.deadline()) {
    longest = std::min<Duration>(longest, *deadline - Clock::now());
  }
  const auto timeout = std::chrono::ceil<milliseconds>(std::max(longest, Duration::zero())).count();
  curl_waitfd cancellation{static_cast<curl_socket_t>(handle), CURL_WAIT_POLLIN, 0};
  curl_multi_poll(connection_->multi, &cancellation, handle < 0 ? 0 : 1,
                  static_cast<int>(std::min<milliseconds::rep>(timeout, 60'000)), nullptr);
}

std::size_t Exchange::on_data(char* data, std::size_t, std::size_t size, void* self) noexcept {
  return static_cast<Exchange*>(self)->on_data(reinterpret_cast<const std::uint8_t*>(data), size);
}

std::size_t Exchange::on_data(const std::uint8_t* data, std::size_t size) noexcept {
  began_ = true;
  if (rest_begin_ < rest_end_) {
    paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  const std::size_t wanted = std::min(size, into_.size - filled_);
  if (wanted > 0) std::memcpy(into_.data + filled_, data, wanted);
  filled_ += wanted;
  rest_begin_ = 0;
  rest_end_ = size - wanted;
  std::memcpy(rest_.data(), data + wanted, rest_end_);
  return size;
}

std::uint64_t Exchange::transferred() const {
  curl_off_t sent = 0;
  curl_off_t received = 0;
  long headers = 0;
  curl_off_t connected = 0;
  curl_easy_getinfo(connection_->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  curl_easy_getinfo(connection_->easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
  curl_easy_getinfo(connection_->easy, CURLINFO_HEADER_SIZE, &headers);
  curl_easy_getinfo(connection_->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
  return static_cast<std::uint64_t>(sent + received + headers + connected);
}

long Exchange::status() const {
  long status = 0;
  curl_easy_getinfo(connection_->easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::optional<std::string> Exchange::header(const char* name) const {
  curl_header* found = nullptr;
  if (curl_easy_header(connection_->easy, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK) {
    return std::nullopt;
  }
  return found->value;
}

std::optional<std::uint64_t> Exchange::length() const {
  curl_off_t length = -1;
  curl_easy_getinfo(connection_->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (length < 0) return std::nullopt;
  return static_cast<std::uint64_t>(length);
}

void Exchange::check(CURLMcode code) const {
  if (code != CURLM_OK) {
    throw sdk::Failure(TENON_INTERNAL, action_, ": ", curl_multi_strerror(code));
  }
}

void Exchange::fail() const {
  throw connection_failure(action_, result_, error_);
}

}  // namespace tenon::s3
