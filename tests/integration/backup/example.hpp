// SPDX-License-Identifier: BSL-1.0
//
// The fixture of the tests of standalone item actions: a host with one example module, and checks
// that the module can be restarted and unloaded.
#pragma once

#include <tenon/backup_item_action.hpp>
#include <tenon/delete_item_action.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "integration/hosting.hpp"

namespace tenon::tests {

class Example : public Hosting {
 protected:
  /// Starts a host that has one module, under this file name.
  void host_module(std::string_view path, std::string_view as) {
    world_.place(std::string(path), as);
    HostOptions options = this->options();
    options.check_calls = true;
    host_.emplace(std::move(options));
  }

  /// Creates a new host without call checks, so that wrong requests reach the plugin.
  void pass_wrong_requests() { host_.emplace(options()); }

  template <class Kind>
  Handle<Kind> create(std::string_view name, const TextMap& config = {}) {
    return config.empty() ? host_->create<Kind>(name).value()
                          : host_->create<Kind>(name, config).value();
  }

  /// Returns the message of a failure, and checks its status.
  template <class T>
  static std::string failure(const Result<T>& result, tenon_status status) {
    if (result) return "no failure";
    EXPECT_EQ(result.error().status(), status) << result.error().to_string();
    return std::string(result.error().message());
  }

  /// Restarts the module several times while a handle to it exists, and unloads it at the end.
  /// `check` uses the handle. The thread that used the first generation ends after that generation,
  /// and must not run its code.
  template <class Kind, class Check>
  void expect_reloads(const std::string& package, const TextMap& config, const std::string& stem,
                      const Check& check) {
    {
      auto handle = create<Kind>(package, config);
      check(handle);
      std::thread([&] {
        check(handle);
        for (int generation = 2; generation <= 4; ++generation) {
          ASSERT_EQ(host_->restart(package).value(), RestartOutcome::restarted);
          check(handle);
          EXPECT_TRUE(is_mapped(stem + ".g" + std::to_string(generation)));
          EXPECT_TRUE(
              eventually([&] { return !is_mapped(stem + ".g" + std::to_string(generation - 1)); }));
        }
      }).join();
      check(handle);
      EXPECT_EQ(module(*host_, package).generation, 4u);
      EXPECT_EQ(module(*host_, package).still_mapped, 0u);
    }
    host_.reset();
    EXPECT_FALSE(is_mapped(stem));
    EXPECT_EQ(copies(), Texts{});
  }

  std::optional<Host> host_;
};

inline BackupV2 backup_named(std::string name) {
  BackupV2 backup;
  backup.name = std::move(name);
  return backup;
}

}  // namespace tenon::tests
