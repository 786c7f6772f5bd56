// SPDX-License-Identifier: BSL-1.0
//
// Pipelines of builtin plugins make no allocation per record: longer runs have further allocations
// only for batches and saved positions.
#include <tenon/builtins.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "framework/world.hpp"
#include "pipeline/pipeline_run.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// The version of a sanitizer would not match this operator delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace pipeline { namespace {

constexpr std::size_t records = 100'000;

class Allocations : public testing::Test {
 protected:
  /// Returns the number of allocations of a whole run.
  std::size_t of_run(const std::string& source, const std::string& destination) {
    const std::string number = std::to_string(++runs_);
    world_.write("pipeline.json", R"({"name": "test", "position": "position-)" + number +
                                      R"(", "source": )" + source + R"(, "destinations": [)" +
                                      destination + "]}");
    Diagnostics findings;
    const auto file = read_pipeline_file(world_.path("pipeline.json"), findings);
    tenon::tools::Console console("test");
    const Messages messages(console);
    tenon::Host host({.app = "", .builtins = {tenon::builtins()}});
    OpenCalls calls([](const std::string&) {}, stop_grace_period);
    tenon::tools::PluginOrigins origins;
    auto stages = create_stages(host, *file, messages, calls, origins, findings);
    auto store = PositionStore::open(file->position, findings);
    EXPECT_TRUE(findings.empty());
    const std::size_t before = allocations;
    PipelineRun run(host, *file, *store, messages);
    run.run(*std::move(stages));
    EXPECT_EQ(run.await_end(), done);
    return allocations - before;
  }
  std::string lines(std::size_t count) const {
    std::string content;
    for (std::size_t i = 0; i < count; ++i) {
      content += R"({"id":)" + std::to_string(i) +
                 R"(,"name":"a name of some length","tags":["some","more words"]})" + "\n";
    }
    const std::string name = "lines-" + std::to_string(count);
    world_.write(name, content);
    return file(name);
  }
  std::string file(const std::string& name) const {
    return R"({"plugin": "tenon.dev/file", "config": {"format": "json-lines", "path": ")" +
           world_.path(name).string() + "\"}}";
  }
  std::string table(const std::string& name) const {
    return R"({"plugin": "tenon.dev/sqlite", "config": {"table": "records", "path": ")" +
           world_.path(name + ".db").string() + "\"}}";
  }
  static std::string generator(std::size_t count) {
    return R"({"plugin": "tenon.dev/generator", "config": {"count": ")" + std::to_string(count) +
           "\"}}";
  }

  const std::string log_ = R"({"plugin": "tenon.dev/log", "config": {"level": "trace"}})";

 private:
  tenon::tests::World world_;
  int runs_ = 0;
};

TEST_F(Allocations, AreConstantPerRecordFromGeneratorToLog) {
  const std::size_t few = of_run(generator(10'000), log_);
  EXPECT_LT(of_run(generator(10'000 + records), log_), few + records / 10);
}

TEST_F(Allocations, AreConstantPerRecordFromFileToFile) {
  const std::size_t few = of_run(lines(10'000), file("few"));
  EXPECT_LT(of_run(lines(10'000 + records), file("many")), few + records / 10);
}
TEST_F(Allocations, AreConstantPerRecordFromFileToSqlite) {
  const std::size_t few = of_run(lines(10'000), table("few"));
  EXPECT_LT(of_run(lines(10'000 + records), table("many")), few + records / 10);
}

}}  // namespace pipeline
