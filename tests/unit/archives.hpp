// SPDX-License-Identifier: BSL-1.0
//
// Helpers that write and read streams of archives.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/stream.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backup/archive_stream.hpp"

namespace backup {

inline tenon::ResourceIdV1 id(std::string_view resource, std::string_view in_namespace,
                              std::string_view name) {
  tenon::ResourceIdV1 id;
  id.resource = resource;
  id.in_namespace = in_namespace;
  id.name = name;
  return id;
}

/// Return the id and the content, of up to 2 kB, of one of many different items.
inline tenon::ResourceIdV1 nth_id(std::size_t i) {
  const std::string number = std::to_string(i);
  if (i % 5 == 0) return id("nodes", "", "n" + number);
  return id(i % 2 == 0 ? "pods" : "deployments.apps", "space-" + std::to_string(i % 97), number);
}
inline std::string nth_json(std::size_t i) {
  std::string json = "{\"n\":" + std::to_string(i) + ",\"text\":\"";
  for (std::size_t at = 0; at < i % 2000; ++at) json += static_cast<char>('a' + (at * i) % 23);
  return json + "\"}";
}

/// A reader that returns a content in pieces.
class Content : public tenon::HostReader {
 public:
  explicit Content(std::string content, std::size_t piece)
      : content_(std::move(content)), piece_(piece) {}
  tenon::Result<std::size_t> read(tenon::Call&, std::span<std::uint8_t> into) override {
    const std::size_t count = std::min({content_.size() - given_, into.size(), piece_});
    std::copy_n(content_.data() + given_, count, into.data());
    given_ += count;
    return count;
  }

 private:
  const std::string content_;
  const std::size_t piece_;
  std::size_t given_ = 0;
};
inline tenon::Reader content(std::string content, std::size_t piece = 1 << 20) {
  return std::make_unique<Content>(std::move(content), piece);
}

/// Reads to the end, `piece` bytes at once.
inline tenon::Result<std::string> all(tenon::Reader& reader, std::size_t piece) {
  std::vector<std::uint8_t> buffer(piece);
  std::string content;
  while (true) {
    auto got = reader.read(buffer);
    if (!got) return std::move(got).error();
    if (*got == 0) return content;
    content.append(reinterpret_cast<const char*>(buffer.data()), *got);
  }
}

using Entries = std::vector<std::pair<tenon::ResourceIdV1, std::string>>;

/// Packs a few items.
inline std::string pack(const Entries& entries, Compression compression,
                        std::size_t piece = 65536) {
  ArchiveStream archive({.compression = compression,
                         .time = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000))});
  auto packed = std::async([body = archive.reader(), piece]() mutable { return all(body, piece); });
  for (const auto& [id, json] : entries) archive.add(id, json).value();
  archive.finish().value();
  return packed.get().value();
}

}  // namespace backup
