// SPDX-License-Identifier: BSL-1.0
//
// Parameters in the manifest of a plugin: configs are checked before the module is loaded.
#include <filesystem>
#include <string>

#include "pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

class StatedParameters : public Pipeline {
 protected:
  StatedParameters() { world.place(ACTOR_STATED, "actor.so"); }

  Outcome validate(const std::string& config) {
    write_pipeline(plugin("test.example/actor", config), plugin("tenon.dev/log", ""));
    return world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  }
  bool loaded() { return std::filesystem::exists(world.root() / "loaded"); }
};

TEST_F(StatedParameters, RefuseAConfigBeforeTheModuleIsLoaded) {
  const Outcome outcome = validate(R"("count": "many", "dealy": "1s")");
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(
      outcome.err,
      R"(pipeline.json:1:71: error[missing-parameter]: 'test.example/actor' needs the parameter 'journal'
   needed  'journal': Where calls are written
   fix     add "journal": "..." to its config
pipeline.json:1:81: error[wrong-parameter]: 'test.example/actor' does not accept this value of 'count'
   found   many
   needed  a whole number from -9223372036854775808 to 9223372036854775807
   fix     change the value
pipeline.json:1:89: error[unknown-parameter]: 'test.example/actor' has no parameter 'dealy'
   needed  'count', 'delay' and 'journal'
   fix     did you mean 'delay'?
)");
  EXPECT_FALSE(loaded());
}

TEST_F(StatedParameters, FillInDefaults) {
  write_actors("");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(written(), positions(1, 3));
  EXPECT_TRUE(loaded());
}

TEST_F(StatedParameters, AreIgnoredIfTheHostCannotReadThem) {
  world.place(ACTOR_NEWER, "actor.so");
  const Outcome outcome = validate(R"("count": "5")");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out, "pipeline.json: no problem found\n");
  EXPECT_NE(outcome.err.find("warning: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("version-too-new"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("test.example/actor: source_parameters.count"), std::string::npos)
      << outcome.err;
  EXPECT_TRUE(loaded());
}

TEST(SpecifiedParameters, AreRefusedIfTheyCannotBeChecked) {
  for (const char* module : {CHOOSY, CHOOSY_STATED}) {
    const World world("tenon");
    world.place(module, "choosy.so");
    world.write("in.jsonl", "{}\n");
    world.write("pipeline.json", R"({ "name": "test",
  "source": {"plugin": "tenon.dev/file", "config": {"path": "in.jsonl"}},
  "processors": [{"plugin": "test.example/choosy", "config": {"mode": "slow"}}],
  "destinations": [{"plugin": "tenon.dev/file", "config": {"path": "out.jsonl"}}],
  "position": "position.json" })");
    for (const char* command : {"validate", "run"}) {
      const Outcome outcome = world.run({TENON_PIPELINE, command, "pipeline.json"});
      EXPECT_EQ(outcome.exit, 2) << module;
      EXPECT_EQ(
          outcome.err,
          R"(pipeline.json:3:29: error[wrong-specification]: 'test.example/choosy' specifies the parameter 'mode' in a way that cannot be checked
   found   exclusion "slow, careless"
   needed  a JSON array of texts, such as ["a", "b"]
   fix     report this to the author of the plugin, who can find it with `tenon verify`
)") << module;
      EXPECT_FALSE(std::filesystem::exists(world.root() / "out.jsonl"));
    }
  }
}

}}  // namespace tenon::tests
