// SPDX-License-Identifier: BSL-1.0
//
// The example in C++: a backup item action of version 1, which the host adapts to version 2.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "integration/backup/example.hpp"

namespace tenon::tests { namespace {

constexpr const char* package = "example.io/redact";

class Redact : public Example {
 protected:
  Redact() { host_module(REDACT, "redact.so"); }

  /// Returns the item in the backup, or "unchanged" if it equals the original.
  std::string redacted(std::string_view item, const TextMap& config = {}) {
    auto action = create<BackupItemAction>(package, config);
    const auto done = action->execute(item, BackupV2()).value();
    EXPECT_TRUE(done.additional_items.empty());
    return done.item ? done.item->text : "unchanged";
  }
};

TEST_F(Redact, RemovesFieldsThatTheClusterWrites) {
  EXPECT_EQ(redacted(R"({"kind":"Pod","status":{"phase":"Running"},"metadata":{"name":"a",)"
                     R"("managedFields":[{"manager":"kubectl"}],"labels":{"status":"x"}},)"
                     R"("spec":{"status":1},"z":true})"),
            R"({"kind":"Pod","metadata":{"name":"a","labels":{"status":"x"}},)"
            R"("spec":{"status":1},"z":true})");
  EXPECT_EQ(redacted(R"({"status":1})"), "{}");
  EXPECT_EQ(redacted(R"({"metadata":{"managedFields":[]}})"), R"({"metadata":{}})");
  EXPECT_EQ(redacted(R"({"metadata":{"name":"a"},"managedFields":1})"), "unchanged");
}

TEST_F(Redact, KeepsTheTextOfEverythingElse) {
  const std::string numbers =
      R"([12345678901234567890123, 449.49106478873813, 1.0, -0, 1e400, "\u00e9\"}", {"a" : [ ]}])";
  EXPECT_EQ(redacted("{ \"spec\" : " + numbers + " ,\n \"sta\\u0074us\" : {} , \"n\":1E+2\n}"),
            "{\"spec\":" + numbers + ",\"n\":1E+2}");
  EXPECT_EQ(redacted(R"({"kind":"Secret","metadata":{"n":1.0},"data":{"}":"a\"b", "c" : 1}})"),
            R"({"kind":"Secret","metadata":{"n":1.0},"data":{"}":"","c":""}})");
  EXPECT_EQ(redacted("{}"), "unchanged");
}

constexpr std::string_view secret =
    R"({"kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":)"
    R"("{\"data\":1}","b":"2"}},"data":{"key":"c2VjcmV0","other":"eA=="},"stringData":{"k":"s"}})";

TEST_F(Redact, EmptiesTheValuesOfSecrets) {
  EXPECT_EQ(redacted(secret),
            R"({"kind":"Secret","metadata":{"annotations":{"b":"2"}},"data":{"key":"","other":""},)"
            R"("stringData":{"k":""}})");
  EXPECT_EQ(redacted(secret, {{"secrets", "keep"}}), "unchanged");
  EXPECT_EQ(redacted(R"({"kind":"Secret","data":{}})"), "unchanged");
  EXPECT_EQ(redacted(R"({"kind":"ConfigMap","data":{"key":"value"}})"), "unchanged");
}

TEST_F(Redact, RefusesAWrongConfiguration) {
  const auto action = host_->create<BackupItemAction>(package, {{"secrets", "hide"}});
  EXPECT_NE(failure(action, TENON_INVALID_ARGUMENT)
                .find("parameter \"secrets\" is \"hide\", expected redact or keep"),
            std::string::npos);
}

TEST_F(Redact, RefusesItemsThatAreNotObjects) {
  pass_wrong_requests();
  auto action = create<BackupItemAction>(package);
  for (const char* item : {"", "[]", "7", "{", "{}x"}) {
    EXPECT_NE(failure(action->execute(item, BackupV2()), TENON_INVALID_ARGUMENT)
                  .find("the item is not a JSON object"),
              std::string::npos)
        << item;
  }
}

TEST_F(Redact, AcceptsDeeplyNestedItems) {
  EXPECT_EQ(redacted("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}"), "unchanged");
}

TEST_F(Redact, IsAdaptedToVersion2) {
  EXPECT_EQ(host_->find<BackupItemAction>(package).value().version(), 1);
  auto action = create<BackupItemAction>(package);
  EXPECT_EQ(action->name().value(), package);
  EXPECT_EQ(action->applies_to().value(), SelectorV1());
  const auto done = action->execute("{}", BackupV2()).value();
  EXPECT_EQ(done.operation_id, "");
  EXPECT_TRUE(done.post_operation_items.empty());
  EXPECT_NE(failure(action->progress("1", BackupV2()), TENON_UNIMPLEMENTED)
                .find("a backup item action of version 1 has no asynchronous operations"),
            std::string::npos);
  EXPECT_TRUE(action->cancel("1", BackupV2()));
}

TEST_F(Redact, Reloads) {
  expect_reloads<BackupItemAction>(package, {{"secrets", "keep"}}, "redact", [](auto& action) {
    EXPECT_EQ(action->execute(R"({"status":1})", BackupV2()).value().item->text, "{}");
    EXPECT_EQ(action->execute(secret, BackupV2()).value().item, std::nullopt);
  });
}

}}  // namespace tenon::tests
