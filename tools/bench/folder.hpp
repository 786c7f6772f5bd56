// SPDX-License-Identifier: BSL-1.0
//
// Folders of modules that are read and not loaded.
#pragma once

#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tenon::bench {

/// Files in a folder that is removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void add(const std::string& content);
  std::filesystem::path root() const { return root_; }
  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  std::string root_;
  std::vector<std::filesystem::path> files_;
};

/// The name of a plugin of `numbered_folder`, and of its package.
std::string numbered_name(int number);
/// So many modules, each a package with one plugin. Made once.
const Folder& numbered_folder(int count);
/// A module for each package of packages.hpp. Made once.
const Folder& package_folder();

/// Touches a file: the least that anybody does who reads it.
void read_page(benchmark::State& state, const std::filesystem::path& path);

}  // namespace tenon::bench
