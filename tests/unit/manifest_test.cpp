// SPDX-License-Identifier: BSL-1.0
#include "manifest/manifest.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "unit/plugin_names.hpp"

namespace tenon::detail { namespace {

constexpr const char* path = "/plugins/blur.so";

// Returns the text that the macros write for one plugin, with these details.
std::string manifest_with(const std::string& details) {
  return R"({"manifest":1,"abi":"1.0","name":"me.example/blur","version":"1.2.0",)"
         R"("provides":[{"kind":"photo.example/filter","version":1,)"
         R"("spec":"0123456789abcdef","name":"me.example/blur"},null],"details":[)" +
         details + "null]}";
}

// Returns the same text with one part replaced.
std::string manifest_but(const std::string& part, const std::string& replacement) {
  auto text = manifest_with("");
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), replacement);
}

void expect_broken(const std::string& text, const std::string& found) {
  SCOPED_TRACE(text.substr(0, 400));
  const auto read = parse_manifest(text, path);
  ASSERT_FALSE(read) << "expected " << found;
  EXPECT_EQ(read.error().code(), "broken-manifest");
  EXPECT_EQ(read.error().where(), path);
  EXPECT_EQ(read.error().found(), found);
  EXPECT_FALSE(read.error().needed().empty());
  EXPECT_FALSE(read.error().fix().empty());
}

TEST(Manifest, ReadsTheOutputOfTheMacros) {
  const auto read = parse_manifest(manifest_with(""), path);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->name, "me.example/blur");
  EXPECT_EQ(read->version.to_string(), "1.2.0");
  EXPECT_EQ(read->abi, AbiVersion{});
  ASSERT_EQ(read->provides.size(), 1U);
  EXPECT_EQ(read->provides[0].kind, "photo.example/filter");
  EXPECT_EQ(read->provides[0].version, 1);
  EXPECT_EQ(read->provides[0].fingerprint, 0x0123456789abcdefU);
  EXPECT_EQ(read->provides[0].name, "me.example/blur");
  EXPECT_EQ(details_of(*read), "");
  EXPECT_FALSE(read->state);
  EXPECT_FALSE(read->unload.joins_threads);
}

TEST(Manifest, ReadsAllFields) {
  const auto read = parse_manifest(manifest_with(R"({
      "summary": "Gaussian blur", "description": "Two\nlines", "author": "Me",
      "license": "MIT", "homepage": "https://me.example",
      "requires": {"example.io/colour": "^1.4", "example.io/any": null},
      "properties": {"me.example/blur": {"menu": "Filter\/Blur", "range": {"least": 1}}},
      "state": {"type": "me.example/progress", "writes": 2, "reads": [1, 2], "since": 2027},
      "threads": "joined", "handled": ["glog"], "colour": {"of": ["the", "author"]}},)"),
                                   path);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->summary, "Gaussian blur");
  EXPECT_EQ(read->description, "Two\nlines");
  EXPECT_EQ(read->author, "Me");
  EXPECT_EQ(read->license, "MIT");
  EXPECT_EQ(read->homepage, "https://me.example");
  ASSERT_EQ(read->requirements.size(), 2u);
  EXPECT_EQ(read->requirements[0].name, "example.io/any");
  EXPECT_EQ(read->requirements[0].versions, *Requirement::parse("<1.0.0"));
  EXPECT_EQ(read->requirements[1].name, "example.io/colour");
  EXPECT_EQ(read->requirements[1].versions.to_string(), "^1.4");
  EXPECT_EQ(read->properties.at("me.example/blur").at("menu"), "Filter/Blur");
  EXPECT_EQ(read->properties.at("me.example/blur").at("range"), R"({"least":1})");
  ASSERT_TRUE(read->state);
  EXPECT_EQ(read->state->type, "me.example/progress");
  EXPECT_EQ(read->state->writes, 2);
  EXPECT_EQ(read->state->reads, (std::vector<std::int32_t>{1, 2}));
  EXPECT_TRUE(read->unload.joins_threads);
  EXPECT_EQ(read->unload.handled, std::vector<std::string>{"glog"});
  EXPECT_NE(details_of(*read).find(R"("colour":{"of":["the","author"]})"), std::string::npos);
}

