// SPDX-License-Identifier: BSL-1.0
//
// Parameters that are declared once, to read configs and to specify them.
#include <tenon/sdk/parameters.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "unit/builtins/plugins.hpp"

namespace tenon::builtin { namespace {

using namespace std::chrono_literals;
using Rule = ParameterV2::Rule;
using Type = ParameterV2::Type;

enum class Color { red, blue, gray };
constexpr sdk::Word<Color> colors[] = {
    {"red", Color::red}, {"blue", Color::blue}, {"gray", Color::gray}};

struct Settings {
  std::string path;
  std::string file;
  std::int16_t count = 7;
  std::size_t size = 0;
  double rate = 0;
  bool deep = false;
  Duration delay{};
  Color color = Color::gray;
};

constexpr auto settings = sdk::parameters(
    sdk::parameter(&Settings::path, "path", "of the directory").required(),
    sdk::parameter(&Settings::file, "file", "with names").file(),
    sdk::parameter(&Settings::count, "count", "of records").greater_than("-1").less_than("1000"),
    sdk::parameter(&Settings::size, "size", "of a record").otherwise("100").greater_than("10"),
    sdk::parameter(&Settings::rate, "rate", "a second").less_than("0.5"),
    sdk::parameter(&Settings::deep, "deep", "with directories in it").otherwise("yes"),
    sdk::parameter(&Settings::delay, "delay", "before each").otherwise("1s").greater_than("10ms"),
    sdk::parameter(&Settings::color, "color", "of all").one_of(colors));

Settings read(const TextMap& config) {
  Call call;
  const tenon_map raw = Value<TextMap>::raw<Copy::deep>(call.raw(), config);
  return settings.read(sdk::Config(MapView<std::string>(raw)));
}

TEST(ParametersTest, AreReadIntoAStruct) {
  const Settings all = read({{"path", " /tmp "},
                             {"file", "/etc/names"},
                             {"count", "0"},
                             {"size", "11"},
                             {"rate", "0.25"},
                             {"deep", "off"},
                             {"delay", "1m"},
                             {"color", "blue"}});
  EXPECT_EQ(all.path, "/tmp");
  EXPECT_EQ(all.file, "/etc/names");
  EXPECT_EQ(all.count, 0);
  EXPECT_EQ(all.size, 11u);
  EXPECT_EQ(all.rate, 0.25);
  EXPECT_FALSE(all.deep);
  EXPECT_EQ(all.delay, 1min);
  EXPECT_EQ(all.color, Color::blue);
}

TEST(ParametersTest, HaveDefaultsIfAbsentOrBlank) {
  const Settings all = read({{"path", "/"}, {"size", ""}, {"count", "  "}});
  EXPECT_EQ(all.file, "");
  EXPECT_EQ(all.count, 7);
  EXPECT_EQ(all.size, 100u);
  EXPECT_TRUE(all.deep);
  EXPECT_EQ(all.delay, 1s);
  EXPECT_EQ(all.color, Color::gray);
}

TEST(ParametersTest, ReportAllInvalidValues) {
  EXPECT_EQ(failure_of([] {
              read({{"count", "-1"},
                    {"size", "10"},
                    {"rate", "0.5"},
                    {"deep", "maybe"},
                    {"delay", "10ms"},
                    {"color", "green"}});
            }),
            "parameter \"path\" is required; "
            "parameter \"count\" is \"-1\", expected more than -1 and less than 1000; "
            "parameter \"size\" is \"10\", expected more than 10; "
            "parameter \"rate\" is \"0.5\", expected less than 0.5; "
            "parameter \"deep\" is \"maybe\", expected " +
                sdk::Parameter<bool>::expected() +
                "; parameter \"delay\" is \"10ms\", expected more than 10ms; "
                "parameter \"color\" is \"green\", expected red, blue or gray");
}

TEST(ParametersTest, RefuseNaNIfThereIsABound) {
  EXPECT_EQ(failure_of([] {
              read({{"path", "/"}, {"rate", "nan"}});
            }),
            "parameter \"rate\" is \"nan\", expected less than 0.5");
}

TEST(ParametersTest, HideSensitiveValuesInMessages) {
  struct Secret {
    int pin = 0;
  };
  constexpr auto secret =
      sdk::parameters(sdk::parameter(&Secret::pin, "pin", "of the card").sensitive());
  EXPECT_TRUE(secret.specification().at("pin").sensitive);
  Call call;
  const TextMap config = {{"pin", "12x4"}};
  const tenon_map raw = Value<TextMap>::raw<Copy::deep>(call.raw(), config);
  EXPECT_EQ(failure_of([&] { secret.read(sdk::Config(MapView<std::string>(raw))); }),
            "parameter \"pin\" is (hidden), expected " + sdk::Parameter<int>::expected());
}

TEST(ParametersTest, HaveSpecifications) {
  const auto told = settings.specification();
  EXPECT_EQ(told.size(), 8u);
  EXPECT_EQ(told.at("path"),
            (ParameterV2{"", "of the directory", Type::String, {{Rule::Required}}}));
  EXPECT_EQ(told.at("file"), (ParameterV2{"", "with names", Type::File, {}}));
  EXPECT_EQ(
      told.at("count"),
      (ParameterV2{
          "", "of records", Type::Int, {{Rule::GreaterThan, "-1"}, {Rule::LessThan, "1000"}}}));
  EXPECT_EQ(told.at("size"),
            (ParameterV2{"100", "of a record", Type::Int, {{Rule::GreaterThan, "10"}}}));
  EXPECT_EQ(told.at("rate"), (ParameterV2{"", "a second", Type::Float, {{Rule::LessThan, "0.5"}}}));
  EXPECT_EQ(told.at("deep"), (ParameterV2{"yes", "with directories in it", Type::Bool, {}}));
  EXPECT_EQ(told.at("delay"),
            (ParameterV2{"1s", "before each", Type::Duration, {{Rule::GreaterThan, "10ms"}}}));
  EXPECT_EQ(
      told.at("color"),
      (ParameterV2{"", "of all", Type::String, {{Rule::Inclusion, R"(["red", "blue", "gray"])"}}}));
}

}}  // namespace tenon::builtin
