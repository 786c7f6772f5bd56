// SPDX-License-Identifier: BSL-1.0
#include "catalog/reference.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/plugin_names.hpp"

namespace tenon::tests { namespace {

using detail::Match;
using detail::Reference;
using detail::Version;
using Origin = Reference::Origin;

TEST(Reference, ParsesEachForm) {
  struct {
    const char* text;
    Origin origin;
    const char* name;
    const char* version;
  } const forms[] = {
      {"blur", Origin::any, "photo.example/blur", nullptr},
      {"me.example/blur", Origin::any, "me.example/blur", nullptr},
      {"builtin:blur", Origin::builtin, "photo.example/blur", nullptr},
      {"standalone:me.example/blur", Origin::standalone, "me.example/blur", nullptr},
      {"me.example/blur@1.2.0", Origin::any, "me.example/blur", "1.2.0"},
      {"builtin:me.example/blur@2.0.0-rc.1", Origin::builtin, "me.example/blur", "2.0.0-rc.1"},
  };
  for (const auto& form : forms) {
    SCOPED_TRACE(form.text);
    const auto read = Reference::parse(form.text, "photo.example");
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(read->origin, form.origin);
    EXPECT_EQ(read->name, form.name);
    EXPECT_EQ(read->version ? read->version->to_string() : "none",
              form.version != nullptr ? form.version : "none");
  }
}

TEST(Reference, ParsesRequirements) {
  for (const char* text : {"1", "1.2", "^1.2", ">=1.2,<3", "*", "~1.2.3", "=1.2.3"}) {
    const auto read = Reference::parse(std::string("me.example/blur@") + text, "photo.example");
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_FALSE(read->version);
    ASSERT_TRUE(read->requirement);
    EXPECT_EQ(read->requirement->to_string(), text);
  }
}

TEST(Reference, IgnoresSpacesAroundAVersion) {
  for (const char* text : {"blur@1.2.0", "blur@ 1.2.0", "blur@1.2.0 \t"}) {
    const auto read = Reference::parse(text, "photo.example");
    ASSERT_TRUE(read) << text << ": " << read.error().to_string();
    EXPECT_FALSE(read->requirement) << text;
    EXPECT_EQ(read->version.value().to_string(), "1.2.0") << text;
  }
}

TEST(Reference, AcceptsTheSameNamesAsManifests) {
  for (const auto& [name, good] : plugin_names()) {
    for (const std::string prefix : {"", "builtin:", "standalone:"}) {
      SCOPED_TRACE(prefix + name);
      const auto read = Reference::parse(prefix + name + "@*", "photo.example");
      ASSERT_EQ(read.has_value(), good) << (read ? "" : read.error().to_string());
      if (good) {
        EXPECT_EQ(read->name, name);
        EXPECT_TRUE(read->requirement);
      } else {
        EXPECT_EQ(read.error().code(), "bad-reference");
      }
    }
  }
}

TEST(Reference, AddsTheDefaultDomain) {
  const auto name = [](const char* text) {
    return Reference::parse(text, "photo.example").value().name;
  };
  EXPECT_EQ(name("blur"), "photo.example/blur");
  EXPECT_EQ(name("a.b"), "photo.example/a.b");
  EXPECT_EQ(name("Blur_2"), "photo.example/Blur_2");
  EXPECT_EQ(name("me.example/blur"), "me.example/blur");
  const Reference without = Reference::parse("blur@1.0.0", std::nullopt).value();
  EXPECT_EQ(without.name, "blur");
  EXPECT_FALSE(without.has_domain());
}

TEST(Reference, FallsBackFromAMissingVersion) {
  const auto match = [](const char* text, const char* version) {
    const auto reference = Reference::parse(std::string("me.example/blur") + text, "");
    return reference->match(Version::parse(version).value());
  };
  EXPECT_EQ(match("@1.2.3", "1.2.3"), Match::exact);
  EXPECT_EQ(match("@1.2.3", "1.2.9"), Match::same_minor);
  EXPECT_EQ(match("@1.2.3", "1.2.0"), Match::same_minor);
  EXPECT_EQ(match("@1.2.3", "1.9.0"), Match::same_major);
  EXPECT_EQ(match("@1.2.3", "2.2.3"), std::nullopt);
  EXPECT_EQ(match("@1.2.3", "1.2.4-rc.1"), std::nullopt);
  EXPECT_EQ(match("@1.2.4-rc.1", "1.2.4-rc.1"), Match::exact);
  EXPECT_EQ(match("@1.2.4-rc.1", "1.2.4"), Match::same_minor);
  EXPECT_EQ(match("@^1.2", "1.9.0"), Match::exact);
  EXPECT_EQ(match("@^1.2", "2.0.0"), std::nullopt);
  EXPECT_EQ(match("", "9.0.0"), Match::exact);
}

TEST(Reference, RefusesOtherForms) {
  for (const char* text :
       {"", "/", "a b", "me.example/", "me.example/blur@", "me.example/blur@^",
        "me.example/blur@v1.0.0", "any:blur", ":blur", "latest:blur", "me.example/blur@latest",
        "Me.Example/blur", "a/b/c", "blur@ ", "blur @1", "a@b@1.0.0", "builtin:a:b", "a/b:c"}) {
    SCOPED_TRACE(text);
    const auto read = Reference::parse(text, "photo.example");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), "bad-reference");
    EXPECT_NE(read.error().needed().find("[builtin:|standalone:]name[@version]"),
              std::string_view::npos);
  }
}

TEST(Reference, ReportsErrors) {
  const auto found = [](const char* text) {
    return std::string(Reference::parse(text, "photo.example").error().found());
  };
  EXPECT_EQ(found("latest:blur"), "the prefix \"latest\", which is neither builtin nor standalone");
  EXPECT_EQ(found("me.example/blur@"), "nothing after the '@'");
  EXPECT_EQ(found("me.example/blur@^1,v2.0.0"),
            "the version \"^1,v2.0.0\", in which \"v2.0.0\" at character 4: major, minor and patch "
            "are not all numbers");
  EXPECT_EQ(found("me.example/"), "a name that has nothing after the '/'");
  for (const char* text : {"", "@1.0.0", "builtin:"}) EXPECT_EQ(found(text), "no name") << text;
}

TEST(Reference, SuggestsToOmitTheLetterBeforeAVersion) {
  const auto fix = [](const std::string& version) {
    return std::string(Reference::parse("blur@" + version, "photo.example").error().fix());
  };
  for (const char* version :
       {"v1.2.3", "v10.12.3", "v10", "^v10.12.3", ">=v1.2,<2", "v0.1.0-rc.1"}) {
    EXPECT_EQ(fix(version), "leave out the \"v\"") << version;
  }
  EXPECT_EQ(fix("latest"), "write the requirement in this form");
}

}}  // namespace tenon::tests