TEST(Manifest, DefaultsTheVersionToZero) {
  EXPECT_EQ(parse_manifest(manifest_but(R"("version":"1.2.0",)", ""), path)->version, Version());
  EXPECT_EQ(parse_manifest(manifest_but(R"("1.2.0")", "null"), path)->version, Version());
}

TEST(Manifest, AcceptsAllSpellingsOfAbi1) {
  for (const char* text : {R"("1")", R"("1.0")", R"("1.0.0")", R"("native/1")", R"("native/1.0")",
                           R"("native/1.0.0")", "null"}) {
    const auto read = parse_manifest(manifest_but(R"("1.0")", text), path);
    ASSERT_TRUE(read) << text << ": " << read.error().to_string();
    EXPECT_EQ(read->abi, AbiVersion{}) << text;
  }
  EXPECT_TRUE(parse_manifest(manifest_but(R"("abi":"1.0",)", ""), path));
}

TEST(Manifest, ReadsSupportedAbiVersions) {
  for (const char* text : {R"("1.1")", R"("1.1.0")", R"("native/1.1")"}) {
    const auto read = parse_manifest(manifest_but(R"("1.0")", text), path);
    ASSERT_TRUE(read) << text << ": " << read.error().to_string();
    EXPECT_EQ(read->abi, (AbiVersion{1, 1})) << text;
  }
}

TEST(Manifest, RefusesInvalidAbiVersions) {
  for (const char* text :
       {R"("")", R"("0")", R"("0.9")", R"("v1")", R"("1.")", R"(".1")", R"("1.0.1")",
        R"("1.0.0.0")", R"("01")", R"("1.00")", R"("1 ")", R"("/1")", R"("native/")",
        R"("wa sm/1")", R"("native/1/2")", R"("99999.0")", R"("-1")"}) {
    expect_broken(manifest_but(R"("1.0")", text), std::string(text) + "  (manifest: abi)");
  }
  expect_broken(manifest_but(R"("1.0")", "1"), "number 1  (manifest: abi)");
}

TEST(Manifest, RefusesAnotherAbiTypeFirst) {
  for (const char* text :
       {R"({"manifest":1,"abi":"wasm/1","other":{}})", R"({"manifest":2,"abi":"wasm/99"})",
        R"({"manifest":1,"abi":"wasm/of/the future"})"}) {
    const auto read = parse_manifest(text, path);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code(), "abi-unknown") << text;
    EXPECT_EQ(read.error().where(), path);
    EXPECT_EQ(read.error().found(), "a module for the ABI \"wasm\"  (manifest: abi)");
  }
}

TEST(Manifest, RefusesANewerAbiFirst) {
  for (const char* text : {R"({"manifest":1,"abi":"1.2","other":{}})",
                           R"({"manifest":1,"abi":"native/2"})", R"({"manifest":2,"abi":"2.0"})"}) {
    const auto read = parse_manifest(text, path);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code(), "abi-too-new") << text;
    EXPECT_EQ(read.error().where(), path);
    EXPECT_NE(read.error().needed().find(host_abi.to_string()), std::string::npos);
  }
}

TEST(Manifest, RefusesAnotherVersionFirst) {
  for (const char* text : {R"({"manifest":2})", R"({"manifest":2,"abi":"1.0","provides":7})"}) {
    const auto read = parse_manifest(text, path);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code(), "version-too-new") << text;
    EXPECT_EQ(read.error().where(), path);
    EXPECT_EQ(read.error().found(), "a manifest of version 2  (manifest: manifest)");
    EXPECT_EQ(read.error().needed(), "version 1");
    EXPECT_FALSE(read.error().fix().empty());
  }
  expect_broken(R"({"manifest":0})", "number 0  (manifest: manifest)");
}

TEST(Manifest, ReportsThePositionOfASyntaxError) {
  expect_broken("", "incomplete JSON  (manifest: 1:1)");
  expect_broken("{", "incomplete JSON  (manifest: 1:2)");
  expect_broken("{} x", "extra data  (manifest: 1:4)");
  expect_broken("[]", "array  (manifest: the document)");
  expect_broken("\"\xff\"", "unexpected byte 0xff  (manifest: 1:2)");
}

