// SPDX-License-Identifier: BSL-1.0
//
// The fixture of tests of the builtin object store: a host, a store in its own directory, and
// helpers that call its methods.
#pragma once

#include <tenon/builtins.hpp>
#include <tenon/host.hpp>
#include <tenon/object_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests {

using Keys = std::vector<std::string>;

/// A reader that returns a content in pieces.
class TextReader : public HostReader {
 public:
  explicit TextReader(std::string text) : text_(std::move(text)) {}
  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    const std::size_t count = std::min({text_.size() - at_, into.size(), std::size_t{40'000}});
    std::copy_n(text_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  const std::string text_;
  std::size_t at_ = 0;
};

/// A stream that fails after its first piece.
class BrokenReader : public HostReader {
 public:
  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    if (again_) return Error({.status = TENON_DATA_LOSS, .message = "broken"});
    again_ = true;
    return into.size();
  }

 private:
  bool again_ = false;
};

/// Returns the rest of a stream, or the code of the error if it fails.
inline std::string read_rest(Reader& reader) {
  std::string text;
  std::uint8_t room[777];
  for (;;) {
    const auto count = reader.read(room);
    if (!count) return "error " + std::string(count.error().code());
    if (*count == 0) return text;
    text.append(reinterpret_cast<const char*>(room), *count);
  }
}

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "ok" : std::string(result.error().code());
}

class ObjectStores : public testing::Test {
 protected:
  ObjectStores() {
    std::filesystem::create_directory(directory());
    store_ = create();
  }

  std::filesystem::path directory() const { return world_.path("store"); }
  /// Returns the path of a file or directory in the bucket "b".
  std::filesystem::path in_bucket(std::string_view path) const {
    return directory() / "b" / std::string(path);
  }
  Result<Handle<ObjectStore>> try_create(const TextMap& config) {
    return host_.create<ObjectStore>("tenon.dev/filesystem", config);
  }
  std::optional<Handle<ObjectStore>> create() {
    return try_create({{"directory", directory().string()}}).value();
  }
  ObjectStore& store() { return **store_; }

  Result<void> put(std::string_view key, std::string content = "content") {
    return store().put_object("b", key, std::make_unique<TextReader>(std::move(content)));
  }
  /// Returns the content of an object, or the code of the error if it fails.
  std::string get(std::string_view key) {
    auto reader = store().get_object("b", key);
    return reader ? read_rest(*reader) : "error " + std::string(reader.error().code());
  }
  /// Returns all keys, page by page.
  Keys list(std::string_view prefix = "", std::uint32_t limit = 0, std::string after = "") {
    Keys keys;
    for (bool more = true; more;) {
      const auto page = store().list_objects("b", prefix, after, limit).value();
      if (limit != 0) {
        EXPECT_LE(page.keys.size(), limit);
      }
      keys.insert(keys.end(), page.keys.begin(), page.keys.end());
      more = page.more;
      if (more) after = keys.back();
    }
    return keys;
  }
  /// Returns the number of incomplete files.
  std::size_t partial_files() const {
    const auto partial = directory() / ".tenon-partial";
    if (!std::filesystem::exists(partial)) return 0;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(partial), {}));
  }

  World world_;

 private:
  Host host_{{.app = "", .builtins = {builtins()}, .check_calls = true}};
  std::optional<Handle<ObjectStore>> store_;
};

}  // namespace tenon::tests
