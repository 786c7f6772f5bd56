// SPDX-License-Identifier: BSL-1.0
//
// Document types whose versions form a tree: the models of valid types, and the errors of invalid
// ones.
#include <gtest/gtest.h>

#include "gen/load.hpp"
#include "gen/model/layout.hpp"
#include "gen_mistakes.hpp"

namespace {

using namespace tenon::tests;
using namespace tenon::gen;

using Labels = std::vector<std::string>;

const std::string removed = R"("life": {"released": {"version": "0.1.0", "date": "2026-11-21"},
  "removed": "Nobody reads it."},)";

std::string steps(const std::string& all) {
  return evolution(all, "\"type\": \"a.example/t\"");
}

/// Returns two versions of a type. `says` are further keys of its step.
Files step(const std::string& older, const std::string& newer, const std::string& says) {
  return {{"t/v1.json", older},
          {"t/v2.json", newer},
          {"t/evolution.json", steps("{\"from\": 1, \"to\": 2" + says + "}")}};
}

Files fields_step(const std::string& older, const std::string& newer, const std::string& says) {
  return step(document(older, released), document(newer, "", "2"), says);
}

/// Returns the same for the fields of the struct 's' of both versions.
Files struct_step(const std::string& older, const std::string& newer, const std::string& says) {
  const auto with = [](const std::string& fields) {
    return "\"structs\": {\"s\": {\"fields\": {" + fields + "}}},";
  };
  return step(document("\"a\": \"s\"", released + with(older)),
              document("\"a\": \"s\"", with(newer), "2"), says);
}

/// Returns a type with equal versions of these labels, and an evolution with these steps.
Files versions(const Labels& labels, const std::string& all) {
  Files files{{"t/evolution.json", steps(all)}};
  for (const std::string& label : labels) {
    const bool is_preview = label.find('p') != std::string::npos;
    files["t/v" + label + ".json"] =
        document("\"a\": \"bool\"", released, is_preview ? "\"" + label + "\"" : label);
  }
  return files;
}

/// Returns three versions with an enum of these values. `first` and `second` are the changes of its
/// values in the two steps.
Files values(const Labels& all, const std::string& first, const std::string& second) {
  const auto version = [&](std::size_t i) {
    return document("\"a\": \"mode\"", released + "\"enums\": {" + all[i] + "},",
                    std::to_string(i + 1));
  };
  const auto change = [](const std::string& from, const std::string& to, const std::string& how) {
    return R"({"from": )" + from + R"(, "to": )" + to +
           (how.empty() ? "}" : R"(, "enums": {"mode": {"values": {)" + how + "}}}}");
  };
  return {{"t/v1.json", version(0)},
          {"t/v2.json", version(1)},
          {"t/v3.json", version(2)},
          {"t/evolution.json", steps(change("1", "2", first) + ", " + change("2", "3", second))}};
}

class InvalidDocument : public testing::TestWithParam<Mistake> {};

TEST_P(InvalidDocument, IsReportedOnceWithLocationAndFix) {
  expect_finding(GetParam());
}

