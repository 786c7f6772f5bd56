// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of the index of modules: the three counts of the header, then all that
// follows the header. The header is correct, which a fuzzer would not find. What is read must have
// as many files after it was written again.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "catalog/index_file.hpp"
#include "fuzz/fuzzing.hpp"

namespace {

using namespace tenon;
using detail::IndexFile;
using fuzzing::require;

std::unique_ptr<const IndexFile> read(const std::string& content) {
  const auto* data = reinterpret_cast<const std::byte*>(content.data());
  return IndexFile::read({data, data + content.size()}, "photo");
}

void add_to(std::string& content, std::size_t offset, std::size_t more) {
  std::uint32_t number = 0;
  std::memcpy(&number, content.data() + offset, sizeof number);
  number += static_cast<std::uint32_t>(more);
  std::memcpy(content.data() + offset, &number, sizeof number);
}

/// Returns an index with the counts and tables of an input. The texts of the header are at its end.
std::string with_header(std::string_view input) {
  constexpr std::size_t header_size = 64;
  constexpr std::size_t counts_size = 12;
  const std::string empty = detail::IndexWriter().finish("photo");
  const std::string_view tables = input.substr(counts_size);
  std::string content = empty.substr(0, header_size);
  content.append(tables).append(empty, header_size);
  add_to(content, 32, tables.size());
  add_to(content, 40, tables.size());
  std::memcpy(content.data() + 48, input.data(), counts_size);
  const std::uint64_t size = content.size();
  std::memcpy(content.data() + 16, &size, sizeof size);
  const std::uint64_t sum = checksum(std::string_view(content).substr(32));
  std::memcpy(content.data() + 24, &sum, sizeof sum);
  return content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = fuzzing::text_of(data, size);
  const auto index = read(input.size() < 12 ? std::string(input) : with_header(input));
  if (index == nullptr) return 0;
  detail::IndexWriter writer;
  std::vector<std::shared_ptr<detail::Manifest>> manifests;
  for (const IndexFile::Directory& directory : index->directories()) {
    writer.begin_directory(directory.path());
    if (directory.size() > 1000) return 0;  // entries may overlap
    for (std::size_t i = 0; i < directory.size(); ++i) {
      const IndexFile::Entry entry = directory.entry(i);
      auto manifest = entry.manifest.empty() ? nullptr : index->decode(entry);
      require(manifest == nullptr || !manifest->provides.empty());
      require(directory.find(entry.name, i) == i);
      writer.add(entry.name, entry.identity, manifest.get());
      manifests.push_back(std::move(manifest));
    }
    if (writer.size() > 1 << 20) return 0;
  }
  const auto again = read(writer.finish("photo"));
  require(again != nullptr && again->directories().size() == index->directories().size());
  std::size_t files = 0;
  for (const IndexFile::Directory& directory : again->directories()) files += directory.size();
  require(files == manifests.size());
  return 0;
}
