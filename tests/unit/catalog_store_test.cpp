// SPDX-License-Identifier: BSL-1.0
#include "catalog/catalog_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/hand_made_kinds.hpp"
#include "unit/lone_modules.hpp"

namespace tenon::tests { namespace {

using detail::CatalogStore;
using detail::FoundModule;
using detail::Manifest;
using detail::Module;
using detail::Version;

using ManifestPtr = std::shared_ptr<const Manifest>;

class Catalogs : public testing::Test {
 protected:
  Catalogs() { store_->begin({.host = "the host"}, {}); }

  static ManifestPtr manifest(const std::string& name, const std::string& version) {
    Manifest manifest;
    manifest.name = "me.example/" + name;
    manifest.version = Version::parse(version).value();
    manifest.provides.push_back({"test.example/tool", 1, 1, manifest.name});
    return std::make_shared<const Manifest>(std::move(manifest));
  }

  /// Publishes the result of a scan: pairs of package, which is also the file name, and version.
  void list(const std::vector<std::pair<std::string, std::string>>& found) {
    std::vector<FoundModule> modules;
    for (const auto& [name, version] : found) {
      modules.push_back({std::filesystem::path("/" + name + ".so"), manifest(name, version)});
    }
    store_->list(std::move(modules), {}, [&](detail::ModuleOrigin origin, ManifestPtr manifest) {
      return std::make_shared<Module>(std::move(origin), std::move(manifest), lone_.context);
    });
  }

  std::shared_ptr<detail::PluginModule> module(const std::string& name) const {
    return store_->current()->module_of("/" + name + ".so");
  }
  /// Returns the versions that the current catalog registers under a name.
  std::vector<std::string> versions(const std::string& name) const {
    std::vector<std::string> versions;
    const auto catalog = store_->current();
    for (const auto* one : catalog->registry().all()) {
      if (one->name() == "me.example/" + name)
        versions.push_back(one->package_version().to_string());
    }
    return versions;
  }

  using Texts = std::vector<std::string>;

  const LoneModules lone_{};
  const std::shared_ptr<CatalogStore> store_ = std::make_shared<CatalogStore>();
};

TEST_F(Catalogs, HaveOneModuleForEachFile) {
  list({{"saw", "1.0.0"}, {"axe", "1.0.0"}});
  const auto saw = module("saw");
  list({{"saw", "1.0.0"}});
  EXPECT_EQ(module("saw"), saw);
  EXPECT_EQ(module("axe"), nullptr);
}

TEST_F(Catalogs, AreKeptIfNothingHasChanged) {
  const ManifestPtr saw = manifest("saw", "1.0.0");
  const auto find = [&](const ManifestPtr& manifest) {
    store_->list({{std::filesystem::path("/saw.so"), manifest}}, {},
                 [&](detail::ModuleOrigin origin, ManifestPtr made) {
                   return std::make_shared<Module>(std::move(origin), std::move(made),
                                                   lone_.context);
                 });
    return store_->current();
  };
  const auto first = find(saw);
  EXPECT_EQ(find(saw), first);
  EXPECT_NE(find(manifest("saw", "1.1.0")), first);
  EXPECT_EQ(versions("saw"), Texts{"1.1.0"});
  list({});
  EXPECT_EQ(versions("saw"), Texts());
}

TEST_F(Catalogs, ReuseTheLiveModuleOfAFileThatReturns) {
  list({{"saw", "1.0.0"}});
  const auto older = store_->current();
  list({});
  EXPECT_EQ(store_->current()->modules().size(), 0u) << "it is not in use";
  list({});
  list({{"saw", "2.0.0"}});
  EXPECT_EQ(module("saw"), older->content().modules.front().module);
  EXPECT_EQ(versions("saw"), Texts{"2.0.0"});
}

TEST_F(Catalogs, DropModulesThatHaveEnded) {
  list({{"saw", "1.0.0"}});
  list({});
  list({});
  EXPECT_TRUE(store_->current()->content().unlisted.empty());
}

TEST_F(Catalogs, UpdateTheManifestOfAnIdleModule) {
  list({{"saw", "1.0.0"}});
  const auto older = store_->current();
  list({{"saw", "1.1.0"}});
  EXPECT_EQ(module("saw")->manifest()->version.to_string(), "1.1.0");
  EXPECT_EQ(versions("saw"), Texts{"1.1.0"});
  EXPECT_EQ(older->registry().all().front()->package_version().to_string(), "1.0.0");
}

TEST_F(Catalogs, DescribeModulesThatWereNeverUsed) {
  list({{"saw", "1.0.0"}});
  const auto saw = std::static_pointer_cast<Module>(module("saw"));
  list({{"saw", "1.1.0"}});
  const ModuleInfo info = saw->info();
  EXPECT_EQ(info.package + " " + info.package_version, "me.example/saw 1.1.0");
  EXPECT_EQ(info.file, "/saw.so");
  EXPECT_FALSE(info.loaded);
  EXPECT_FALSE(saw->in_use());
  EXPECT_TRUE(saw->idle());
  EXPECT_FALSE(saw->changed());
  EXPECT_FALSE(saw->restart_step());
}

TEST_F(Catalogs, CreateNothingAfterTheHostHasEnded) {
  list({{"saw", "1.0.0"}, {"axe", "1.0.0"}});
  const auto create = [](Module& module) {
    return module.create(tool_kind(), 1, "me.example/saw", {}, detail::Owner::plugin);
  };
  const auto saw = std::static_pointer_cast<Module>(module("saw"));
  const auto axe = std::static_pointer_cast<Module>(module("axe"));
  EXPECT_EQ(create(*saw).error().code(), "not-found") << "its file";
  for (Module* one : {saw.get(), axe.get()}) {
    one->begin_shut_down();
    one->shut_down(Module::Clock::now());
    EXPECT_EQ(create(*one).error().code(), "host-ended");
  }
}

TEST_F(Catalogs, ArePublishedAfterTheModuleServesItsManifest) {
  list({{"saw", "1.0.0"}});
  const auto change = store_->prepare(*module("saw"), manifest("saw", "2.0.0"));
  EXPECT_EQ(versions("saw"), Texts{"1.0.0"});
  change->publish();
  EXPECT_EQ(versions("saw"), Texts{"2.0.0"});
}

TEST_F(Catalogs, AreNotRebuiltForAnEqualManifest) {
  list({{"saw", "1.0.0"}});
  EXPECT_EQ(store_->prepare(*module("saw"), manifest("saw", "1.0.0")), nullptr);
  EXPECT_NE(store_->prepare(*module("saw"), manifest("saw", "1.0.0+build")), nullptr);
}

TEST_F(Catalogs, AreRebuiltAfterAConcurrentChange) {
  list({{"saw", "1.0.0"}, {"axe", "1.0.0"}});
  const auto saw = store_->prepare(*module("saw"), manifest("saw", "2.0.0"));
  const auto axe = store_->prepare(*module("axe"), manifest("axe", "2.0.0"));
  module("saw")->take_manifest(manifest("saw", "2.0.0"), {});  // like a restart
  saw->publish();
  module("axe")->take_manifest(manifest("axe", "2.0.0"), {});
  axe->publish();
  EXPECT_EQ(versions("saw"), Texts{"2.0.0"});
  EXPECT_EQ(versions("axe"), Texts{"2.0.0"});
}

}}  // namespace tenon::tests
