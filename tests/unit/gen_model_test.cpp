// SPDX-License-Identifier: BSL-1.0
//
// Models of valid specs, and the output of the generator: steps, fingerprints, layouts, the
// checked-in C headers, included standard specs, the next version.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "framework/world.hpp"
#include "gen/common.hpp"
#include "gen/emit/c_header.hpp"
#include "gen/emit/emit.hpp"
#include "gen/load.hpp"
#include "gen/model/fingerprint.hpp"
#include "gen/model/layout.hpp"
#include "gen/model/naming.hpp"
#include "gen/next.hpp"
#include "gen_mistakes.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tenon::gen;
using tenon::tests::read_file;
using tenon::tests::World;
using Action = MethodStep::Action;

Model load(const LoadOptions& options) {
  Diagnostics findings;
  Model model = load_specs(options, findings);
  for (const Diagnostic& finding : findings.all()) ADD_FAILURE() << to_text(finding);
  return model;
}

const Model& test_kinds() {
  static const Model model = load({.directories = {SPECS}, .standard_specs = ABI});
  return model;
}

const Kind& kind(const std::string& name) {
  for (const auto& kind : test_kinds().kinds) {
    if (kind->name == name) return *kind;
  }
  throw std::out_of_range(name);
}

const MethodStep& step_of(const KindStep& step, const std::string& method) {
  for (const MethodStep& answer : step.methods) {
    if (answer.method->name == method) return answer;
  }
  throw std::out_of_range(method);
}

std::vector<std::string> names(const std::vector<FieldFill>& fills) {
  std::vector<std::string> text;
  for (const FieldFill& fill : fills) {
    text.push_back(fill.target->name + "=" +
                   (fill.source != nullptr ? fill.source->name : to_json(fill.value)));
  }
  return text;
}

using Names = std::vector<std::string>;

TEST(Steps, DescribeAddedMethods) {
  const KindStep& step = kind("evolve_added").steps.at(0);
  EXPECT_TRUE(step.adaptable);
  EXPECT_TRUE(step.has_hooks());
  EXPECT_EQ(step_of(step, "keep").action, Action::forward);
  EXPECT_TRUE(step_of(step, "keep").same_layout());
  const MethodStep& fixed = step_of(step, "fixed");
  EXPECT_EQ(fixed.action, Action::fixed);
  EXPECT_EQ(fixed.older, nullptr);
  EXPECT_EQ(fixed.response.size(), fixed.method->response.size());
  EXPECT_EQ(names(fixed.response).at(2), "large=18446744073709551615");
  EXPECT_EQ(names(fixed.response).at(10), "point={\"x\":3,\"y\":-4}");
  EXPECT_EQ(step_of(step, "done").action, Action::fixed);
  EXPECT_EQ(step_of(step, "unknown").action, Action::unimplemented);
  EXPECT_EQ(step_of(step, "refused").action, Action::unimplemented);
  EXPECT_EQ(step_of(step, "refused").message, "no work \"outside\" of calls");
  EXPECT_EQ(step_of(step, "named").action, Action::registered_name);
  EXPECT_EQ(step_of(step, "worked").action, Action::hook);
}

TEST(Steps, DescribeChangedMethods) {
  const KindStep& step = kind("evolve_changed").steps.at(0);
  EXPECT_TRUE(step_of(step, "same").same_layout());
  EXPECT_EQ(step_of(step, "after").older->name, "before");
  EXPECT_TRUE(step_of(step, "after").same_layout());
  EXPECT_EQ(step_of(step, "moved_on").older->name, "moved");
  EXPECT_EQ(names(step_of(step, "moved_on").request), Names{"text=text"});
  EXPECT_FALSE(step_of(step, "moved_on").same_layout());
  EXPECT_EQ(names(step_of(step, "grows").request), Names{"text=text"});
  EXPECT_EQ(names(step_of(step, "shrinks").request), (Names{"text=text", "level=3"}));
  EXPECT_EQ(names(step_of(step, "answers").response),
            (Names{"text=text", "fresh=[\"always\",\"this\"]"}));
  EXPECT_EQ(names(step_of(step, "silent").response), Names{"text=\"done\""});
  EXPECT_EQ(step_of(step, "signature").action, Action::hook);
  EXPECT_EQ(step_of(step, "signature").older->name, "signature");
  Names removed;
  for (const Method* method : step.removed) removed.push_back(method->name);
  EXPECT_EQ(removed, Names{"gone"});
}

