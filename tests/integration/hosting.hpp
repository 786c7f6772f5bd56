// SPDX-License-Identifier: BSL-1.0
//
// The fixture of tests that use a whole host. Its world contains the plugins and the private copies
// of loaded modules. MODULES and FAULTS are the directories of the test modules.
#pragma once

#include <tenon/host.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "framework/world.hpp"
#include "integration/host_echo.hpp"

namespace tenon::tests {

class Hosting : public testing::Test {
 protected:
  static constexpr const char* probes = "test.example/probes";
  static constexpr const char* streams = "test.example/streams";

  Hosting() { set_variable(temporary_variable, world_.root().string().c_str()); }
  ~Hosting() override {
    set_variable(temporary_variable, before_.empty() ? nullptr : before_.c_str());
    host_echo_says = nullptr;
  }

  /// Copies a build of a test module to the plugins, under its own or another name.
  void place(std::string_view build, std::string_view as = {}) const {
    world_.place(std::string(MODULES "/").append(build), as);
  }
  void place_fault(std::string_view build, std::string_view as = {}) const {
    world_.place(std::string(FAULTS "/").append(build).append(".so"), as);
  }
  /// Returns the path of a module in the plugins.
  std::filesystem::path placed(std::string_view name) const {
    return world_.plugins() / module_file(name);
  }

  HostOptions options() {
    return {.app = "",
            .plugin_path = {world_.plugins()},
            .builtins = {host_echo()},
            .on_event = [this](const Event& event) {
              std::lock_guard lock(mutex_);
              events_.push_back(event);
            }};
  }
  /// Options with a short wait for calls in old code.
  HostOptions short_drain() {
    HostOptions options = this->options();
    options.restart.drain_timeout = std::chrono::milliseconds(200);
    return options;
  }
  /// The same with a short gate timeout. Restarts may then fail because the machine is busy.
  HostOptions short_timeouts() {
    HostOptions options = short_drain();
    options.restart.gate_timeout = std::chrono::milliseconds(200);
    return options;
  }

  /// Returns the events so far.
  std::vector<Event> events() const {
    std::lock_guard lock(mutex_);
    return events_;
  }
  std::vector<Event> events(Event::Type type) const {
    std::vector<Event> some = events();
    std::erase_if(some, [type](const Event& event) { return event.type != type; });
    return some;
  }
  /// Returns the number of events of a type so far.
  std::size_t count_events(Event::Type type) const {
    const std::vector<Event> all = events();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [type](const Event& event) { return event.type == type; }));
  }

  /// Returns whether the process has a private copy of this test mapped, eg: "probe.g1", the first
  /// one of probe.so.
  static bool is_mapped(std::string_view copy) {
    const std::string directory =
        std::filesystem::path(std::getenv(temporary_variable)).generic_string() + "/";
    const std::string file = "/" + module_file(copy);
    std::istringstream lines(mapped_files());
    for (std::string line; std::getline(lines, line);) {
      const bool here = line.find(directory) != std::string::npos;
      if (here && line.find(file) != std::string::npos) return true;
    }
    return false;
  }
  /// Returns the file names of the private copies.
  std::vector<std::string> copies() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.root())) {
      const std::string name = entry.path().filename().string();
      if (name.find(".g") != std::string::npos) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  static ModuleInfo module(const Host& host, std::string_view package) {
    for (const ModuleInfo& info : host.modules()) {
      if (info.package == package) return info;
    }
    return {};
  }
  static std::vector<std::string> codes(const std::vector<Error>& errors) {
    std::vector<std::string> codes;
    for (const Error& error : errors) codes.emplace_back(error.code());
    return codes;
  }
  static std::vector<std::string> names(const std::vector<PluginInfo>& plugins) {
    std::vector<std::string> names;
    for (const PluginInfo& plugin : plugins) names.push_back(plugin.name());
    return names;
  }

  using Texts = std::vector<std::string>;

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
  const std::string before_ =
      std::getenv(temporary_variable) != nullptr ? std::getenv(temporary_variable) : "";

 protected:
  World world_;
};

}  // namespace tenon::tests
