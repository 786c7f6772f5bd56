// SPDX-License-Identifier: BSL-1.0
//
// Reading of pipeline files, and errors of invalid files.
#include "pipeline/pipeline_file.hpp"

#include <tenon/result.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "framework/world.hpp"

namespace pipeline { namespace {

class PipelineFileTest : public testing::Test {
 protected:
  std::optional<PipelineFile> read(std::string_view content) {
    findings_ = {};
    return read_pipeline_file(world_.write("here/pipeline.json", content), findings_);
  }
  /// Returns the only problem, without the path before its line.
  std::string finding() const {
    EXPECT_EQ(findings_.all().size(), 1u);
    if (findings_.empty()) return {};
    const std::string text = to_text(findings_.all()[0]);
    return text.substr(text.find("pipeline.json:") + std::string_view("pipeline.json:").size());
  }

  tenon::tests::World world_;
  Diagnostics findings_;
};

TEST_F(PipelineFileTest, HasASourceAndDestinations) {
  const auto file = read(R"({"name": "n",
  "source": {"plugin": "s", "config": {" a ": " 1 ", "b": ""}},
  "destinations": [{"plugin": "d"}, {"plugin": "e", "config": {}}],
  "position": "p.json"})");
  ASSERT_TRUE(file && findings_.empty());
  EXPECT_EQ(file->name, "n");
  EXPECT_EQ(file->source.reference, "s");
  EXPECT_EQ(file->source.config, (tenon::TextMap{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(file->source.location.line, 2);
  EXPECT_EQ(file->source.key_locations.at("a").column, 40);
  EXPECT_EQ(file->source.value_locations.at("a").column, 47);
  ASSERT_EQ(file->destinations.size(), 2u);
  EXPECT_EQ(file->destinations[1].reference, "e");
  EXPECT_EQ(file->position, world_.root() / "here" / "p.json");
  EXPECT_EQ(file->position_place.line, 4);
}

TEST_F(PipelineFileTest, MayHaveProcessors) {
  const std::string begin = R"({"name": "n", "position": "p", "source": {"plugin": "s"},
  "destinations": [{"plugin": "d"}])";
  auto file = read(begin + "}");
  ASSERT_TRUE(file && findings_.empty());
  EXPECT_TRUE(file->processors.empty());
  file = read(begin + R"(, "processors": [{"plugin": "a", "config": {"x": "1"}}, {"id": "i",
  "plugin": "b"}]})");
  ASSERT_TRUE(file && findings_.empty());
  ASSERT_EQ(file->processors.size(), 2u);
  EXPECT_EQ(file->processors[0].reference, "a");
  EXPECT_EQ(file->processors[0].config, (tenon::TextMap{{"x", "1"}}));
  EXPECT_EQ(file->processors[1].id, "i");
  EXPECT_EQ(file->processors[1].id_place.line, 2);
  read(begin + R"(, "processors": {"plugin": "a"}})");
  EXPECT_EQ(finding(),
            "2:52: error[wrong-type]: 'processors' has the wrong type\n"
            "   found   an object\n"
            "   needed  an array\n"
            "   fix     write an array");
  read(begin + R"(, "processors": [{"plugin": "a", "conf": {}}]})");
  EXPECT_EQ(finding(),
            "2:69: error[unknown-key]: a processor has no key 'conf'\n"
            "   needed  'id', 'plugin', 'config' and 'condition'\n"
            "   fix     remove it");
}

TEST_F(PipelineFileTest, RequiresADestination) {
  read(R"({"name": "n", "source": {"plugin": "s"}, "destinations": [], "position": "p"})");
  EXPECT_EQ(finding(),
            "1:58: error[missing-key]: the pipeline has no destination\n"
            "   needed  at least one\n"
            "   fix     add {\"plugin\": ...}");
}

TEST_F(PipelineFileTest, RefusesDuplicateKeys) {
  read(R"({"name": "n", "source": {"plugin": "s", "config": {"a": "1", "a ": "2"}},
  "destinations": [{"plugin": "d"}], "position": "p"})");
  EXPECT_EQ(finding(),
            "1:62: error[duplicate-key]: the key 'a' occurs twice in one config\n"
            "   fix     remove one of them; blanks around a key are ignored");
}

TEST_F(PipelineFileTest, MayLimitItsWindow) {
  const std::string begin = R"({"name": "n", "position": "p", "source": {"plugin": "s"},
  "destinations": [{"plugin": "d"}])";
  auto file = read(begin + "}");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->window.records, 10'000u);
  EXPECT_EQ(file->window.bytes, 32u << 20);
  file = read(begin + R"(, "window": {"records": 7}})");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->window.records, 7u);
  EXPECT_EQ(file->window.bytes, 32u << 20);
  file = read(begin + R"(, "window": {"bytes": 1}})");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->window.bytes, 1u);
  read(begin + R"(, "window": {"bytes": 0}})");
  EXPECT_EQ(finding(),
            "2:58: error[wrong-value]: 'bytes' is out of range\n"
            "   found   0\n"
            "   needed  an integer from 1 to 2147483647\n"
            "   fix     change the number");
  read(begin + R"(, "window": {"bytes": 4294967296}})");
  EXPECT_EQ(finding(),
            "2:58: error[wrong-value]: 'bytes' is out of range\n"
            "   found   4294967296\n"
            "   needed  an integer from 1 to 2147483647\n"
            "   fix     change the number");
  read(begin + R"(, "window": {"bytes": 1.5}})");
  EXPECT_EQ(finding(),
            "2:58: error[wrong-type]: 'bytes' has the wrong type\n"
            "   found   a number\n"
            "   needed  an integer from 1 to 2147483647\n"
            "   fix     write an integer from 1 to 2147483647");
  read(begin + R"(, "window": {"batches": 4}})");
  EXPECT_EQ(finding(),
            "2:49: error[unknown-key]: a window has no key 'batches'\n"
            "   needed  'records' and 'bytes'\n"
            "   fix     remove it");
}

TEST_F(PipelineFileTest, RefusesADirectory) {
  EXPECT_FALSE(read_pipeline_file(world_.root(), findings_));
  ASSERT_EQ(findings_.all().size(), 1u);
  EXPECT_EQ(findings_.all()[0].code, "cannot-read");
  EXPECT_EQ(findings_.all()[0].found, "reading the file: Is a directory");
  findings_ = {};
  EXPECT_FALSE(read_pipeline_file(world_.root() / "none", findings_));
  ASSERT_EQ(findings_.all().size(), 1u);
  EXPECT_EQ(findings_.all()[0].found, "reading the file: No such file or directory");
}

TEST(PipelineFindings, NamePluginAndStatus) {
  const tenon::Error error({.code = "c", .message = "m", .where = "w", .found = "f", .fix = "x"});
  Diagnostics findings;
  add_error(error, {.file = "file"}, findings);
  add_error(tenon::Error({.code = "d", .where = "w"}), {.file = "file"}, findings, "better");
  EXPECT_EQ(to_text(findings.all()[0]), "file: error[c]: w: m\n   found   f\n   fix     x");
  EXPECT_EQ(to_text(findings.all()[1]), "file: error[d]: w\n   fix     better");
}

TEST(PipelineTexts, AreTrimmed) {
  EXPECT_EQ(trimmed_lines(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed_lines("a"), "a");
  EXPECT_EQ(trimmed_lines(" \n"), "");
  EXPECT_EQ(trimmed_lines(""), "");
}

}}  // namespace pipeline