TEST(Steps, CompareSharedStructsOnce) {
  // Without structs that are compared only once, this would take years.
  const World world;
  std::string structs = R"("s0": {"fields": {"x": "bool"}})";
  for (int i = 1; i <= 60; ++i) {
    const std::string inner = "\"list<s" + std::to_string(i - 1) + ">\"";
    structs += ", \"s" + std::to_string(i) + R"(": {"fields": {"x": )" + inner + R"(, "y": )" +
               inner + "}}";
  }
  const auto spec = [&structs](const std::string& head, const std::string& parts) {
    return head + R"(, "doc": "D.", )" + tenon::tests::released + R"("structs": {)" + structs +
           "}, " + parts + "}";
  };
  const std::string methods = R"("methods": [{"name": "m", "doc": "M.", "threading": "any",
      "request": {"a": "s60"}}])";
  const std::string fields = R"("fields": {"a": "s60"})";
  for (const std::string version : {"1", "2", "3"}) {
    world.write("k/v" + version + ".json",
                spec(R"({"kind": "a.example/k", "version": )" + version, methods));
    world.write("t/v" + version + ".json",
                spec(R"({"type": "a.example/t", "version": )" + version, fields));
  }
  const std::string steps = R"([{"from": 1, "to": 2}, {"from": 2, "to": 3}])";
  world.write("k/evolution.json", R"({"kind": "a.example/k", "steps": )" + steps + "}");
  world.write("t/evolution.json", R"({"type": "a.example/t", "steps": )" + steps + "}");
  const Model model = load({.directories = {world.root().string()}});
  EXPECT_TRUE(step_of(model.kinds.at(0)->steps.at(1), "m").same_layout());
  EXPECT_FALSE(model.documents.at(0)->steps.at(1).fields.at(0).newer_origins.exact);
}

TEST(Steps, MayBeUnadaptable) {
  EXPECT_EQ(kind("chain").versions.size(), 4u);
  ASSERT_EQ(kind("chain").steps.size(), 3u);
  for (const KindStep& step : kind("chain").steps) EXPECT_TRUE(step.has_hooks());
  const Kind& broken = kind("broken_chain");
  EXPECT_TRUE(broken.steps.at(0).adaptable);
  EXPECT_FALSE(broken.steps.at(1).adaptable);
  EXPECT_EQ(broken.steps.at(1).reason, "a name cannot be made into a number");
  EXPECT_TRUE(broken.steps.at(1).methods.empty());
}

TEST(Steps, DescribeFieldsOfDocuments) {
  const auto& documents = test_kinds().documents;
  const auto entry = std::find_if(documents.begin(), documents.end(), [](const auto& document) {
    return document->id == "test.example/entry";
  });
  ASSERT_NE(entry, documents.end());
  const DocumentStep& step = (*entry)->steps.at(0);
  Names steps;
  for (const FieldStep& field : step.fields) {
    std::string text = field.older != nullptr ? field.older->name : "-";
    text += field.newer != nullptr ? ">" + field.newer->name : ">-";
    if (field.hook) text += " hook";
    steps.push_back(text);
  }
  EXPECT_EQ(steps,
            (Names{"title>title", "state>state", "notes>notes", "last>last", "was>is", "->fresh",
                   "record>record", "retyped>retyped hook", "gone>-", "tag>-", "flags>-"}));
}