const Mistake mistakes_of_fields[] = {
    {"FieldVanished",
     fields_step("\"a\": \"bool\", \"b\": \"bool\"", "\"a\": \"bool\"", ", \"fields\": ^{}"),
     "unexplained-change", "\"b\": {\"removed\": true}"},
    {"FieldUnexplained", fields_step("\"a\": \"bool\"", "\"a\": \"bool\", ^\"b\": \"bool\"", ""),
     "unexplained-change", "\"b\": {\"added\": true}"},
    {"FieldRetyped", fields_step("\"a\": \"bool\"", "^\"a\": \"string\"", ""), "unexplained-change",
     "\"a\": {\"hook\": true}"},
    {"RenamedFromUnknown",
     fields_step("\"old\": \"bool\"", "\"new_one\": \"bool\"",
                 ", \"fields\": {\"new_one\": {\"renamed_from\": ^\"odl\"}, \"old\": {\"removed\": "
                 "true}}"),
     "unknown-field", "did you mean 'old'?"},
    {"HookWithoutStep",
     fields_step("\"a\": \"bool\"", "\"a\": \"string\"",
                 ", \"fields\": {^\"a\": {\"hook\": true}}"),
     "missing-hook", "add it"},
    {"TwoChanges",
     fields_step("\"a\": \"bool\"", "\"a\": \"string\"",
                 ", \"hook\": true, \"fields\": {^\"a\": {\"hook\": true, \"renamed_from\": "
                 "\"a\"}}"),
     "contradictory-metadata", "remove \"renamed_from\" here"},
    {"ChangeExplainsNothing",
     fields_step("\"a\": \"bool\"", "\"a\": \"bool\"", ", \"fields\": {^\"a\": {\"added\": true}}"),
     "unused-metadata", "remove"},
    {"ChangeTheWrongWayRound",
     fields_step(R"("a": "bool", "b": "bool")", R"("a": "bool")",
                 R"(, "fields": {^"b": {"added": true}})"),
     "unused-metadata", R"(write "b": {"removed": true})"},
    {"AddedAndRemoved",
     fields_step(R"("a": "bool")", R"("a": "bool", "b": "bool")",
                 R"(, "fields": {^"b": {"added": true, "removed": true}})"),
     "unused-metadata", "remove \"removed\" here"},
    {"AddedAndRenamed",
     fields_step(R"("a": "bool")", R"("b": "bool")",
                 R"(, "fields": {^"b": {"added": true, "renamed_from": "a"},
                                 "a": {"removed": true}})"),
     "contradictory-metadata", "remove \"added\" here"},
    {"FieldOfAWiderType", fields_step(R"("a": "int32")", R"(^"a": "int64")", ""),
     "unexplained-change",
     R"("a": {"widened": true} to the "fields" of the step, or {"hook": true})"},
    {"RenamedFieldOfAWiderType",
     fields_step(R"("a": "string")", R"(^"b": "list<string>")",
                 R"(, "fields": {"b": {"renamed_from": "a"}})"),
     "unexplained-change",
     R"("widened": true to the entry of 'b' in the "fields" of the step, or "a": {"hook": true})"},
    {"WidenedToANarrowerType",
     fields_step(R"("a": "int64")", R"(^"a": "int32")", R"(, "fields": {"a": {"widened": true}})"),
     "unexplained-change", R"("a": {"hook": true})"},
    {"WidenedFromJson",
     fields_step(R"("a": "json")", R"(^"a": "list<json>")",
                 R"(, "fields": {"a": {"widened": true}})"),
     "unexplained-change", R"("a": {"hook": true})"},
    {"WidenedToTheSameType",
     fields_step(R"("a": "int32")", R"("a": "optional<int32>")",
                 R"(, "fields": {^"a": {"widened": true}})"),
     "unused-metadata", "remove \"widened\" here"},
    {"WidenedFromNothing",
     fields_step(R"("a": "bool")", R"("a": "bool", ^"b": "bool")",
                 R"(, "fields": {"b": {"widened": true}})"),
     "unexplained-change", R"("b": {"added": true})"},
    {"WidenedAndAdded",
     fields_step(R"("a": "bool")", R"("a": "bool", "b": "bool")",
                 R"(, "fields": {^"b": {"widened": true, "added": true}})"),
     "contradictory-metadata", "remove \"widened\" here"},
    {"ChangeOfUnknownField",
     fields_step("\"width\": \"bool\"", "\"width\": \"bool\"",
                 ", \"hook\": true, \"fields\": {^\"widht\": {\"hook\": true}}"),
     "unknown-field", "did you mean 'width'?"},
    {"FieldNamedBag",
     {{"t/v1.json", document("^\"bag\": \"bytes\"")}},
     "name-taken",
     "another name"},
    {"FieldNamedAsFunctionOfStorage",
     {{"t/v1.json", document("^\"for_each_field\": \"bool\"")}},
     "name-taken",
     "another name"},
    {"StructNamedAsView",
     {{"t/v1.json", document("\"a\": \"bool\"",
                             "\"structs\": {\"view\": {\"fields\": {\"a\": \"bool\"}}},", "^1")}},
     "name-taken",
     "rename"},
    {"StructNamedAsType",
     {{"t/v1.json",
       document("\"a\": \"bool\"", "\"structs\": {^\"t_v1\": {\"fields\": {\"a\": \"bool\"}}},")}},
     "name-taken",
     "rename"},
};

