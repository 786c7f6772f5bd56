// SPDX-License-Identifier: BSL-1.0
//
// A stream of a host, for tests of plugins that read it.
#pragma once

#include <tenon/stream.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace tenon::tests {

/// Reads a text. Counted in `live` while it exists.
class TextReader : public HostReader {
 public:
  TextReader(std::string text, std::atomic<int>& live) : text_(std::move(text)), live_(live) {
    ++live_;
  }
  ~TextReader() override { --live_; }

  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    const std::size_t size = std::min(text_.size(), into.size());
    std::memcpy(into.data(), text_.data(), size);
    text_.erase(0, size);
    return size;
  }

 private:
  std::string text_;
  std::atomic<int>& live_;
};

}  // namespace tenon::tests
