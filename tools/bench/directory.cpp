// SPDX-License-Identifier: BSL-1.0
#include "directory.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <thread>

#include "modules.hpp"
#include "packages.hpp"

namespace tenon::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view manifest_begin = "{\"manifest\"";

std::string content_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Returns the manifest of packaged.c with the name, version and requirements of another package.
/// The size stays the same.
std::string manifest_of(const Item& item, std::string text) {
  const std::size_t size = text.size();
  replace_all(text, "bench.example/package-000", name_of(item.name));
  text.replace(text.find("9.9.0"), 5, version_of(item.version));
  std::map<std::string, std::string> needs;  // each name once
  for (const VersionRange& range : item.requirements) {
    needs.emplace(name_of(range.name), text_of(range));
  }
  std::string list;
  for (const auto& [name, versions] : needs) {
    list += (list.empty() ? "\"" : ",\"") + name + "\":\"" + versions + '"';
  }
  const std::size_t begin = text.find('{', text.find("\"requires\""));
  text.replace(begin + 1, text.find('}', begin) - begin - 1, list);
  return text.insert(1, size - text.size(), ' ');
}

}  // namespace

Directory::Directory() : root_((fs::temp_directory_path() / "tenon-bench-XXXXXX").string()) {
  if (mkdtemp(root_.data()) == nullptr) std::abort();
}

Directory::~Directory() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void Directory::add(const std::string& content, const fs::path& below) {
  fs::create_directories(fs::path(root_) / below);
  files_.push_back(fs::path(root_) / below / ("plugin" + std::to_string(files_.size()) + ".so"));
  std::ofstream(files_.back(), std::ios::binary) << content;
  changed_ = std::chrono::steady_clock::now();
}

void Directory::wait_until_settled() const {
  std::this_thread::sleep_until(changed_ + std::chrono::seconds(4));
}

std::string numbered_name(int number) {
  char name[32];
  std::snprintf(name, sizeof name, "bench.example/%06d", number);
  return name;
}

const Directory& numbered_directory(int count) {
  static std::map<int, Directory> directories;
  Directory& directory = directories[count];
  if (directory.files().empty()) {
    std::string content = content_of(counter_numbered);
    for (int i = 0; i < count; ++i) {
      if (i > 0) replace_all(content, numbered_name(i - 1), numbered_name(i));
      directory.add(content);
    }
  }
  return directory;
}

const Directory& nested_directory(int count) {
  static std::map<int, Directory> directories;
  Directory& directory = directories[count];
  if (directory.files().empty()) {
    for (const fs::path& file : numbered_directory(count).files()) {
      const std::string name = "plugin" + std::to_string(directory.files().size());
      directory.add(content_of(file.c_str()), fs::path(name) / "1.0.0");
    }
  }
  return directory;
}

const Directory& package_directory() {
  static Directory directory;
  if (directory.files().empty()) {
    std::string content = content_of(packaged_module);
    const std::size_t begin = content.find(manifest_begin);
    const std::string manifest = content.c_str() + begin;
    for (const Item& item : Packages(false).items) {
      directory.add(content.replace(begin, manifest.size(), manifest_of(item, manifest)));
    }
  }
  return directory;
}

ManifestLocation find_manifest(const char* module) {
  const std::string content = content_of(module);
  const std::size_t begin = content.find(manifest_begin);
  return {static_cast<std::int64_t>(begin), std::string_view(content.c_str() + begin).size()};
}

}  // namespace tenon::bench
