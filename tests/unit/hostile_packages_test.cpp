// SPDX-License-Identifier: BSL-1.0
//
// Manifests of the largest size that are designed to take long, or to produce long errors. They
// must be read and resolved within the time limit of the test, and their errors must be short.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/bindings.hpp"
#include "manifest/manifest.hpp"

namespace tenon::tests { namespace {

using detail::max_plugins;
using detail::max_version_length;
using detail::Package;
using detail::package_of;
using detail::parse_manifest;
using detail::Requirement;
using detail::Version;

constexpr std::size_t largest_text = 1 << 20;
constexpr const char* path = "/plugins/hostile.so";

std::string numbered(std::string_view name, std::size_t number) {
  return std::string(name).append(std::to_string(number));
}

/// Returns a manifest with the required fields and these details.
std::string manifest(const std::string& name, const std::string& details) {
  return R"({"manifest":1,"name":")" + name + R"(","version":"1.0.0",)" +
         R"("provides":[{"kind":"a.b/k","version":1,"spec":"0123456789abcdef","name":")" + name +
         R"("}],"details":[{)" + details + "}]}";
}

/// Joins entries of an object or array until a manifest has the largest size, or has `most`
/// entries.
std::string filled(const std::function<std::string(std::size_t)>& entry,
                   std::size_t most = largest_text) {
  std::string all;
  for (std::size_t i = 0; i < most; ++i) {
    const std::string next = entry(i);
    if (all.size() + next.size() + 300 > largest_text) break;
    all += (all.empty() ? "" : ",") + next;
  }
  return all;
}

std::string requiring(const std::string& name, const std::string& requirements) {
  return manifest(name, R"("requires":{)" + requirements + "}");
}

Package package(const std::string& text) {
  EXPECT_LE(text.size(), largest_text);
  const auto read = parse_manifest(text, path);
  EXPECT_TRUE(read) << read.error().to_string();
  return package_of(read.value());
}

Package plain(const std::string& name, const std::string& version) {
  return {.name = name, .version = Version::parse(version).value()};
}

void expect_short(const std::vector<Error>& errors) {
  for (const Error& error : errors) EXPECT_LT(error.to_string().size(), 4000u) << error.code();
}

/// Returns the longest requirement whose alternatives are every second number.
std::string with_holes() {
  std::string spec = "0.0.0";
  for (int i = 2; spec.size() < Requirement::longest_text - 12; i += 2) {
    spec += "||0.0." + std::to_string(i);
  }
  return spec;
}

