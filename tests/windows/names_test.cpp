// SPDX-License-Identifier: BSL-1.0
//
// Names of files that Windows does not allow, or takes for those of others.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "builtin/windows_names.hpp"
#include "unit/object_stores.hpp"

namespace tenon::tests { namespace {

using builtin::windows_name_problem;

TEST(WindowsNames, AreRefusedIfTheyNameSomethingElse) {
  const std::pair<std::string, std::string> rows[] = {
      {"a:b", "has the character ':'"},     {"a\\b", "has the character '\\'"},
      {"*", "has the character '*'"},       {"a?", "has the character '?'"},
      {"\"", "has the character '\"'"},     {"<", "has the character '<'"},
      {">", "has the character '>'"},       {"a|b", "has the character '|'"},
      {"a\x1f", "has a control character"}, {"a.", "ends with a dot"},
      {"a ", "ends with a blank"},          {"nul", "names a device"},
      {"NUL.json", "names a device"},       {"Con.a.b", "names a device"},
      {"aux .txt", "names a device"},       {"prn", "names a device"},
      {"com0", "names a device"},           {"COM9.x", "names a device"},
      {"lpt1", "names a device"},           {"lpt\xc2\xb2.x", "names a device"},
      {"conout$", "names a device"},        {"CONIN$", "names a device"}};
  for (const auto& [name, problem] : rows) EXPECT_EQ(windows_name_problem(name), problem) << name;
  for (const char* name :
       {"a", "null", "com", "com10", "con1", "xnul", "a.nul", "lpt", "coma", ".a", "a b", "a.b",
        "\xc3\xa9", "\xf0\x9f\x98\x80", "a'b", "{}", "~1", "$"}) {
    EXPECT_EQ(windows_name_problem(name), "") << name;
  }
}

using WindowsStore = ObjectStores;

TEST_F(WindowsStore, RefusesNamesOfDevices) {
  for (const std::string key : {"nul", "a/con.json", "a/b:c", "..\\x", "a./b", "a*"}) {
    const auto refused = put(key);
    EXPECT_EQ(code_of(refused), "invalid-argument") << key;
    EXPECT_NE(refused.error().message().find("has a part \""), std::string::npos)
        << refused.error().message();
    EXPECT_EQ(get(key), "error invalid-argument") << key;
  }
  EXPECT_EQ(list(), Keys{});
}

TEST_F(WindowsStore, DistinguishesUpperAndLowerCase) {
  ASSERT_TRUE(put("Dir/Key", "first"));
  for (const char* key : {"Dir/key", "dir/Key"}) {
    const auto refused = put(key, "second");
    EXPECT_EQ(code_of(refused), "failed-precondition") << key;
    EXPECT_NE(refused.error().message().find("is the same name for Windows"), std::string::npos)
        << refused.error().message();
    EXPECT_EQ(get(key), "error not-found") << key;
    EXPECT_EQ(code_of(store().object_info("b", key)), "not-found") << key;
    EXPECT_EQ(code_of(store().delete_object("b", key)), "ok") << key;
  }
  EXPECT_EQ(get("Dir/Key"), "first");
  EXPECT_EQ(list(), Keys{"Dir/Key"});
  EXPECT_EQ(partial_files(), 0u);
}

}}  // namespace tenon::tests