TEST(Steps, DescribeTheStandardSource) {
  const Model model = load({.directories = {ABI}});
  const auto source = std::find_if(model.kinds.begin(), model.kinds.end(),
                                   [](const auto& kind) { return kind->name == "source"; });
  ASSERT_NE(source, model.kinds.end());
  EXPECT_TRUE((*source)->session);
  EXPECT_EQ(step_of((*source)->steps.at(0), "open").older->name, "start");
  EXPECT_EQ(step_of((*source)->steps.at(0), "read_batch").action, Action::hook);
  EXPECT_EQ(step_of((*source)->steps.at(0), "on_created").action, Action::fixed);
  EXPECT_EQ((*source)->latest().configure()->name, "configure");
}

// -- Standard specs -----------------------------------------------------------

const std::string own_kind =
    "{\"kind\": \"a.example/k\", \"version\": 1, \"doc\": \"K.\", \"methods\": [{\"name\": \"m\", "
    "\"doc\": \"M.\", \"threading\": \"any\", \"request\": {\"a\": \"tenon.dev/record@1\"}}]}";

TEST(StandardSpecs, IncludeReferencedDocumentTypes) {
  const World world;
  world.write("k/v1.json", own_kind);
  const Model model = load({.directories = {world.root().string()}, .standard_specs = ABI});
  ASSERT_EQ(model.kinds.size(), 1u);
  ASSERT_EQ(model.documents.size(), 1u);
  EXPECT_EQ(model.documents[0]->id, "tenon.dev/record");
  EXPECT_EQ(model.documents[0]->versions.size(), 1u);
  EXPECT_TRUE(model.documents[0]->standard);
  EXPECT_TRUE(model.documents[0]->steps.empty());
}

TEST(StandardSpecs, ArePinnedToVersions) {
  const World world;
  world.write("k/v1.json", own_kind);
  const Model model = load({.directories = {world.root().string()},
                            .standard = {{"source", 1}, {"specifier", 1}},
                            .standard_specs = ABI});
  Names found;
  for (const auto& kind : model.kinds) {
    found.push_back(kind->id + "@" + std::to_string(kind->latest().number));
  }
  for (const auto& document : model.documents) {
    found.push_back(document->id + "@" + std::to_string(document->latest().number));
  }
  EXPECT_EQ(found,
            (Names{"a.example/k@1", "tenon.dev/source@1", "tenon.dev/specifier@1",
                   "tenon.dev/parameter@2", "tenon.dev/record@1", "tenon.dev/specification@1"}));
}

TEST(StandardSpecs, RefuseUnknownKinds) {
  const World world;
  world.write("k/v1.json", own_kind);
  for (const StandardKind& wanted : {StandardKind{"sorce", 1}, StandardKind{"source", 9}}) {
    Diagnostics findings;
    EXPECT_THROW(
        load_specs(
            {.directories = {world.root().string()}, .standard = {wanted}, .standard_specs = ABI},
            findings),
        UsageError);
  }
}

TEST(StandardSpecs, AreReadOnlyIfReferenced) {
  const World world;
  std::string own = own_kind;
  own.replace(own.find("tenon.dev/record@1"), 18, "bool");
  world.write("k/v1.json", own);
  EXPECT_EQ(load({.directories = {world.root().string()}, .standard_specs = "/nonexistent"})
                .inputs.size(),
            3u);
}

// -- Headers and layouts ------------------------------------------------------

TEST(Headers, OfStandardKindsMatchTheCheckedInFiles) {
  const World world;
  emit_c_headers(load({.directories = {ABI}}), Output(world.path("include")));
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(world.path("include"))) {
    if (!entry.is_regular_file()) continue;
    ++count;
    const fs::path name = entry.path().lexically_relative(world.path("include"));
    EXPECT_EQ(read_file(entry.path()), read_file(fs::path(ABI) / "include" / name))
        << name << " differs: if only a comment changed, run tenon-gen headers --out abi/include "
        << "abi, which refuses to change a released version";
  }
  EXPECT_EQ(count, 34u);
}

