// SPDX-License-Identifier: BSL-1.0
//
// The example plugin in its two packages, in C for version 1 and in C++ for version 2. A host uses
// both in the same way, and either resumes where the other stopped.
#include <tenon/builtins.hpp>
#include <tenon/destination.hpp>
#include <tenon/host.hpp>
#include <tenon/source.hpp>
#include <tenon/specifier.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

using Records = std::vector<RecordV2>;

constexpr std::string_view database =
    "Package: adduser\n"
    "Status: install ok installed\n"
    "Installed-Size: 686\n"
    "Version: 3.134\n"
    "Architecture: all\n"
    "Section: admin\n"
    "Description: add users\n"
    " Version: not a field\n"
    "\n"
    "Package: gone\n"
    "Status: deinstall ok config-files\n"
    "Version: 1\n"
    "\n"
    "Package: libc6\n"
    "Status: hold ok installed\n"
    "Architecture: amd64\n"
    "Multi-Arch: same\n"
    "Version: 2.36 \"odd\\\"\t\n"
    "\n"
    "\n"
    "Package: zlib\n"
    "Installed-Size: many\n"
    "Status: install ok installed\n";

class Dpkg : public testing::TestWithParam<const char*> {
 protected:
  Dpkg() { place(GetParam()); }

  void place(std::string_view build) {
    world_.place(std::string(DPKG "/").append(build), "dpkg.so");
  }
  Host host() const { return Host({.app = "", .plugin_path = {world_.plugins()}}); }
  TextMap config() const { return {{"path", file_}}; }

  World world_;
  const std::string file_ = world_.write("status", database).string();
};

std::string text(const std::optional<Bytes>& bytes) {
  return bytes ? std::string(BytesView(*bytes).text()) : "absent";
}

/// Reads all remaining records.
Records read_all(Handle<Source>& source) {
  Records all;
  for (;;) {
    auto batch = source->read_batch(2, std::nullopt);
    if (!batch) {
      EXPECT_EQ(batch.error().status(), TENON_OUT_OF_RANGE) << batch.error().to_string();
      return all;
    }
    all.insert(all.end(), batch->begin(), batch->end());
  }
}

TEST_P(Dpkg, ReadsInstalledPackages) {
  Host host = this->host();
  auto source = host.create<Source>("example.io/dpkg", config()).value();
  source->open({}).value();
  const Records records = read_all(source);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(text(records[0].key), "adduser");
  EXPECT_EQ(text(records[0].payload.after),
            R"({"package":"adduser","version":"3.134","architecture":"all","section":"admin",)"
            R"("status":"install ok installed","installed_size":686})");
  EXPECT_EQ(text(records[1].key), "libc6:amd64");
  EXPECT_EQ(text(records[1].payload.after),
            R"({"package":"libc6","version":"2.36 \"odd\\\"\u0009","architecture":"amd64",)"
            R"("status":"hold ok installed"})");
  EXPECT_EQ(text(records[2].payload.after),
            R"({"package":"zlib","status":"install ok installed"})");
  EXPECT_EQ(records[0].operation, RecordV2::Operation::Create);
  EXPECT_EQ(records[0].metadata.at("opencdc.payload.format"), "json");
  EXPECT_EQ(text(records[2].position), std::to_string(database.size()));
}

TEST_P(Dpkg, ResumesAfterEachPosition) {
  Host host = this->host();
  auto first = host.create<Source>("example.io/dpkg", config()).value();
  first->open({}).value();
  const Records records = read_all(first);
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto again = host.create<Source>("example.io/dpkg", config()).value();
    again->open(BytesView(records[i].position)).value();
    EXPECT_EQ(read_all(again),
              Records(records.begin() + static_cast<std::ptrdiff_t>(i) + 1, records.end()));
  }
}

