// SPDX-License-Identifier: BSL-1.0
//
// What the programs do when the system fails them: each request for a file fails in turn, in each
// way. MODULES holds those of tests/e2e/modules.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "framework/faulty.hpp"

namespace tenon::tests {
namespace {

/// The steps of a run that make a file durable, without what it reads.
std::vector<std::string> durable_steps(const std::vector<Request>& requests) {
  constexpr std::string_view names[] = {"create", "write", "sync", "rename"};
  std::vector<std::string> steps;
  for (const Request& request : requests) {
    if (std::ranges::find(names, request.name) == std::end(names)) continue;
    // The name of a temporary file is a random one.
    const bool temporary = request.path.find(".tenon-") != std::string::npos;
    steps.push_back(request.name + " " + (temporary ? "temporary" : request.path));
  }
  return steps;
}

using Steps = std::vector<std::string>;

/// A command that replaces tenon.lock leaves the old content or the whole new one.
void expect_whole_or_old(std::vector<std::string> command, const std::string& old,
                         const std::function<void(World&)>& prepare) {
  std::string whole;
  const auto requests = for_each_fault({
      .prepare =
          [&](World& world) {
            world.write("tenon.lock", old);
            prepare(world);
          },
      .command = std::move(command),
      .check =
          [&](World& world, const Outcome& run, const Fault&) {
            const std::string content = world.read("tenon.lock");
            EXPECT_TRUE(content == whole || content == old) << content;
            if (run.exit == 0) {
              EXPECT_EQ(content, whole) << "it said that all is well";
            }
          },
      .check_whole =
          [&](World& world, const Outcome& run) {
            EXPECT_EQ(run.exit, 0) << run.err;
            if (whole.empty()) whole = world.read("tenon.lock");
            EXPECT_EQ(world.read("tenon.lock"), whole);
          },
  });
  EXPECT_EQ(durable_steps(requests), (Steps{"create temporary", "write temporary", "sync temporary",
                                            "rename tenon.lock", "sync ."}));
}

TEST(Faults, LeaveALockWhole) {
  expect_whole_or_old({TENON, "lock", "-a", "photo"}, "the old one",
                      [](World& world) { world.place(MODULES "/colour-1.6.2.so"); });
}

TEST(Faults, LeaveADocumentWhole) {
  expect_whole_or_old({TENON, "convert", "--in-place", "tenon.lock"},
                      R"({"type":"tenon.dev/lock","version":1,"value":{"packages":[]}})"
                      "\n",
                      [](World&) {});
}

/// Copies a file of twenty lines by a pipeline with a stored position.
class PipelineFaults : public testing::Test {
 protected:
  static constexpr int count = 20;

  static std::string line(int number) { return "{\"n\":" + std::to_string(number) + "}"; }

  static void prepare(World& world) {
    std::string lines;
    for (int i = 1; i <= count; i++) lines += line(i) + "\n";
    world.write("in.jsonl", lines);
    world.write("pipeline.json", R"({"name": "copy",
      "source": {"plugin": "file", "config": {"path": "in.jsonl"}},
      "destinations": [{"plugin": "file", "config": {"path": "out.jsonl"}}],
      "position": "position.json"})");
  }

  /// Each line arrives, in order; what was not acknowledged may arrive again.
  static void expect_all(const World& world) {
    std::istringstream out(world.read("out.jsonl"));
    int last = 0;
    for (std::string text; std::getline(out, text);) {
      int number = 1;
      while (number <= count && text != line(number)) number++;
      ASSERT_LE(number, last + 1) << "something is missing before " << text;
      last = std::max(last, number);
    }
    EXPECT_EQ(last, count);
  }
};

TEST_F(PipelineFaults, LoseNoRecord) {
  const auto requests = for_each_fault({
      .prepare = prepare,
      .command = {TENON_PIPELINE, "run", "pipeline.json"},
      .check =
          [](World& world, const Outcome& run, const Fault&) {
            if (run.exit == 0) expect_all(world);
          },
      .check_whole =
          [](World& world, const Outcome& run) {
            EXPECT_EQ(run.exit, 0) << run.err;
            expect_all(world);
          },
  });
  const Steps steps = durable_steps(requests);
  const auto last = [&](const std::string& step) {
    return std::find(steps.rbegin(), steps.rend(), step);
  };
  ASSERT_NE(last("rename position.json"), steps.rend());
  EXPECT_LT(last("rename position.json"), last("sync out.jsonl"))
      << "the records are durable before the position says so";
}

}  // namespace
}  // namespace tenon::tests