TEST(Headers, OfStandardKindsAreFrozen) {
  const World world;
  fs::copy(ABI, world.root(), fs::copy_options::recursive);
  std::string changed = read_file(world.root() / "kinds/source/v2.json");
  const std::string serial = "\"threading\": \"serial\"";
  changed.replace(changed.find(serial), serial.size(), "\"threading\": \"main\"");
  world.write("kinds/source/v2.json", changed);
  Diagnostics findings;
  load_specs({.directories = {world.root().string()}}, findings);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all().front().code, "release-changed");
}

TEST(Headers, AreNotRewrittenIfUnchanged) {
  const World world;
  const Output output(world.root());
  output.write("a/b.h", "text");
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(world.path("a/b.h"), long_ago);
  output.write("a/b.h", "text");
  EXPECT_EQ(fs::last_write_time(world.path("a/b.h")), long_ago);
  output.write("a/b.h", "other");
  EXPECT_NE(fs::last_write_time(world.path("a/b.h")), long_ago);
  EXPECT_EQ(world.read("a/b.h"), "other");
}

TEST(Headers, EscapeEndsOfComments) {
  const World world;
  std::string own = own_kind;
  own.replace(own.find("K."), 2, "Ends */ and /* begins");
  world.write("k/v1.json", own);
  const Model model = load({.directories = {world.root().string()}, .standard_specs = ABI});
  const std::string header = c_header(model.kinds[0]->latest());
  EXPECT_NE(header.find("Ends * / and / * begins"), std::string::npos);
}

TEST(Headers, DocumentThreadingOfMethods) {
  const std::string header = c_header(kind("all_types").latest());
  for (const char* tag : {"[serial; configure; from: created -> ready]", "[any; blocks: cancel]",
                          "[any; from: ready]", "[main]", "[any; required]",
                          "[optional; since 2026-12-24, check with TENON_HAS]"}) {
    EXPECT_NE(header.find(tag), std::string::npos) << tag;
  }
}

TEST(Layouts, FollowTheCompilersRules) {
  const KindVersion& version = kind("evolve_added").latest();
  const StructLayout message = layout_of_message(version.find("fixed")->response);
  const std::vector<std::size_t> first(message.offsets.begin(), message.offsets.begin() + 5);
  EXPECT_EQ(first, (std::vector<std::size_t>{8, 9, 16, 24, 32}));
  EXPECT_EQ(layout_of_vtable(version).whole.size, 24u + 8u * version.methods.size());
  EXPECT_EQ(c_declaration(version.find("fixed")->response.at(13).type), "const int32_t *");
  EXPECT_EQ(c_declaration(version.find("fixed")->response.at(14).type), "tenon_string ");
}

// -- Fingerprints -------------------------------------------------------------

std::uint64_t fingerprint_of(const std::string& spec) {
  const World world;
  world.write("k/v1.json", spec);
  return load({.directories = {world.root().string()}}).kinds.at(0)->latest().fingerprint;
}

const std::string plain_kind =
    "{\"kind\": \"a.example/k\", \"version\": 1, \"doc\": \"K.\", \"enums\": {\"e\": [\"a\", "
    "\"b\"]}, \"methods\": [{\"name\": \"m\", \"doc\": \"M.\", \"threading\": \"any\", "
    "\"request\": {\"a\": \"e\"}}]}";

std::string changed(const std::string& from, const std::string& to) {
  std::string spec = plain_kind;
  return spec.replace(spec.find(from), from.size(), to);
}

TEST(Fingerprints, ChangeWithTheSignature) {
  const std::uint64_t plain = fingerprint_of(plain_kind);
  EXPECT_NE(plain, 0u);
  EXPECT_NE(plain, fingerprint_of(changed("a.example/k", "b.example/k")));
  EXPECT_NE(plain, fingerprint_of(changed("\"m\"", "\"n\"")));
  EXPECT_NE(plain, fingerprint_of(changed("\"any\"", "\"serial\"")));
  EXPECT_NE(plain, fingerprint_of(changed("{\"a\": \"e\"}", "{\"a\": \"int32\"}")));
  EXPECT_NE(plain, fingerprint_of(changed("\"a\", \"b\"", "\"b\", \"a\"")));
  EXPECT_NE(plain, fingerprint_of(changed("\"doc\": \"K.\"",
                                          "\"doc\": \"K.\", \"restart\": "
                                          "\"session\"")));
}