TEST(Manifest, ReportsErrorsByPath) {
  expect_broken(manifest_but(R"("manifest":1,)", ""), "nothing  (manifest: manifest)");
  expect_broken(manifest_but(R"("manifest":1)", R"("manifest":1.0)"),
                "number 1.0  (manifest: manifest)");
  expect_broken(manifest_but(R"("name":"me.example/blur","version")", R"("version")"),
                "nothing  (manifest: name)");
  expect_broken(manifest_but(R"("1.2.0")", R"("1.2")"),
                "\"1.2\": there are fewer than three numbers  (manifest: version)");
  expect_broken(manifest_but(R"("provides")", R"("plugins")"),
                "not a field of this type  (manifest: plugins)");
  expect_broken(manifest_but(R"("version":1,)", R"("version":0,)"),
                "0  (manifest: provides[0].version)");
  expect_broken(manifest_but(R"("version":1,)", R"("version":2147483648,)"),
                "number 2147483648  (manifest: provides[0].version)");
  expect_broken(manifest_but(R"("version":1,)", R"("version":"1",)"),
                "text \"1\"  (manifest: provides[0].version)");
  expect_broken(manifest_but("0123456789abcdef", "0123456789abcde"),
                "\"0123456789abcde\"  (manifest: provides[0].spec)");
  expect_broken(manifest_but("0123456789abcdef", "0x23456789abcdef"),
                "\"0x23456789abcdef\"  (manifest: provides[0].spec)");
  expect_broken(manifest_but(R"("kind":"photo.example/filter",)", ""),
                "nothing  (manifest: provides[0].kind)");
  expect_broken(manifest_but(R"("spec":)", R"("adapts":true,"spec":)"),
                "not a field of this type  (manifest: provides[0].adapts)");
  expect_broken(manifest_but("null]", "7]"), "number 7  (manifest: provides[1])");
}

TEST(Manifest, RefusesBadNames) {
  expect_broken(manifest_but("photo.example/filter", "filter"),
                "\"filter\", which has no '/' after a domain  (manifest: provides[0].kind)");
  expect_broken(manifest_but("photo.example/filter", "Photo.example/filter"),
                "\"Photo.example/filter\", which has a domain with characters other than "
                "lowercase letters, digits, '-' and '.'  (manifest: provides[0].kind)");
  for (const char* name : {"", "/", "a/", "/a", "a./b", ".a/b", "a..b/c", "-a/b", "a-/b", "a/b/c",
                           "a/b c", "a/\u00fc", "a_b/c", "a/b\x7f"}) {
    const auto read = parse_manifest(manifest_but("me.example/blur", name), path);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code(), "broken-manifest");
  }
  EXPECT_FALSE(parse_manifest(manifest_but("me.example/", std::string(254, 'a') + "/"), path));
  EXPECT_TRUE(parse_manifest(manifest_but("me.example/", std::string(253, 'a') + "/"), path));
}

std::string escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    char code[8];
    std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
    const bool plain = static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\';
    escaped += plain ? std::string(1, c) : std::string(code);
  }
  return escaped;
}

/// In contrast to references, no domain is added to a name without one.
TEST(Manifest, ValidatesNamesOfPlugins) {
  std::vector<tests::PluginName> names = tests::plugin_names();
  names.push_back({"blur", false});
  for (const auto& [name, good] : names) {
    SCOPED_TRACE(name);
    const auto read = parse_manifest(
        manifest_but(R"("name":"me.example/blur"})", R"("name":")" + escaped(name) + "\"}"), path);
    ASSERT_EQ(read.has_value(), good) << (read ? "" : read.error().to_string());
    if (good) {
      EXPECT_EQ(read->provides[0].name, name);
    } else {
      EXPECT_EQ(read.error().code(), "broken-manifest");
      EXPECT_NE(read.error().found().find("provides[0].name"), std::string_view::npos);
    }
  }
}