TEST_P(Dpkg, RefusesInvalidPositions) {
  Host host = this->host();
  for (const char* position : {"", "x", "-5", "1 ", "7", "99999", "99999999999999999999999"}) {
    auto source = host.create<Source>("example.io/dpkg", config()).value();
    EXPECT_FALSE(source->open(BytesView(std::string_view(position)))) << position;
  }
}

TEST_P(Dpkg, ReportsWrongPathsAndDelays) {
  Host host = this->host();
  auto source = host.create<Source>("example.io/dpkg", {{"path", "/none"}, {"delay", ""}}).value();
  const auto opened = source->open({});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().status(), TENON_NOT_FOUND);
  EXPECT_NE(opened.error().to_string().find("cannot open /none: No such file or directory"),
            std::string::npos)
      << opened.error().to_string();
  for (const std::string delay : {"slowly", "-1s"}) {
    const auto slow = host.create<Source>("example.io/dpkg", {{"delay", delay}});
    ASSERT_FALSE(slow);
    EXPECT_NE(slow.error().to_string().find("parameter \"delay\" is \"" + delay + "\", expected"),
              std::string::npos)
        << slow.error().to_string();
  }
}

TEST_P(Dpkg, EndsItsDelayIfCancelled) {
  Host host = this->host();
  auto source =
      host.create<Source>("example.io/dpkg", {{"path", file_}, {"delay", "3600s"}}).value();
  source->open({}).value();
  Call call;
  std::thread other([&] { call.cancel(); });
  const auto batch = source->read_batch(call, 10, std::nullopt);
  other.join();
  ASSERT_FALSE(batch);
  EXPECT_EQ(TENON_CODE(batch.error().status()), TENON_CANCELLED);
}

TEST_P(Dpkg, ContinuesInTheOtherPackageAfterARestart) {
  Host host = this->host();
  auto source = host.create<Source>("example.io/dpkg", config()).value();
  source->open({}).value();
  const Records before = source->read_batch(1, std::nullopt).value();
  ASSERT_EQ(before.size(), 1u);

  place(std::string_view(GetParam()) == "dpkg-1.so" ? "dpkg-2.so" : "dpkg-1.so");
  ASSERT_TRUE(host.restart("example.io/dpkg"));

  const auto interrupted = source->read_batch(1, std::nullopt);
  ASSERT_FALSE(interrupted);
  EXPECT_NE(interrupted.error().status() & TENON_RESTARTED, 0);
  source->open(BytesView(before[0].position)).value();
  const Records after = read_all(source);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(text(after[0].key), "libc6:amd64");
  EXPECT_EQ(text(after[1].key), "zlib");
}

INSTANTIATE_TEST_SUITE_P(Packages, Dpkg, testing::Values("dpkg-1.so", "dpkg-2.so"),
                         [](const auto& package) {
                           return package.index == 0 ? std::string("InC") : std::string("InCpp");
                         });

TEST(Builtins, ServeThroughAHost) {
  const World world;
  Host host({.app = "", .builtins = {builtins()}});
  const Specification file =
      host.create<Specifier>("builtin:tenon.dev/file").value()->specify().value();
  EXPECT_EQ(file.name, "tenon.dev/file");

  auto source = host.create<Source>("tenon.dev/generator", {{"count", "5"}}).value();
  auto destination =
      host.create<Destination>("tenon.dev/file", {{"path", world.path("out.jsonl").string()}})
          .value();
  source->open({}).value();
  destination->open().value();
  Call reading;
  Call writing;
  std::size_t acknowledged = 0;
  while (auto batch = source->read_batch(reading, 2, std::nullopt)) {
    ASSERT_TRUE(destination->write_batch(writing, *batch));
    acknowledged += destination->next_acks(writing).value().size();
    reading.reset();
    writing.reset();
  }
  EXPECT_EQ(acknowledged, 5u);
  EXPECT_EQ(world.read("out.jsonl").size(), 5u * 101);
}

}}  // namespace tenon::tests
