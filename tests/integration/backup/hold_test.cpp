// SPDX-License-Identifier: BSL-1.0
//
// The example in Rust: a delete item action that keeps backups of labelled resources.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "integration/backup/example.hpp"

namespace tenon::tests { namespace {

constexpr const char* package = "example.io/hold";
constexpr std::string_view held =
    R"({"kind":"Pod","metadata":{"namespace":"web","name":"a","labels":{"example.io/hold":""}}})";

class Hold : public Example {
 protected:
  void SetUp() override {
    if (std::string_view(HOLD).empty()) GTEST_SKIP() << "no rustc: the example was not built";
    host_module(HOLD, "hold.so");
  }

  const BackupV2 nightly_ = backup_named("nightly");
};

TEST_F(Hold, KeepsABackupWithALabelledResource) {
  auto hold = create<DeleteItemAction>(package);
  EXPECT_NE(
      failure(hold->execute(held, nightly_), TENON_FAILED_PRECONDITION)
          .find("Pod \"web/a\" has the label example.io/hold, which keeps the backup "
                "\"nightly\"; fix: delete the backup without this plugin when it is no longer "
                "needed"),
      std::string::npos);
  EXPECT_NE(failure(hold->execute(R"( { "metadata" : {"labels": {"a" : [true, -1.5e+3, null, {}],)"
                                  R"( "\u0065xample.io\/hold": "\ud83d\ude00"}, "name":"\t\"n"}} )",
                                  nightly_),
                    TENON_FAILED_PRECONDITION)
                .find(" \"\t\"n\" has the label example.io/hold"),
            std::string::npos);
}

TEST_F(Hold, AllowsDeletionOfOtherBackups) {
  auto hold = create<DeleteItemAction>(package);
  for (const char* item :
       {"{}", R"({"metadata":{}})", R"({"metadata":{"labels":{"example.io/holds":"1"}}})",
        R"({"labels":{"example.io/hold":"1"}})", R"({"metadata":7})",
        R"({"metadata":{"annotations":{"example.io/hold":"1"}}})"}) {
    EXPECT_TRUE(hold->execute(item, nightly_)) << item;
  }
}

TEST_F(Hold, AppliesToResourcesWithTheLabel) {
  SelectorV1 expected;
  expected.label_selector = "example.io/hold";
  EXPECT_EQ(create<DeleteItemAction>(package)->applies_to().value(), expected);
  auto other = create<DeleteItemAction>(package, {{"a", "b"}, {"label", "legal"}, {"z", ""}});
  expected.label_selector = "legal";
  EXPECT_EQ(other->applies_to().value(), expected);
  EXPECT_TRUE(other->execute(held, nightly_));
  EXPECT_FALSE(other->execute(R"({"metadata":{"labels":{"legal":"1"}}})", nightly_));
}

TEST_F(Hold, RefusesAWrongLabel) {
  for (const std::string label : {"", "a b", "a,b"}) {
    EXPECT_NE(
        failure(host_->create<DeleteItemAction>(package, {{"label", label}}),
                TENON_INVALID_ARGUMENT)
            .find("parameter \"label\" is \"" + label + "\", expected the key of a label such as"),
        std::string::npos);
  }
}

TEST_F(Hold, RefusesItemsThatAreNotObjects) {
  pass_wrong_requests();
  auto hold = create<DeleteItemAction>(package);
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_TRUE(hold->execute(nested(200), nightly_));
  for (const std::string& item :
       {std::string(), std::string("[]"), std::string("\"a\""), std::string("{"),
        std::string("{}{}"), std::string("{\"a\"}"), std::string("{\"a\":}"),
        std::string("{\"a\":1,}"), std::string("{\"a\":\"\\"), std::string("{\"a\":\"\\u12\"}"),
        std::string("{\"a\":\"\\ud800\"}"), std::string("{\"a\":\"\n\"}"), nested(300)}) {
    EXPECT_NE(failure(hold->execute(item, nightly_), TENON_INVALID_ARGUMENT)
                  .find("the item is not a JSON object"),
              std::string::npos)
        << item.substr(0, 40);
  }
}

TEST_F(Hold, ServesSeveralThreadsAtOnce) {
  auto hold = create<DeleteItemAction>(package);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        EXPECT_TRUE(hold->execute("{}", nightly_));
        EXPECT_FALSE(hold->execute(held, nightly_));
        EXPECT_TRUE(hold->applies_to());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Returns the file, a module or one of its libraries, that defines a symbol.
std::string file_of(const char* module, const char* symbol) {
  void* handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
  void* address = handle != nullptr ? dlsym(handle, symbol) : nullptr;
  Dl_info info{};
  std::string file = address != nullptr && dladdr(address, &info) != 0 ? info.dli_fname : "none";
  if (handle != nullptr) dlclose(handle);
  return file;
}

TEST_F(Hold, ExportsOnlyItsModule) {
  EXPECT_EQ(file_of(HOLD, "tenon_module_v1"), HOLD);
  EXPECT_NE(file_of(HOLD, "__cxa_thread_atexit_impl"), HOLD);
}

TEST_F(Hold, Reloads) {
  expect_reloads<DeleteItemAction>(package, {{"label", "legal"}}, "hold", [&](auto& hold) {
    EXPECT_TRUE(hold->execute(held, nightly_));
    EXPECT_EQ(hold->applies_to().value().label_selector, "legal");
  });
}

}}  // namespace tenon::tests