const Mistake mistakes_of_parts[] = {
    {"StructFieldVanished",
     struct_step(R"("x": "bool", "y": "bool")", R"("x": "bool")",
                 R"(, "structs": {"s": {"fields": ^{"x": {"hook": true}}}}, "hook": true)"),
     "unexplained-change", R"("y": {"removed": true})"},
    {"StructFieldUnexplained", struct_step(R"("x": "bool")", R"("x": "bool", ^"y": "bool")", ""),
     "unexplained-change", R"("y": {"added": true})"},
    {"StructFieldRetyped", struct_step(R"("x": "bool")", R"(^"x": "string")", ""),
     "unexplained-change", R"("x": {"hook": true})"},
    {"StructFieldUnknown",
     struct_step(R"("x": "bool")", R"("x": "bool")",
                 R"(, "structs": {"s": {"fields": {^"z": {"added": true}}}})"),
     "unknown-field", "remove"},
    {"StructHookWithoutStep",
     struct_step(R"("x": "bool")", R"("x": "string")",
                 R"(, "structs": {"s": {"fields": {^"x": {"hook": true}}}})"),
     "missing-hook", "add it"},
    {"StructUnknown",
     struct_step(R"("x": "bool")", R"("x": "bool")", R"(, "structs": {^"ss": {"fields": {}}})"),
     "unknown-struct", "did you mean 's'?"},
    {"StructWithoutChanges",
     struct_step(R"("x": "bool")", R"("x": "bool")", R"(, "structs": {"s": {"fields": ^{}}})"),
     "unused-metadata", "remove"},
    {"StructSaysNothing",
     struct_step(R"("x": "bool")", R"("x": "bool")", R"(, "structs": {^"s": {}})"),
     "unused-metadata", "remove"},
    {"StructIsNew",
     step(document(R"("a": "bool")", released),
          document(R"("a": "bool")", R"("structs": {"s": {"fields": {"x": "bool"}}},)", "2"),
          R"(, "structs": {^"s": {"fields": {"x": {"added": true}}}})"),
     "unused-metadata", "renamed_from"},
    {"StructRenamedWithoutAWord",
     step(document(R"("a": "s")", released + R"("structs": {"s": {"fields": {"x": "bool"}}},)"),
          document(R"(^"a": "r")", R"("structs": {"r": {"fields": {"x": "bool"}}},)", "2"), ""),
     "unexplained-change", R"("structs": {"r": {"renamed_from": "s"}})"},
    {"StructRenamedFromUnknown",
     step(document(R"("a": "bool")", released + R"("structs": {"s": {"fields": {"x": "bool"}}},)"),
          document(R"("a": "bool")", R"("structs": {"r": {"fields": {"x": "bool"}}},)", "2"),
          R"(, "structs": {"r": {"renamed_from": ^"q"}})"),
     "unknown-struct", "remove it"},
    {"StructFieldNamedBag",
     {{"t/v1.json",
       document(R"("a": "bool")", R"("structs": {"s": {"fields": {^"bag": "bytes"}}},)")}},
     "name-taken",
     "another name"},
    {"StructFieldNamedAsFunctionOfStorage",
     {{"t/v1.json", document(R"("a": "bool")",
                             R"("structs": {"s": {"fields": {^"for_each_field": "bool"}}},)")}},
     "name-taken",
     "another name"},
    {"EnumUnknown",
     step(document(R"("a": "bool")", released + R"("enums": {"mode": ["fast"]},)"),
          document(R"("a": "bool")", R"("enums": {"mode": ["fast"]},)", "2"),
          R"(, "enums": {^"moode": {"renamed_from": "mode"}})"),
     "unknown-enum", "did you mean 'mode'?"},
    {"EnumRenamedButThere",
     step(document(R"("a": "bool")", released + R"("enums": {"a": ["x"]},)"),
          document(R"("a": "bool")", R"("enums": {"a": ["x"], "b": ["x"]},)", "2"),
          R"(, "enums": {"b": {"renamed_from": ^"a"}})"),
     "contradictory-metadata", "remove it: 'b' is new"},
    {"EnumRenamedTwice",
     step(document(R"("a": "bool")", released + R"("enums": {"a": ["x"]},)"),
          document(R"("a": "bool")", R"("enums": {"b": ["x"], "c": ["x"]},)", "2"),
          R"(, "enums": {"b": {"renamed_from": "a"}, "c": {"renamed_from": ^"a"}})"),
     "contradictory-metadata", R"(use "split_from" in both)"},
    {"EnumRenamedAndSplit",
     step(document(R"("a": "bool")", released + R"("enums": {"a": ["x"]},)"),
          document(R"("a": "bool")", R"("enums": {"b": ["x"], "c": ["x"]},)", "2"),
          R"(, "enums": {"b": {"renamed_from": "a"}, "c": {"split_from": ^"a"}})"),
     "contradictory-metadata", R"(use "split_from" in both)"},
    {"EnumSplitAndRenamedItself",
     step(document(R"("a": "bool")", released + R"("enums": {"a": ["x"]},)"),
          document(R"("a": "bool")", R"("enums": {"a": ["x"], "c": ["x"]},)", "2"),
          R"(, "enums": {^"c": {"renamed_from": "a", "split_from": "a"}})"),
     "contradictory-metadata", R"(remove "renamed_from" here)"},
    {"StructSplitIntoOne",
     step(document(R"("a": "s")", released + R"("structs": {"s": {"fields": {"x": "bool"}}},)"),
          document(R"("a": "r")", R"("structs": {"r": {"fields": {"x": "bool"}}},)", "2"),
          R"(, "structs": {"r": {"split_from": ^"s"}})"),
     "contradictory-metadata", R"(use "renamed_from" instead)"},
    {"StructSplitFromUnknown",
     step(document(R"("a": "bool")", released + R"("structs": {"s": {"fields": {"x": "bool"}}},)"),
          document(R"("a": "bool")", R"("structs": {"r": {"fields": {"x": "bool"}}},)", "2"),
          R"(, "structs": {"r": {"split_from": ^"q"}})"),
     "unknown-struct", "remove it"},
    {"StructSplitWithoutAWord",
     step(document(R"("a": "s", "b": "s")",
                   released + R"("structs": {"s": {"fields": {"x": "bool"}}},)"),
          document(R"(^"a": "r", "b": "s")",
                   R"("structs": {"r": {"fields": {"x": "bool"}},
                                  "s": {"fields": {"x": "bool"}}},)",
                   "2"),
          ""),
     "unexplained-change", R"("structs": {"r": {"split_from": "s"}})"},
    {"EnumWithoutAWord",
     step(document(R"("a": "mode")", released + R"("enums": {"mode": ["x"]},)"),
          document(R"(^"a": "way")", R"("enums": {"way": ["x"]},)", "2"), ""),
     "unexplained-change", R"("enums": {"way": {"renamed_from": "mode"}})"},
    {"ValueVanished",
     step(document(R"("a": "mode")", released + R"("enums": {"mode": ["x", "y"]},)"),
          document(R"("a": "mode")", R"("enums": {"mode": ["x"]},)", "2"), R"(, "enums": ^{})"),
     "unexplained-change", R"("y": {"removed": true} to the "values" of 'mode')"},
    {"ValueRenamedFromUnknown",
     step(document(R"("a": "mode")", released + R"("enums": {"mode": ["fast"]},)"),
          document(R"("a": "mode")", R"("enums": {"mode": ["fast", "new"]},)", "2"),
          R"(, "enums": {"mode": {"values": {"new": {"renamed_from": ^"fats"}}}})"),
     "unknown-value", "did you mean 'fast'?"},
    {"ValueRenamedToARemovedOne",
     values({R"("mode": ["low", "high"])", R"("mode": ["low"])", R"(^"mode": ["high"])"},
            R"("high": {"removed": true})", R"("high": {"renamed_from": "low"})"),
     "contradictory-metadata", "give it another name"},
    {"ValueWithTheNameOfARenamedOne",
     values({R"("mode": ["high"])", R"("mode": ["top"])", R"(^"mode": ["top", "high"])"},
            R"("top": {"renamed_from": "high"})", ""),
     "contradictory-metadata", "give it another name"},
    {"RenamedOverWhatWasThere",
     fields_step(R"("a": "bool", "b": "bool")", R"("b": "bool")",
                 R"(, "fields": ^{"b": {"renamed_from": "a"}})"),
     "unexplained-change", R"("removed": true to the entry of 'b')"},
    {"ShiftWithoutAWord",
     fields_step(R"("size": "int32")", R"("size_bytes": "int32", ^"size": "int32")",
                 R"(, "fields": {"size_bytes": {"renamed_from": "size"}})"),
     "unexplained-change", R"("size": {"added": true})"},
    {"RemovedAndRenamed",
     fields_step(R"("a": "bool")", R"("b": "bool")",
                 R"(, "fields": {"b": {"renamed_from": "a"}, ^"a": {"removed": true}})"),
     "contradictory-metadata", "remove \"removed\""},
    {"RenamedToItself",
     fields_step(R"("a": "bool")", R"("a": "bool")",
                 R"(, "fields": {^"a": {"renamed_from": "a"}})"),
     "unused-metadata", "remove \"renamed_from\" here"},
    {"RenamedAndRetyped",
     fields_step(R"("a": "bool")", R"(^"b": "string")",
                 R"(, "fields": {"b": {"renamed_from": "a"}})"),
     "unexplained-change", R"("a": {"hook": true} and "b": {"hook": true})"},
    {"ElementRetyped", fields_step(R"("a": "list<bool>")", R"(^"a": "list<string>")", ""),
     "unexplained-change", R"("a": {"hook": true})"},
};

