// SPDX-License-Identifier: BSL-1.0
//
// The module of the builtin plugins: its manifest and its specifiers.
#include <tenon/builtins.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

#include "builtin/specifiers.hpp"

namespace tenon::builtin { namespace {

TEST(BuiltinsModule, HasASpecifierForEachPipelinePlugin) {
  const boost::json::value manifest = boost::json::parse(builtins()->manifest);
  std::set<std::string> plugins;
  std::set<std::string> specified;
  std::size_t count = 0;
  for (const boost::json::value& entry : manifest.at("provides").as_array()) {
    if (entry.is_null()) continue;
    const std::string name(entry.at("name").get_string());
    const std::string kind(entry.at("kind").get_string());
    if (kind == "tenon.dev/source" || kind == "tenon.dev/processor" ||
        kind == "tenon.dev/destination") {
      plugins.insert(name);
    }
    if (kind == "tenon.dev/specifier") specified.insert(name);
    ++count;
  }
  EXPECT_EQ(plugins, specified);
  EXPECT_EQ(plugins.size(), 8u);
  EXPECT_EQ(builtins()->registrations.count, count);
}

TEST(BuiltinsModule, SpecifiesTheParametersOfEachPlugin) {
  EXPECT_EQ(GeneratorSpecifier().specify().source_parameters.size(), 3u);
  EXPECT_EQ(FileSpecifier().specify().source_parameters.count("path"), 1u);
  const Specification sqlite = SqliteSpecifier().specify();
  EXPECT_EQ(sqlite.name, "tenon.dev/sqlite");
  EXPECT_EQ(sqlite.destination_parameters.at("key").default_value, "key");
  EXPECT_EQ(FieldSpecifier().specify().processor_parameters.count("rename.*"), 1u);
  const ParameterV2 level = LogSpecifier().specify().destination_parameters.at("level");
  ASSERT_EQ(level.validations.size(), 1u);
  EXPECT_EQ(boost::json::parse(level.validations[0].value).as_array().size(), 5u);
}

}}  // namespace tenon::builtin
