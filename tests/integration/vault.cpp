// SPDX-License-Identifier: BSL-1.0
//
// A vault of test.example/vault version 2 that was written with the C++ SDK.
#include <test/sdk/vault.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace {

using tenon::sdk::Buffer;
using tenon::sdk::BytesView;
using tenon::sdk::Call;
using tenon::sdk::Failure;
using tenon::sdk::Reader;
using tenon::sdk::Writer;

struct TextReader : Reader {
  explicit TextReader(std::string text) : left(std::move(text)) {}

  std::size_t read(Call call, Buffer into) override {
    if (left == "forever") call.wait(std::chrono::hours(1));
    if (left == "broken") throw Failure(TENON_DATA_LOSS, "the value is broken");
    const std::size_t size = std::min(left.size(), into.size);
    std::memcpy(into.data, left.data(), size);
    left.erase(0, size);
    return size;
  }

  std::string left;
};

struct TextWriter : Writer {
  explicit TextWriter(std::string& to) : text(to) {}

  void write(Call, BytesView from) override { written += from.text(); }
  void commit(Call) override { text = written; }

  std::string& text;
  std::string written;
};

struct Vault : test::sdk::VaultV2 {
  GetResult get(std::string_view key) override {
    const bool by_key = key == "forever" || key == "broken";
    return {std::make_unique<TextReader>(by_key ? std::string(key) : value), "tagged"};
  }
  void put(std::string_view, std::unique_ptr<Reader> body, std::unique_ptr<Reader> note) override {
    std::string text = all(*body);
    body = nullptr;
    if (note != nullptr) text += " (" + all(*note) + ")";
    if (text.front() == '!') throw Failure(TENON_INVALID_ARGUMENT, "not so loud");
    value = text;
  }
  void drop(std::unique_ptr<Reader>) override {}
  std::unique_ptr<Writer> open(std::string_view) override {
    return std::make_unique<TextWriter>(value);
  }
  void keep(std::unique_ptr<Reader> body) override { kept_body = std::move(body); }
  std::string kept() override {
    const auto body = std::move(kept_body);
    return body != nullptr ? all(*body) : throw Failure(TENON_NOT_FOUND, "nothing is kept");
  }

  std::string all(Reader& from) {
    std::string text;
    std::uint8_t room[8];
    while (const std::size_t got = from.read(call(), {room, sizeof room})) {
      text.append(reinterpret_cast<const char*>(room), got);
    }
    return text;
  }

  std::string value;
  std::unique_ptr<Reader> kept_body;
};

}  // namespace

TENON_PLUGIN(Vault, "test.example/vault", "1.0.0", {"threads": "joined"});