const Mistake mistakes_of_previews[] = {
    {"FileOfPreviewZero",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v2preview0.json", document("\"a\": \"bool\"", "", "\"2preview0\"")}},
     "bad-file-name",
     "rename"},
    {"FileOfPreviewOfZero",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v0preview1.json", document("\"a\": \"bool\"", "", "\"0preview1\"")}},
     "bad-file-name",
     "rename"},
    {"FileWithALeadingZero",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v02.json", document("\"a\": \"bool\"", "", "2")}},
     "bad-file-name",
     "rename"},
    {"FileOfPreviewWithALeadingZero",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v2preview01.json", document("\"a\": \"bool\"", "", "\"2preview01\"")}},
     "bad-file-name",
     "rename"},
    {"VersionWithALeadingZero",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v2preview1.json", document("\"a\": \"bool\"", "", "^\"02preview1\"")}},
     "wrong-type",
     ""},
    {"FileThatDiffersByCase",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/V1.json", document("\"a\": \"bool\"", released)}},
     "bad-file-name",
     "rename"},
    {"PreviewSaysAnotherVersion",
     {{"t/v1preview1.json", document("\"a\": \"bool\"", "", "^1")}},
     "wrong-version",
     "write \"1preview1\""},
    {"VersionOfNoForm",
     {{"t/v1preview1.json", document("\"a\": \"bool\"", "", "^\"1-preview1\"")}},
     "wrong-type",
     "3preview1"},
    {"GapInPreviews", versions({"1", "2preview2"}, "{\"from\": 1, \"to\": \"2preview2\"}"),
     "version-gap", "add v2preview1.json"},
    {"PreviewTooFarAhead", versions({"1", "3preview1"}, "{\"from\": 1, \"to\": \"3preview1\"}"),
     "version-gap", "add v2.json"},
    {"ReleaseBehindAPreviewOfAnother",
     versions({"1preview1", "2"}, "{\"from\": \"1preview1\", \"to\": 2}"), "version-gap",
     "add v1.json"},
    {"StepOfPreviewMissing",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v2preview1.json", document("\"a\": \"bool\"", "", "\"2preview1\"")},
      {"t/evolution.json", R"({"type": "a.example/t", "steps": ^[]})"}},
     "missing-step",
     R"({"from": 1, "to": "2preview1", ...})"},
    {"StepFromPreviewToRelease",
     versions({"1", "2preview1", "2"},
              R"({"from": 1, "to": "2preview1"}, {"from": 1, "to": 2},
                 {"from": ^"2preview1", "to": 2})"),
     "unknown-step", "write \"from\": 1"},
    {"StepToTheFirst", versions({"1"}, "{\"from\": ^1, \"to\": 1}"), "unknown-step",
     "the first version"},
    {"KindWithPreview",
     {{"k/v1preview1.json",
       R"({"kind": "a.example/k", "version": "1preview1", "doc": "D.", "methods": [
           {"name": "m", "doc": "D.", "threading": "any"}]})"}},
     "preview-of-kind",
     "draft"},
    {"TwoDraftsOfPreviews",
     {{"t/v1preview1.json", document("\"a\": \"bool\"", "", "\"1preview1\"")},
      {"t/v1preview2.json", document("\"a\": \"bool\"", "", "^\"1preview2\"")},
      {"t/evolution.json", steps(R"({"from": "1preview1", "to": "1preview2"})")}},
     "two-drafts",
     "release version 1preview1"},
    {"ReleaseNamesPreview",
     {{"t/v1preview1.json", document("\"a\": \"bool\"", released, "\"1preview1\"")},
      {"u/v1.json", R"({"type": "a.example/u", "version": ^1, "doc": "D.",)" + released +
                        R"("fields": {"t": "t@1preview1"}})"}},
     "preview-in-released",
     "use a release"},
    {"PropertyNamesPreview",
     {{"t/v1preview1.json", document("\"a\": \"bool\"", released, "\"1preview1\"")},
      {"k/v1.json", R"({"kind": "a.example/k", "version": ^1, "doc": "D.",)" + released +
                        R"("properties": {"p": "t@1preview1"}, "methods": [
         {"name": "m", "doc": "D.", "threading": "any"}]})"}},
     "preview-in-released",
     "use a release"},
};

