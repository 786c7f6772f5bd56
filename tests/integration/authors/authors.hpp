// SPDX-License-Identifier: BSL-1.0
//
// The fixture: a host with the module that is built from author.cpp. AUTHORS is the directory of
// its builds.
#pragma once

#include <tenon/host.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "framework/world.hpp"

namespace tenon::tests {

class Authors : public testing::Test {
 protected:
  /// Replaces the module by a build.
  void place(std::string_view build) const {
    world_.place(std::string(AUTHORS "/").append(build).append(".so"), "author.so");
  }

  World world_;
  Host host_ = make_host();

 private:
  Host make_host() const {
    place("author");
    HostOptions options{.app = "", .plugin_path = {world_.plugins()}};
    options.count_calls = true;
    options.restart.drain_timeout = std::chrono::milliseconds(200);
    return Host(options);
  }
};

}  // namespace tenon::tests