TEST(Fingerprints, IgnoreDocumentation) {
  const std::uint64_t plain = fingerprint_of(plain_kind);
  EXPECT_EQ(plain, fingerprint_of(changed("\"K.\"", "\"Another text.\"")));
  EXPECT_EQ(plain, fingerprint_of(changed("\"doc\": \"K.\"",
                                          "\"doc\": \"K.\", \"properties\": {\"p\": \"bool\"}")));
  EXPECT_EQ(plain,
            fingerprint_of(changed("{\"a\": \"e\"}",
                                   "{\"a\": \"e\", \"later\": {\"type\": \"optional<bool>\", "
                                   "\"added\": \"2027-01-31\"}}")));
  EXPECT_EQ(plain, fingerprint_of(changed("\"doc\": \"K.\"",
                                          "\"doc\": \"K.\", \"life\": {\"released\": {\"version\": "
                                          "\"1.0.0\", \"date\": \"2026-11-21\"}}")));
}

TEST(Fingerprints, CoverStructsInOrderOfNameThenOfUse) {
  const World world;
  world.write("k/v1.json", R"({"kind": "a.example/k", "version": 1, "doc": "K.", "structs": {
      "m": {"fields": {"f": "z", "g": "list<b>", "h": "a"}},
      "a": {"fields": {"f": "n"}}, "b": {"fields": {"f": "y"}}, "c": {"fields": {"f": "x"}},
      "n": {"fields": {"f": "bool"}}, "x": {"fields": {"f": "bool"}},
      "y": {"fields": {"f": "c"}}, "z": {"fields": {"f": "bool"}}},
      "methods": [{"name": "m", "doc": "M.", "threading": "any",
                   "request": {"f": "m", "g": "c"}}]})");
  const Model model = load({.directories = {world.root().string()}});
  EXPECT_EQ(canonical_text(model.kinds.at(0)->latest()),
            "kind a.example/k 1 overlap\nmethod m any\nrequest f m\nrequest g c\n"
            "struct c f x\nstruct m f z\nstruct m g list<b>\nstruct m h a\n"
            "struct a f n\nstruct b f y\nstruct x f bool\nstruct z f bool\n"
            "struct n f bool\nstruct y f c\n");
}

TEST(Fingerprints, AreWrittenWith16Digits) {
  EXPECT_EQ(hex(0x2a), "000000000000002a");
  EXPECT_EQ(hex(0xfedcba9876543210), "fedcba9876543210");
}

// -- The next version ---------------------------------------------------------

TEST(NextVersion, CopiesTheNewestAsADraft) {
  const World world;
  world.write(
      "k/v1.json",
      "{\"kind\": \"a.example/k\", \"version\": 1, \"doc\": \"K.\", \"life\": "
      "{\"released\": {\"version\": \"1.0.0\", \"date\": \"2026-11-21\"}}, \"methods\": "
      "[{\"name\": \"m\", \"doc\": \"M.\", \"threading\": \"any\", \"request\": {\"added\": "
      "\"bool\", \"later\": {\"type\": \"optional<bool>\", \"added\": "
      "\"2027-01-31\"}}}]}");
  Diagnostics findings;
  const Names written = create_next_version(world.path("k").string(), findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(written.size(), 2u);
  const Model model = load({.directories = {world.root().string()}});
  ASSERT_EQ(model.kinds.at(0)->versions.size(), 2u);
  EXPECT_TRUE(model.kinds[0]->latest().draft());
  const std::vector<Field>& fields = model.kinds[0]->latest().methods.at(0).request;
  EXPECT_EQ(fields.at(0).name, "added");
  EXPECT_EQ(fields.at(1).added, "");
  EXPECT_EQ(model.kinds[0]->steps.size(), 1u);
}

TEST(NextVersion, KeepsFieldsWithTheNamesOfKeys) {
  const World world;
  const std::string fields = R"({"type": "int32", "added": "string", "z": "int32"})";
  world.write("k/v1.json",
              R"({"kind": "a.example/k", "version": 1, "doc": "K.", )" + tenon::tests::released +
                  R"("methods": [{"name": "m", "doc": "M.", "threading": "any", "request": )" +
                  fields + R"(, "response": )" + fields + "}]}");
  Diagnostics findings;
  EXPECT_EQ(create_next_version(world.path("k").string(), findings).size(), 2u);
  const Model model = load({.directories = {world.root().string()}});
  const Method& method = model.kinds.at(0)->latest().methods.at(0);
  for (const std::vector<Field>& message : {method.request, method.response}) {
    ASSERT_EQ(message.size(), 3u);
    EXPECT_EQ(message[1].name, "added");
  }
}

TEST(NextVersion, RefusesANumberThatIsTooLarge) {
  const World world;
  world.write("k/v999999.json",
              R"({"kind": "a.example/k", "version": 999999, "doc": "K.", )" +
                  tenon::tests::released +
                  R"("methods": [{"name": "m", "doc": "M.", "threading": "any"}]})");
  Diagnostics findings;
  EXPECT_TRUE(create_next_version(world.path("k").string(), findings).empty());
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].code, "wrong-value");
  EXPECT_EQ(findings.all()[0].found, "1000000");
}