const Mistake mistakes_of_lives[] = {
    {"RemovedAndDeprecated",
     {{"t/v1.json", document("\"a\": \"bool\"",
                             R"("life": {"released": {"version": "0.1.0", "date": "2026-11-21"},
                   "deprecated": ^"Use 2.", "removed": "Nobody reads it."},)")}},
     "bad-life",
     "keep only \"removed\""},
    {"RemovedWithoutRelease",
     {{"t/v1.json", document("\"a\": \"bool\"", R"("life": ^{"removed": "Nobody reads it."},)")}},
     "missing-key",
     "\"released\""},
    {"RemovedWithoutReason",
     {{"t/v1.json", document("\"a\": \"bool\"",
                             R"("life": {"released": {"version": "0.1.0", "date": "2026-11-21"},
                                "removed": ^true},)")}},
     "wrong-type",
     "a string"},
    {"KindRemoved",
     {{"k/v1.json", R"({"kind": "a.example/k", "version": 1, "doc": "D.",
       "life": {"released": {"version": "0.1.0", "date": "2026-11-21"}, "removed": ^"Old."},
       "methods": [{"name": "m", "doc": "D.", "threading": "any"}]})"}},
     "bad-life",
     "deprecated"},
    {"KindNamesWhatWasRemoved",
     {{"t/v1.json", document("\"a\": \"bool\"", removed)},
      {"k/v1.json", R"({"kind": "a.example/k", "version": ^1, "doc": "D.", "methods": [
         {"name": "m", "doc": "D.", "threading": "any", "request": {"t": "list<t@1>"}}]})"}},
     "removed-in-use",
     "newer version"},
    {"PropertyNamesWhatWasRemoved",
     {{"t/v1.json", document("\"a\": \"bool\"", removed)},
      {"k/v1.json", R"({"kind": "a.example/k", "version": ^1, "doc": "D.",
         "properties": {"p": {"type": "t@1"}}, "methods": [
         {"name": "m", "doc": "D.", "threading": "any"}]})"}},
     "removed-in-use",
     "newer version"},
    {"TypeNamesWhatWasRemoved",
     {{"t/v1.json", document("\"a\": \"bool\"", removed)},
      {"u/v1.json", R"({"type": "a.example/u", "version": ^1, "doc": "D.",
                        "fields": {"t": "t@1"}})"}},
     "removed-in-use",
     "newer version"},
};

#define MISTAKES(table) \
  INSTANTIATE_TEST_SUITE_P(table, InvalidDocument, testing::ValuesIn(mistakes_of_##table), name_of)

MISTAKES(fields);
MISTAKES(parts);
MISTAKES(previews);
MISTAKES(lives);

// -- Valid types --------------------------------------------------------------

Model load(const Files& files) {
  const World world;
  for (const auto& [path, text] : files) world.write(path, text);
  Diagnostics findings;
  Model model = load_specs({.directories = {world.root().string()}}, findings);
  for (const Diagnostic& finding : findings.all()) ADD_FAILURE() << to_text(finding);
  return model;
}

const DocumentVersion& version(const Document& document, const std::string& label) {
  for (const auto& version : document.versions) {
    if (version->label == label) return *version;
  }
  throw std::out_of_range(label);
}

Labels path(const Document& document, const std::string& from, const std::string& to) {
  Labels labels;
  for (const auto* at : document.path(version(document, from), version(document, to))) {
    labels.push_back(at->label);
  }
  return labels;
}

TEST(Documents, KeepPreviewsBesideTheChainOfReleases) {
  const Model model = load(versions({"1", "2preview1", "2preview2", "2", "3preview1"},
                                    R"({"from": 1, "to": 2}, {"from": 1, "to": "2preview1"},
                       {"from": "2preview1", "to": "2preview2"}, {"from": 2, "to": "3preview1"})"));
  const Document& type = *model.documents.at(0);
  Labels labels;
  for (const auto& one : type.versions) labels.push_back(one->label);
  EXPECT_EQ(labels, (Labels{"1", "2preview1", "2preview2", "2", "3preview1"}));
  EXPECT_EQ(type.steps.size(), 4u);
  EXPECT_EQ(type.hub().label, "2");
  EXPECT_EQ(type.latest().label, "2");
  EXPECT_EQ(path(type, "2preview2", "3preview1"),
            (Labels{"2preview2", "2preview1", "1", "2", "3preview1"}));
  EXPECT_EQ(path(type, "2", "1"), (Labels{"2", "1"}));
  EXPECT_EQ(path(type, "2", "2"), Labels{"2"});
  EXPECT_EQ(version(type, "2preview1").c_name, "a_t_v2preview1");
  EXPECT_EQ(version(type, "2preview1").header, "a/t/v2preview1.h");
}

TEST(Documents, OrderVersionsNumerically) {
  Labels labels;
  std::string all;
  for (int number = 1; number <= 11; ++number) {
    labels.push_back(std::to_string(number));
    if (number == 1) continue;
    all += (number == 2 ? "" : ", ") + std::string("{\"from\": ") + std::to_string(number - 1) +
           ", \"to\": " + std::to_string(number) + "}";
  }
  const Model model = load(versions(labels, all));
  EXPECT_EQ(model.documents.at(0)->hub().label, "11");
}

TEST(Documents, HaveTheNewestDraftAsHubBeforeARelease) {
  const Model model =
      load(versions({"1preview1", "1preview2"}, R"({"from": "1preview1", "to": "1preview2"})"));
  EXPECT_EQ(model.documents.at(0)->hub().label, "1preview2");
  const Model released_too =
      load(versions({"1preview1", "1"}, R"({"from": "1preview1", "to": 1})"));
  EXPECT_EQ(released_too.documents.at(0)->hub().label, "1");
}

TEST(Documents, HaveTheNewestReleaseAsHub) {
  const Model model = load(fields_step("\"a\": \"bool\"", "\"a\": \"bool\"", ""));
  EXPECT_EQ(model.documents.at(0)->hub().label, "1");
  EXPECT_EQ(model.documents.at(0)->latest().label, "2");
}

TEST(Documents, MayReferToRemovedVersionsIfRemoved) {
  Files files{{"t/v1.json", document("\"a\": \"bool\"", removed)},
              {"u/v1.json", R"({"type": "a.example/u", "version": 1, "doc": "D.",)" + removed +
                                R"("fields": {"t": "t@1"}})"}};
  const Model model = load(files);
  EXPECT_EQ(model.documents.at(0)->hub().label, "1");
  EXPECT_TRUE(model.documents.at(0)->hub().removed());
  EXPECT_EQ(model.documents.at(0)->hub().life.message, "Nobody reads it.");
}

TEST(Documents, ConvertCompatibleChangesWithoutAnEntry) {
  const std::string nested = R"({"type": "a.example/u", "version": )";
  Files files = step(
      document(R"("a": "bool", "b": "optional<mode>", "c": "list<s>", "d": "optional<map<u@1>>")",
               released + R"("enums": {"mode": ["fast", "slow"]},
                             "structs": {"s": {"fields": {"x": "mode", "gone": "bool"}}},)"),
      document(R"("a": "optional<bool>", "b": "way", "c": "optional<list<r>>", "d": "map<u@2>")",
               R"("enums": {"way": ["slow", "faster"]},
                  "structs": {"r": {"fields": {"y": "optional<way>", "fresh": "r2"}},
                              "r2": {"fields": {"z": "bool"}}},)",
               "2"),
      R"(, "enums": {"way": {"renamed_from": "mode", "values": {"fast": {"removed": true}}}},
           "structs": {"r": {"renamed_from": "s", "fields": {"y": {"renamed_from": "x"},
             "fresh": {"added": true}, "gone": {"removed": true}}}})");
  files["u/v1.json"] = nested + R"(1, "doc": "D.",)" + released + R"("fields": {}})";
  files["u/v2.json"] = nested + R"(2, "doc": "D.",)" + released + R"("fields": {}})";
  files["u/evolution.json"] = R"({"type": "a.example/u", "steps": [{"from": 1, "to": 2}]})";
  const Model model = load(files);
  const DocumentStep& only = model.documents.at(0)->steps.at(0);
  ASSERT_EQ(only.enums.size(), 1u);
  EXPECT_EQ(only.enums[0].older->name, "mode");
  ASSERT_EQ(only.structs.size(), 1u);
  EXPECT_EQ(only.structs[0].newer->name, "r");
  Labels fields;
  for (const FieldStep& field : only.structs[0].fields) {
    fields.push_back((field.older != nullptr ? field.older->name : "-") + ">" +
                     (field.newer != nullptr ? field.newer->name : "-"));
  }
  EXPECT_EQ(fields, (Labels{"x>y", "->fresh", "gone>-"}));
}

TEST(Documents, MayRestoreTheNamesOfValues) {
  const std::string high = R"("mode": ["high"])";
  load(values({high, R"("mode": ["top"])", high}, R"("top": {"renamed_from": "high"})",
              R"("high": {"renamed_from": "top"})"));
  const std::string both = R"("mode": ["low", "high"])";
  load(values({both, R"("mode": ["low"])", both}, R"("high": {"removed": true})", ""));
}

TEST(Documents, RestoreReturningFieldsFromTheBag) {
  const auto with = [](const std::string& fields, const std::string& label) {
    return document(fields + R"(, "s": "s")",
                    released + R"("structs": {"s": {"fields": {)" + fields + "}}},", label);
  };
  const auto entry = [](const std::string& says) {
    return R"("fields": {)" + says + R"(}, "structs": {"s": {"fields": {)" + says + "}}}}";
  };
  const std::string kept = R"("k": "bool")";
  const Files files{
      {"t/v1.json", with(kept + R"(, "x": "int32", "y": "int32")", "1")},
      {"t/v2.json", with(kept, "2")},
      {"t/v3.json", with(kept + R"(, "x": "optional<int32>", "y": "string")", "3")},
      {"t/evolution.json", steps(R"({"from": 1, "to": 2, )" +
                                 entry(R"("x": {"removed": true}, "y": {"removed": true})") +
                                 R"(, {"from": 2, "to": 3, )" +
                                 entry(R"("x": {"added": true}, "y": {"added": true})"))}};
  const Model model = load(files);
  const auto origins = [](const std::vector<FieldStep>& fields, const std::string& name) {
    for (const FieldStep& field : fields) {
      const Field* there = field.older != nullptr ? field.older : field.newer;
      if (there->name == name) {
        return (field.older != nullptr ? field.older_origins : field.newer_origins).versions;
      }
    }
    throw std::out_of_range(name);
  };
  const Document& type = *model.documents.at(0);
  for (const DocumentStep& one : type.steps) {
    const bool goes = one.from->number == 1;
    for (const auto* fields : {&one.fields, &one.structs.at(0).fields}) {
      EXPECT_EQ(origins(*fields, "x"), (Labels{"1", "3"}));
      EXPECT_EQ(origins(*fields, "y"), Labels{goes ? "1" : "3"});
      EXPECT_EQ(origins(*fields, "k"), (Labels{"1", "2", "3"}));
    }
  }
}

TEST(Documents, HaveABagInEachStruct) {
  Files files = struct_step(R"("x": "bool")", R"("x": "bool")", "");
  files["k/v1.json"] = R"({"kind": "a.example/k", "version": 1, "doc": "D.",
    "structs": {"s": {"fields": {"bag": "bool"}}},
    "methods": [{"name": "m", "doc": "D.", "threading": "any", "request": {"s": "s"}}]})";
  const Model model = load(files);
  const Struct& own = *model.documents.at(0)->latest().structs.at(0);
  const Struct& of_kind = *model.kinds.at(0)->latest().structs.at(0);
  EXPECT_TRUE(own.bag);
  EXPECT_EQ(layout_of(own).whole.size, 24u);
  EXPECT_FALSE(of_kind.bag);
  EXPECT_EQ(layout_of(of_kind).whole.size, 1u);
}

}  // namespace