TEST(HostilePackages, RequireThousandsOfMissingPackages) {
  const Package asks = package(requiring(
      "a.b/asks", filled([](std::size_t i) { return "\"a.b/" + std::to_string(i) + R"(":"*")"; })));
  EXPECT_GT(asks.dependencies.size(), 50000u);
  const detail::Bindings bindings({.found = {asks}});
  ASSERT_EQ(bindings.diagnostics().size(), 1u);
  EXPECT_EQ(bindings.diagnostics()[0].code(), "missing-package");
  expect_short(bindings.diagnostics());
}

TEST(HostilePackages, RequireAMissingOneOfThousandsOfVersions) {
  constexpr std::size_t count = 20000;
  std::vector<Package> all;
  for (std::size_t i = 0; i < count; ++i) {
    Package asks = plain(numbered("a.b/", i), "1.0.0");
    asks.dependencies.push_back({"a.b/lib", Requirement::parse("^2").value()});
    all.push_back(std::move(asks));
    all.push_back(plain("a.b/lib", "1." + std::to_string(i) + ".0"));
  }
  const detail::Bindings bindings({.found = all});
  ASSERT_EQ(bindings.diagnostics().size(), count);
  EXPECT_EQ(bindings.diagnostics()[0].found(),
            "a.b/lib 1.19999.0, 1.19998.0, 1.19997.0, 1.19996.0, 1.19995.0 and 19995 more");
  EXPECT_TRUE(bindings.diagnostics()[0].fix().ends_with("accept a.b/lib 1.19999.0"));
  expect_short(bindings.diagnostics());
}

TEST(HostilePackages, RequireThousandsOfPackages) {
  std::vector<Package> all;
  all.push_back(package(requiring("a.b/asks", filled([](std::size_t i) {
                                    return "\"a.b/" + std::to_string(i) + R"(":"1")";
                                  }))));
  for (std::size_t i = 0; i < all[0].dependencies.size(); ++i) {
    all.push_back(plain(numbered("a.b/", i), "1.0.0"));
  }
  const detail::Bindings bindings({.found = all});
  EXPECT_TRUE(bindings.diagnostics().empty());
  EXPECT_EQ(bindings.resolution().packages.size(), all.size());
}

TEST(HostilePackages, HaveTheLongestRequirements) {
  const std::string spec = with_holes();
  const Package asks = package(requiring("a.b/asks", filled([&](std::size_t i) {
                                           return "\"" + numbered("a.b/", i) + "\":\"" + spec + '"';
                                         })));
  EXPECT_GT(asks.dependencies.size(), 900u);
  std::vector<Package> all{asks};
  for (std::size_t i = 0; i < asks.dependencies.size(); ++i) {
    all.push_back(plain(numbered("a.b/", i), i == 500 ? "0.0.1" : "0.0.2"));
  }
  const detail::Bindings bindings({.found = std::move(all)});
  ASSERT_EQ(bindings.diagnostics().size(), 1u);
  EXPECT_EQ(bindings.diagnostics()[0].code(), "no-matching-version");
  EXPECT_NE(bindings.diagnostics()[0].found().find("a.b/500 0.0.1"), std::string_view::npos);
  expect_short(bindings.diagnostics());
}

TEST(HostilePackages, RequireThousandsOfUnusableVersions) {
  const Requirement any = Requirement::parse("*").value();
  std::vector<Package> found;
  // All requirers have chosen a version of x when the last package of the cycle fails.
  found.push_back(plain("a.b/a", "1.0.0"));
  found.back().dependencies = {{"a.b/aaa", any}, {"a.b/all", any}};
  found.push_back(plain("a.b/all", "1.0.0"));
  for (std::size_t i = 0; i < 1'000; ++i) {
    const std::string name = numbered("a.b/asks", i);
    found[1].dependencies.push_back({name, any});
    found.push_back(plain(name, "1.0.0"));
    found.back().dependencies = {{"a.b/x", any}};
  }
  for (std::size_t i = 0; i < 10'000; ++i) {
    found.push_back(plain("a.b/x", numbered("1.0.", i)));
    found.back().dependencies = {{"a.b/a", any}};
  }
  found.push_back(plain("a.b/aaa", "1.0.0"));
  found.back().dependencies = {{"a.b/missing", any}};
  const detail::Bindings bindings({.found = found});
  EXPECT_EQ(bindings.diagnostics().size(), found.size());
  expect_short(bindings.diagnostics());
}

TEST(HostilePackages, RequireEachOther) {
  constexpr std::size_t count = 150;
  std::vector<Package> all;
  for (std::size_t one = 0; one < count; ++one) {
    all.push_back(package(requiring(
        numbered("a.b/", one),
        filled(
            [&](std::size_t other) { return "\"" + numbered("a.b/", other) + R"(":">=1,!=1.5")"; },
            count))));
  }
  EXPECT_TRUE(detail::Bindings({.found = all}).diagnostics().empty());
  // One package with a missing requirement makes all others unusable.
  all[0].dependencies.push_back(
      {.name = "a.b/missing", .versions = Requirement::parse("*").value()});
  const detail::Bindings bindings({.found = std::move(all)});
  ASSERT_EQ(bindings.diagnostics().size(), count);
  for (const Error& flaw : bindings.diagnostics()) EXPECT_EQ(flaw.code(), "missing-package");
  expect_short(bindings.diagnostics());
}

TEST(HostilePackages, FormALongChain) {
  constexpr std::size_t count = 20000;
  std::vector<Package> all;
  for (std::size_t i = 0; i < count; ++i) {
    Package one = plain(numbered("a.b/", i), "1.0.0");
    const std::string next = i + 1 == count ? "a.b/0" : numbered("a.b/", i + 1);
    one.dependencies.push_back({.name = next, .versions = Requirement::parse("1").value()});
    all.push_back(std::move(one));
  }
  EXPECT_TRUE(detail::Bindings({.found = std::move(all)}).diagnostics().empty());
}

TEST(HostilePackages, ProvideThousandsOfPlugins) {
  const auto text = [](std::size_t plugins, std::size_t of_each) {
    std::string all = R"({"manifest":1,"name":"a.b/c","provides":[)";
    for (std::size_t i = 0; i < plugins; ++i) {
      all += std::string(i == 0 ? "" : ",") +
             R"({"kind":"a.b/k","version":1,"spec":"0123456789abcdef","name":"a.b/)" +
             std::to_string(i) + R"("})";
    }
    all += R"(],"details":[{"properties":{)";
    for (std::size_t i = 0; i < of_each; ++i) {
      all += std::string(i == 0 ? "" : ",") + "\"" + numbered("a.b/", i) + "\":{}";
    }
    return all + "}}]}";
  };
  const auto most = parse_manifest(text(max_plugins, max_plugins), path);
  ASSERT_TRUE(most) << most.error().to_string();
  EXPECT_EQ(most->provides.size(), max_plugins);
  const auto more = parse_manifest(text(max_plugins + 1, 0), path);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code(), "broken-manifest");
  EXPECT_EQ(more.error().found(), "4097 plugins  (manifest: provides)");
  const auto unknown = parse_manifest(text(max_plugins, 40000), path);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(
      unknown.error().found(),
      "properties of a plugin that is not provided  (manifest: details[0].properties[\"a.b/4096\"])");
}

TEST(HostilePackages, HaveLongVersions) {
  const auto with = [](std::size_t size) {
    std::string version = "1.0.0-";
    return parse_manifest(R"({"manifest":1,"name":"a.b/c","version":")" +
                              version.append(size - version.size(), 'a') +
                              R"(","provides":[{"kind":"a.b/k","version":1,)" +
                              R"("spec":"0123456789abcdef","name":"a.b/c"}]})",
                          path);
  };
  EXPECT_TRUE(with(max_version_length));
  for (const std::size_t size : {max_version_length + 1, largest_text - 200}) {
    const auto read = with(size);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().found(), std::to_string(size) + " characters  (manifest: version)");
    expect_short({read.error()});
  }
}

TEST(HostilePackages, HaveDeeplyNestedDetails) {
  std::string deep = R"("a":)";
  for (int i = 0; i < 100000; ++i) deep += R"({"a":)";
  const auto read = parse_manifest(manifest("a.b/c", deep), path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), "broken-manifest");
  EXPECT_NE(read.error().found().find("more than 64 levels"), std::string_view::npos)
      << read.error().found();
}

}}  // namespace tenon::tests