TEST(NextVersion, RequiresTheDirectoryOfOneKind) {
  const World world;
  world.write("k/v1.json", plain_kind);
  Diagnostics findings;
  EXPECT_TRUE(create_next_version(world.root().string(), findings).empty());
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].code, "no-specs");
}

// -- JSON ---------------------------------------------------------------------

TEST(Json, RoundTrips) {
  const std::string text =
      R"({"a":[1,-2,18446744073709551615,true,null],"b":{"c":"\u00e4\n\"x\""},"d":{},"e":[]})";
  Diagnostics findings;
  const auto value = read_json(text, "file", findings);
  ASSERT_TRUE(value);
  EXPECT_EQ(to_json(*value),
            "{\"a\":[1,-2,18446744073709551615,true,null],\"b\":{\"c\":\"\xc3\xa4"
            "\\n\\\"x\\\"\"},\"d\":{},\"e\":[]}");
  EXPECT_EQ(to_json(*read_json(to_pretty_json(*value), "file", findings)), to_json(*value));
}

TEST(Json, KeepsNumbersAsTheyAreWritten) {
  const std::string text = "[0.1,1.0,1E2,12345678901234567890123,-0.0,-0]";
  Diagnostics findings;
  EXPECT_EQ(to_json(*read_json(text, "file", findings)), text);
  EXPECT_TRUE(findings.empty());
}

TEST(Json, ReportsNumbersThatAreTooLarge) {
  Diagnostics findings;
  read_json("[1,\n 1e400]", "file", findings);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].code, "wrong-value");
  EXPECT_EQ(findings.all()[0].found, "1e400");
  EXPECT_EQ(findings.all()[0].location.line, 2);
}

TEST(Json, ReportsPositions) {
  Diagnostics findings;
  const auto value =
      read_json("{\n  \"a\" : [ 12, \"x\\\"y\",\n {\"b\":-1.5e3 } ]}", "file", findings);
  ASSERT_TRUE(value);
  const auto place = [](const SourceLocation& at) {
    return std::to_string(at.line) + ":" + std::to_string(at.column);
  };
  const JsonMember& a = value->object()->at(0);
  EXPECT_EQ(place(a.location), "2:3");
  EXPECT_EQ(place(a.value.location), "2:9");
  EXPECT_EQ(place(a.value.array()->at(0).location), "2:11");
  EXPECT_EQ(place(a.value.array()->at(1).location), "2:15");
  EXPECT_EQ(place(a.value.array()->at(2).find("b")->location), "3:7");
  EXPECT_FALSE(read_json("", "file", findings));
  EXPECT_EQ(place(findings.all().at(0).location), "1:1");
}

}  // namespace