TEST(Manifest, RefusesDuplicates) {
  expect_broken(
      manifest_but(R"("name":)", R"("manifest":1,"name":)"),
      "the key \"manifest\" is duplicated in the object that ends here  (manifest: 1:212)");
  const std::string entry =
      R"({"kind":"a.b/c","version":1,"spec":"0000000000000001","name":"a.b/d"},)";
  const std::string other =
      R"({"kind":"a.b/c","version":1,"spec":"0000000000000002","name":"a.b/d"},)";
  expect_broken(manifest_but("null]", entry + other + "null]"),
                "\"a.b/d\" twice for version 1 of \"a.b/c\"  (manifest: provides)");
  expect_broken(manifest_with("{},{},"), "a second object  (manifest: details[1])");
}

TEST(Manifest, RefusesAModuleWithoutPlugins) {
  expect_broken(R"({"manifest":1,"name":"a.b/c","provides":[null]})",
                "no plugin  (manifest: provides)");
}

TEST(Manifest, RefusesDetailsOfTheWrongShape) {
  expect_broken(manifest_with("7,"), "number 7  (manifest: details[0])");
  expect_broken(manifest_with(R"({"summary": 7},)"), "number 7  (manifest: details[0].summary)");
  expect_broken(manifest_with(R"({"summary": "\u001b[2J"},)"),
                "\"\\x1b[2J\"  (manifest: details[0].summary)");
  expect_broken(manifest_with(R"({"requires": {"colour": "1"}},)"),
                "a package whose name has no '/' after a domain  "
                "(manifest: details[0].requires.colour)");
  expect_broken(manifest_with(R"({"requires": {"a.b/c": 1}},)"),
                "number 1  (manifest: details[0].requires[\"a.b/c\"])");
  expect_broken(manifest_with(R"({"properties": {"a.b/c": {}}},)"),
                "properties of a plugin that is not provided  "
                "(manifest: details[0].properties[\"a.b/c\"])");
  expect_broken(manifest_with(R"({"properties": {"me.example/blur": {"menu": []}}},)"),
                "array  (manifest: details[0].properties[\"me.example/blur\"].menu)");
  expect_broken(manifest_with(R"({"properties": {"me.example/blur": {"menu": 7}}},)"),
                "number 7  (manifest: details[0].properties[\"me.example/blur\"].menu)");
  expect_broken(manifest_with(R"({"properties": {"me.example/blur": {"menu": "\u001b"}}},)"),
                "\"\\x1b\"  (manifest: details[0].properties[\"me.example/blur\"].menu)");
  expect_broken(manifest_with(R"({"state": {"writes": 1}},)"),
                "nothing  (manifest: details[0].state.reads)");
  expect_broken(manifest_with(R"({"state": {"writes": 1, "reads": [1, "x"]}},)"),
                "text \"x\"  (manifest: details[0].state.reads[1])");
  expect_broken(manifest_with(R"({"state": {"reads": [1]}},)"),
                "nothing  (manifest: details[0].state.writes)");
  expect_broken(manifest_with(R"({"state": {"writes": 0, "reads": []}},)"),
                "number 0  (manifest: details[0].state.writes)");
  expect_broken(manifest_with(R"({"requires": {"a.b/c": "^^1"}},)"),
                "\"^^1\": \"^1\" at character 2: major, minor and patch are not all numbers  "
                "(manifest: details[0].requires[\"a.b/c\"])");
  expect_broken(manifest_with(R"({"handled": [7]},)"),
                "number 7  (manifest: details[0].handled[0])");
  expect_broken(manifest_with(R"({"threads": "some"},)"),
                "\"some\"  (manifest: details[0].threads)");
}

TEST(Manifest, BoundsDepthAndWidth) {
  const auto deep = parse_manifest(manifest_with(R"({"x":)" + std::string(100000, '[')), path);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code(), "broken-manifest");

  std::string wide = "{";
  for (int i = 0; i < 50000; ++i) wide += "\"" + std::to_string(i) + "\":0,";
  const auto twice = parse_manifest(manifest_with(wide + "\"7\":0},"), path);
  ASSERT_FALSE(twice);
  EXPECT_TRUE(twice.error().found().starts_with("the key \"7\" is duplicated"));
}

TEST(Manifest, EscapesHostileTextInErrors) {
  const auto read = parse_manifest(R"({"manifest":1,"\u001b]0;x\u0007\"":0})", path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().found(),
            "not a field of this type  (manifest: [\"\\u001b]0;x\\u0007\\\"\"])");
}

}}  // namespace tenon::detail
