// SPDX-License-Identifier: BSL-1.0
//
// The example in C: a delete item action that appends lines to a file.
#include <boost/json.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "integration/backup/example.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

constexpr const char* package = "example.io/journal";
constexpr std::string_view pod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"web","name":"a"}})";
constexpr std::string_view line_of_pod =
    R"({"backup":"nightly","apiVersion":"v1","kind":"Pod","namespace":"web","name":"a"})"
    "\n";

/// Returns an object with nested lists.
std::string nested(std::size_t levels) {
  return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
}

class Journal : public Example {
 protected:
  Journal() { host_module(JOURNAL, "journal.so"); }

  Handle<DeleteItemAction> journal() {
    return create<DeleteItemAction>(package, {{"path", path_}});
  }
  std::string content() const { return read_file(path_); }

  const std::string path_ = world_.path("journal/lines.jsonl").string();
  const BackupV2 nightly_ = backup_named("nightly");
};

TEST_F(Journal, AppendsALineForEachResource) {
  auto journal = this->journal();
  ASSERT_TRUE(journal->execute(pod, nightly_));
  EXPECT_EQ(content(), line_of_pod);
  constexpr std::string_view node = R"( { "kind":"Node", "name":"no", "namespace":"no",
      "x": [1, {"kind": "no"}, "]\"}"],
      "metadata" : {"kind": "no", "labels": {"name":"no"}, "name":"q\"\\", "y":null} , "z":-1} )";
  ASSERT_TRUE(journal->execute(node, backup_named("a\"b\\\n")));
  EXPECT_EQ(content(), std::string(line_of_pod) +
                           "{\"backup\":\"a\\u0022b\\u005c\\u000a\",\"kind\":\"Node\","
                           "\"name\":\"q\\\"\\\\\"}\n");
  ASSERT_TRUE(journal->execute(R"({"kind":7,"metadata":["name"],"name":"no"})", nightly_));
  ASSERT_TRUE(journal->execute("{}", nightly_));
  EXPECT_TRUE(content().ends_with("\n{\"backup\":\"nightly\"}\n{\"backup\":\"nightly\"}\n"));
}

TEST_F(Journal, AppliesToAllResources) {
  EXPECT_EQ(journal()->applies_to().value(), SelectorV1());
}

TEST_F(Journal, RefusesItemsThatAreNotObjects) {
  pass_wrong_requests();
  auto journal = this->journal();
  ASSERT_TRUE(journal->execute(nested(200), nightly_));
  world_.write("journal/lines.jsonl", "");
  for (const std::string& item :
       {std::string(), std::string("[]"), std::string("{"), std::string("{}{}"),
        std::string("{\"a\"}"), std::string("{\"a\":}"), std::string("{\"a\":1,}"),
        std::string("{\"a\":\"\\"), std::string("{\"a\":\"\n\"}"), std::string("{\"metadata\":{}"),
        nested(300)}) {
    EXPECT_NE(failure(journal->execute(item, nightly_), TENON_INVALID_ARGUMENT)
                  .find("the item is not a JSON object"),
              std::string::npos)
        << item.substr(0, 40);
  }
  EXPECT_EQ(content(), "");
}

TEST_F(Journal, NeedsAPath) {
  EXPECT_NE(
      failure(host_->create<DeleteItemAction>(package, {{"paht", "x"}}), TENON_INVALID_ARGUMENT)
          .find("parameter \"path\" is required"),
      std::string::npos);
  auto unconfigured = create<DeleteItemAction>(package);
  EXPECT_NE(failure(unconfigured->execute("{}", nightly_), TENON_FAILED_PRECONDITION)
                .find("fix: set the parameter \"path\""),
            std::string::npos);
  auto misled = create<DeleteItemAction>(package, {{"path", path_ + "/none/a"}});
  EXPECT_NE(failure(misled->execute("{}", nightly_), TENON_NOT_FOUND)
                .find("cannot open " + path_ + "/none/a: No such file or directory"),
            std::string::npos);
}

TEST_F(Journal, AppendsWholeLinesAfterATruncatedOne) {
  world_.write("journal/lines.jsonl", "{\"backup\":\"ni");
  ASSERT_TRUE(journal()->execute(pod, nightly_));
  EXPECT_EQ(content(), "{\"backup\":\"ni\n" + std::string(line_of_pod));
}

TEST_F(Journal, RemovesPartlyWrittenLines) {
  auto journal = this->journal();
  ASSERT_TRUE(journal->execute(pod, nightly_));
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {line_of_pod.size() + 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto done = journal->execute(pod, nightly_);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_NE(
      failure(done, TENON_RESOURCE_EXHAUSTED).find("cannot write " + path_ + ": File too large"),
      std::string::npos);
  EXPECT_EQ(content(), line_of_pod);
  ASSERT_TRUE(journal->execute(pod, nightly_));
  EXPECT_EQ(content(), std::string(line_of_pod) + std::string(line_of_pod));
}

TEST_F(Journal, WaitsForTheLockUntilCancelled) {
  auto journal = this->journal();
  ASSERT_TRUE(journal->execute(pod, nightly_));
  const int other = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  Call call;
  call.set_timeout(20ms);
  const auto late = journal->execute(call, pod, nightly_);
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message().find("cancelled while waiting for " + path_), std::string::npos);
  EXPECT_EQ(content(), line_of_pod);
  std::thread waiting([&] { EXPECT_TRUE(journal->execute(pod, nightly_)); });
  flock(other, LOCK_UN);
  waiting.join();
  close(other);
  EXPECT_EQ(content(), std::string(line_of_pod) + std::string(line_of_pod));
}

TEST_F(Journal, SharesAFileBetweenThreadsAndInstances) {
  auto one = journal();
  auto two = journal();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 25; ++k) {
        const std::string item =
            R"({"metadata":{"name":")" + std::to_string(i) + "-" + std::to_string(k) + "\"}}";
        EXPECT_TRUE((i % 2 == 0 ? one : two)->execute(item, nightly_));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::istringstream lines(content());
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    names.emplace(boost::json::parse(line).at("name").as_string());
  }
  EXPECT_EQ(names.size(), 100u);
}

TEST_F(Journal, Reloads) {
  expect_reloads<DeleteItemAction>(package, {{"path", path_}}, "journal", [&](auto& journal) {
    ASSERT_TRUE(journal->execute(pod, nightly_));
    EXPECT_TRUE(content().ends_with(line_of_pod));
  });
}

}}  // namespace tenon::tests
