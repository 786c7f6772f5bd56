// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tenon::tests {

/// A directory of one test, which is removed with it. Its name is not ASCII.
class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            (u8"tenon-tëst-ж" + std::filesystem::path(std::to_string(++number)).u8string());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
    EXPECT_FALSE(failed) << path_ << " is in use: " << failed.message();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tenon::tests
