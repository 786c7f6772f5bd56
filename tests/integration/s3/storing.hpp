// SPDX-License-Identifier: BSL-1.0
//
// The fixture of the store tests: a host with the module, and content to write.
#pragma once

#include <tenon/host.hpp>
#include <tenon/object_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "integration/hosting.hpp"

namespace tenon::tests {

/// A body that the host owns. With `breaks` it fails after its content.
class Body : public HostReader {
 public:
  explicit Body(std::string content, bool breaks = false)
      : content_(std::move(content)), breaks_(breaks) {}

  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    const std::size_t count = std::min({content_.size() - begin_, into.size(), most});
    if (count == 0 && breaks_) {
      return Error({.status = TENON_DATA_LOSS, .message = "a bad sector"});
    }
    std::copy_n(content_.data() + begin_, count, into.data());
    begin_ += count;
    return count;
  }

 private:
  static constexpr std::size_t most = 100'000;

  const std::string content_;
  const bool breaks_;
  std::size_t begin_ = 0;
};

inline Reader body(std::string content) {
  return std::make_unique<Body>(std::move(content));
}
inline Reader broken_body(std::string content) {
  return std::make_unique<Body>(std::move(content), true);
}

/// Returns bytes that do not repeat.
inline std::string bytes(std::size_t size) {
  std::string content(size, '\0');
  std::uint64_t state = size;
  for (char& byte : content) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(state >> 56);
  }
  return content;
}

inline Result<std::string> all(Reader& reader) {
  std::string content;
  std::uint8_t room[50'000];
  for (;;) {
    auto count = reader.read(room);
    if (!count) return count.error();
    if (*count == 0) return content;
    content.append(reinterpret_cast<const char*>(room), *count);
  }
}

/// Sets an environment variable, and restores it at the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

class Storing : public Hosting {
 protected:
  static constexpr const char* s3 = "tenon.dev/s3";

  Storing() {
    place("s3.so");
    host_.emplace(options());
  }

  Handle<ObjectStore> create(const TextMap& config) {
    return host_->create<ObjectStore>(s3, config).value();
  }

 private:
  // Hides the credentials of the environment in which the tests run.
  const Variable key_{"AWS_ACCESS_KEY_ID", nullptr};
  const Variable secret_{"AWS_SECRET_ACCESS_KEY", nullptr};
  const Variable token_{"AWS_SESSION_TOKEN", nullptr};

 protected:
  std::optional<Host> host_;
};

}  // namespace tenon::tests
