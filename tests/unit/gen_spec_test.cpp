// SPDX-License-Identifier: BSL-1.0
//
// Invalid specs of kinds, and problems of specs in general.
#include <gtest/gtest.h>

#include "gen/load.hpp"
#include "gen_mistakes.hpp"

namespace {

using namespace tenon::tests;
using tenon::gen::Diagnostic;
using tenon::gen::Diagnostics;
using tenon::gen::load_specs;

std::string kind(const std::string& methods, const std::string& more = "", int version = 1) {
  return "{\"kind\": \"a.example/k\", \"version\": " + std::to_string(version) +
         ", \"doc\": \"A kind.\"," + more + "\n\"methods\": [" + methods + "]}";
}

std::string method(const std::string& more, const std::string& name = "m") {
  return "{\"name\": \"" + name + "\", \"doc\": \"A method.\", \"threading\": \"any\"" + more + "}";
}

std::string request(const std::string& fields) {
  return method(",\n\"request\": {" + fields + "}");
}

/// Returns two versions of a kind. `says` are further keys of its step.
Files step(const std::string& older, const std::string& newer, const std::string& says,
           const std::string& more = "") {
  return {{"k/v1.json", kind(older, released + more)},
          {"k/v2.json", kind(newer, more, 2)},
          {"k/evolution.json", evolution("{\"from\": 1, \"to\": 2" + says + "}")}};
}

Files methods_step(const std::string& older, const std::string& newer, const std::string& changes,
                   const std::string& more = "") {
  return step(older, newer, ",\n\"methods\": {" + changes + "}", more);
}

Files one(const std::string& spec) {
  return {{"k/v1.json", spec}};
}

class InvalidSpec : public testing::TestWithParam<Mistake> {};

TEST_P(InvalidSpec, IsReportedOnceWithLocationAndFix) {
  expect_finding(GetParam());
}

const Mistake mistakes_of_json[] = {
    {"JsonBroken", one("{\"kind\": \"a.example/k\",\n \"version\" ^1}"), "not-json", "correct"},
    {"JsonEndsEarly", one("{\"kind\": \"a.example/k\",\n \"version\": 1^\n"), "not-json",
     "correct"},
    {"JsonTooDeep", one("{\"kind\": " + std::string(31, '[') + "^["), "not-json", "correct"},
    {"JsonWithByteOrderMark", one("^\xef\xbb\xbf" + kind(method(""))), "not-json",
     "without a byte order mark"},
    {"KeyTwice", one(kind(method(", ^\"name\": \"m\""))), "duplicate-key", "remove"},
    {"UnknownKey", one(kind(method(",\n ^\"thraeding\": \"any\""))), "unknown-key",
     "did you mean 'threading'?"},
    {"UnknownKeyOfKind", one(kind(method(""), "\n ^\"method\": 1,")), "unknown-key",
     "did you mean 'methods'?"},
    {"MissingKey", one(kind("\n ^{\"name\": \"m\", \"doc\": \"A method.\"}")), "missing-key",
     "\"threading\""},
    {"MissingKind", one("^{\"knd\": \"a.example/k\", \"version\": 1}"), "missing-key", "\"kind\""},
    {"WrongForm", one(kind(method(", \"required\": ^\"yes\""))), "wrong-type", "true or false"},
    {"WrongFormOfMethods",
     one("{\"kind\": \"a.example/k\", \"version\": 1, \"doc\": \"D.\", \"methods\": ^{}}"),
     "wrong-type", "an array"},
    {"EmptyText", one(kind("{\"name\": \"m\", \"doc\": ^\"\", \"threading\": \"any\"}")),
     "wrong-type", "write a value"},
    {"ColumnsCountCharacters",
     one(kind("{\"name\": \"m\", \"doc\": \"\xc3\xa4\", \"threading\": \"any\", \"blocks\": ^1}")),
     "wrong-type", "a string"},
};

const Mistake mistakes_of_families[] = {
    {"VersionDiffersFromFile",
     one("{\"kind\": \"a.example/k\", \"version\": ^2, \"doc\": \"D.\", \"methods\": [" +
         method("") + "]}"),
     "wrong-version", "write 1"},
    {"KindDiffersFromDirectory",
     {{"k/v1.json", kind(method(""), released)},
      {"k/v2.json",
       "{\"kind\": ^\"a.example/other\", \"version\": 2, \"doc\": \"D.\", "
       "\"methods\": []}"}},
     "wrong-kind",
     "write 'a.example/k'"},
    {"EvolutionDiffersFromDirectory",
     {{"k/v1.json", kind(method(""))},
      {"k/evolution.json", "{\"kind\": ^\"a.example/other\", \"steps\": []}"}},
     "wrong-kind",
     "write 'a.example/k'"},
    {"GapInVersions",
     {{"k/v1.json", kind(method(""), released)}, {"k/v3.json", kind(method(""), "", 3)}},
     "version-gap",
     "add v2.json"},
    {"KindInTwoDirectories",
     {{"a/v1.json", kind(method(""))},
      {"b/v1.json", "{\"kind\": ^\"a.example/k\", \"version\": 1, \"doc\": \"D.\", \"methods\": [" +
                        method("") + "]}"}},
     "duplicate-spec",
     "keep one"},
    {"KindsWithOneNameInC",
     {{"a/v1.json", kind(method(""))},
      {"b/v1.json", "{\"kind\": ^\"a.other/k\", \"version\": 1, \"doc\": \"D.\", \"methods\": [" +
                        method("") + "]}"}},
     "name-taken",
     "rename"},
    {"KindAndTypeWithOneNameInC",
     {{"a/v1.json", kind(method(""))},
      {"b/v1.json",
       "{\"type\": ^\"a.example/k\", \"version\": 1, \"doc\": \"D.\", \"fields\": {}}"}},
     "name-taken",
     "rename"},
    {"KindAndTypeAtOnce",
     {{"k/v1.json", "{\"kind\": \"a.example/k\", \"type\": ^\"a.example/k\", \"version\": 1}"}},
     "contradictory-metadata",
     "remove one"},
    {"KindWithoutDomain", one("{\"kind\": ^\"filter\", \"version\": 1}"), "bad-name", "domain"},
    {"KindWithLongName",
     one("{\"kind\": ^\"photo.example/" + std::string(201, 'f') + "\", \"version\": 1}"),
     "bad-name", "a domain"},
    {"KindOfTenon", one("{\"kind\": ^\"tenon.example/source\", \"version\": 1}"), "bad-name",
     "a domain that you own"},
    {"KindInNamespaceOfKeyword", one("{\"kind\": ^\"int.example/source\", \"version\": 1}"),
     "bad-name", "domain"},
    {"KindInNamespaceOfFunction", one("{\"kind\": ^\"signal.example/source\", \"version\": 1}"),
     "bad-name", "a subdomain such as plugins.photo.example"},
    {"TwoDrafts",
     {{"k/v1.json", kind(method(""))},
      {"k/v2.json", "{\"kind\": \"a.example/k\", \"version\": ^2, \"doc\": \"D.\", \"methods\": [" +
                        method("") + "]}"},
      {"k/evolution.json", evolution("{\"from\": 1, \"to\": 2}")}},
     "two-drafts",
     "release version 1"},
    {"DraftBeforeRelease",
     {{"k/v1.json", "{\"kind\": \"a.example/k\", \"version\": ^1, \"doc\": \"D.\", \"methods\": [" +
                        method("") + "]}"},
      {"k/v2.json", kind(method(""), released, 2)},
      {"k/evolution.json", evolution("{\"from\": 1, \"to\": 2}")}},
     "draft-not-newest",
     "release version 1"},
    {"ReleaseNamesDraft",
     {{"k/v1.json", "{\"kind\": \"a.example/k\", \"version\": ^1, \"doc\": \"D.\", " + released +
                        "\"methods\": [" + request("\"a\": \"t@1\"") + "]}"},
      {"t/v1.json", document("\"a\": \"bool\"")}},
     "draft-in-released",
     "release a.example/t@1"},
    {"PropertyNamesDraft",
     {{"k/v1.json", "{\"kind\": \"a.example/k\", \"version\": ^1, \"doc\": \"D.\", " + released +
                        "\"properties\": {\"p\": \"map<t@1>\"}, \"methods\": [" + method("") +
                        "]}"},
      {"t/v1.json", document("\"a\": \"bool\"")}},
     "draft-in-released",
     "release a.example/t@1"},
    {"RestartDiffers",
     {{"k/v1.json", kind(method(""), released)},
      {"k/v2.json", kind(method(""), "\"restart\": ^\"session\",", 2)},
      {"k/evolution.json", evolution("{\"from\": 1, \"to\": 2}")}},
     "wrong-restart",
     "the same mode in all versions"},
    {"UnknownRestart", one(kind(method(""), "\"restart\": ^\"sesion\",")), "unknown-word",
     "did you mean 'session'?"},
    {"UnknownLife", one(kind(method(""), "\"life\": ^\"drafft\",")), "unknown-word",
     "did you mean 'draft'?"},
    {"DateThatIsNone",
     one(kind(method(""),
              "\"life\": {\"released\": {\"version\": \"1.0.0\", \"date\": "
              "^\"2026-13-01\"}},")),
     "bad-date", "write the date"},
    {"ReleaseThatIsNone",
     one(kind(method(""),
              "\"life\": {\"released\": {\"version\": ^\"1.0\", \"date\": "
              "\"2026-11-21\"}},")),
     "bad-version", "version of the first package"},
};

const std::string two_results = method(", \"response\": {\"a\": \"bool\", \"b\": \"bool\"}");

const Mistake mistakes_of_names[] = {
    {"MethodNotInSnakeCase",
     one(kind("{\"name\": ^\"applyNow\", \"doc\": \"A method.\", "
              "\"threading\": \"any\"}")),
     "bad-name", "write 'apply_now'"},
    {"FieldNotInSnakeCase", one(kind(request("^\"Width\": \"int32\""))), "bad-name",
     "write 'width'"},
    {"FieldIsKeyword", one(kind(request("^\"default\": \"int32\""))), "bad-name", "another name"},
    {"FieldIsKeywordOfGnu", one(kind(request("^\"typeof\": \"int32\""))), "bad-name",
     "another name"},
    {"FieldIsTypeOfHeader", one(kind(request("^\"int32_t\": \"int32\""))), "bad-name",
     "another name"},
    {"FieldIsTypeOfAbi", one(kind(request("^\"tenon_string\": \"string\""))), "bad-name",
     "another name"},
    {"MethodIsMacro", one(kind(method("", "alloca").insert(9, "^"))), "bad-name", "another name"},
    {"MethodIsMacroOfPosix", one(kind(method("", "timeradd").insert(9, "^"))), "bad-name",
     "'timeradd_method'"},
    {"FieldIsMacroOfPosix", one(kind(request("^\"st_mtime\": \"int32\""))), "bad-name",
     "'st_mtime_field'"},
    {"MethodIsKeyword",
     one(kind("{\"name\": ^\"delete\", \"doc\": \"A method.\", \"threading\": "
              "\"any\"}")),
     "bad-name", "another name"},
    {"MethodIsMemberOfTable",
     one(kind("{\"name\": ^\"base\", \"doc\": \"A method.\", "
              "\"threading\": \"any\"}")),
     "name-taken", "another name"},
    {"MethodIsOfEveryPlugin",
     one(kind("{\"name\": ^\"suspend\", \"doc\": \"A method.\", "
              "\"threading\": \"any\"}")),
     "name-taken", "another name"},
    {"MethodTwice",
     one(kind(method("") + ",\n{\"name\": ^\"m\", \"doc\": \"A method.\", "
                           "\"threading\": \"any\"}")),
     "duplicate-name", "remove or rename"},
    {"FieldTwice", one(kind(request("\"a\": \"bool\", ^\"a\": \"bool\""))), "duplicate-key",
     "remove or rename"},
    {"ValueOfEnumTwice", one(kind(method(""), "\"enums\": {\"e\": [\"a\", ^\"a\"]},")),
     "duplicate-name", "remove or rename"},
    {"ValuesOfTwoEnums",
     one(kind(method(""), "\"enums\": {\"mode\": [\"x_fast\"],\n^\"mode_x\": [\"fast\"]},")),
     "name-taken", "rename"},
    {"FieldsDifferByCase", one(kind(request("\"width\": \"bool\", ^\"Width\": \"bool\""))),
     "differs-by-case", "rename"},
    {"MethodsDifferByCase",
     one(kind(method("") + ",\n{\"name\": ^\"M\", \"doc\": \"A method.\", "
                           "\"threading\": \"any\"}")),
     "differs-by-case", "rename"},
    {"EnumNamedAsType", one(kind(method(""), "\"enums\": {^\"string\": [\"a\"]},")), "name-taken",
     "another name"},
    {"StructNamedAsRequest",
     one(kind("{\"name\": ^\"m\", \"doc\": \"A method.\", \"threading\": \"any\"}",
              "\"structs\": {\"m_request\": {\"fields\": {\"a\": \"bool\"}}},")),
     "name-taken", "rename"},
    {"StructNamedAsKind",
     one(kind(method(""), "\"structs\": {^\"k\": {\"fields\": {\"a\": \"bool\"}}},")), "name-taken",
     "rename"},
    {"EnumNamedAsClassOfSdk", one(kind(method(""), "\"enums\": {^\"k_v1\": [\"a\"]},")),
     "name-taken", "rename"},
    {"EnumNamedAsMemberOfSdk", one(kind(method(""), "\"enums\": {^\"interface\": [\"a\"]},")),
     "name-taken", "rename"},
    {"EnumNamedAsResults", one(kind(two_results, "\"enums\": {^\"m_result\": [\"a\"]},")),
     "name-taken", "rename"},
    {"StructWhoseViewIsNamedAsResults",
     one(kind(two_results, "\"structs\": {^\"m\": {\"fields\": {\"a\": \"bool\"}}},")),
     "name-taken", "rename"},
    {"EnumNamedAsView",
     one(kind(method(""),
              "\"enums\": {\"s_view\": [\"a\"]}, "
              "\"structs\": {^\"s\": {\"fields\": {\"a\": \"bool\"}}},")),
     "name-taken", "rename"},
    {"MethodNamedAsRawForm",
     one(kind(method("") + ",\n{\"name\": ^\"raw_m\", \"doc\": \"A method.\", "
                           "\"threading\": \"any\"}")),
     "name-taken", "rename"},
    {"KindNamedAsAdapter",
     {{"f/v1.json", "{\"kind\": \"a.example/f\", \"version\": 1, \"doc\": \"D.\", " + released +
                        "\"methods\": [" + method("") + "]}"},
      {"f/v2.json", "{\"kind\": \"a.example/f\", \"version\": 2, \"doc\": \"D.\", \"methods\": [" +
                        method("") + "]}"},
      {"f/evolution.json", evolution("{\"from\": 1, \"to\": 2}", "\"kind\": \"a.example/f\"")},
      {"g/v1.json",
       "{\"kind\": \"a.example/f_from1\", \"version\": ^1, \"doc\": \"D.\", \"methods\": [" +
           method("") + "]}"}},
     "name-taken",
     "rename"},
    {"TypeNamedAsHandWrittenStep",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v2.json", document("\"a\": \"string\"", "", "2")},
      {"t/evolution.json",
       evolution(R"({"from": 1, "to": 2, "hook": true, "fields": {"a": {"hook": true}}})",
                 "\"type\": \"a.example/t\"")},
      {"u/v1.json",
       "{\"type\": \"a.example/t_step1_to2\", \"version\": ^1, \"doc\": \"D.\", \"fields\": {}}"}},
     "name-taken",
     "rename"},
    {"KindsWithTheSameHeader",
     {{"k/v1.json", kind(method(""))},
      {"l/v1.json",
       "{\"kind\": \"a.example/k_types\", \"version\": ^1, \"doc\": \"D.\", \"methods\": [" +
           method("") + "]}"}},
     "name-taken",
     "rename"},
};

/// Returns nested lists of bool.
std::string deep_list(int levels) {
  return levels == 0 ? "bool" : "list<" + deep_list(levels - 1) + ">";
}

const Mistake mistakes_of_types[] = {
    {"UnknownType", one(kind(request("\"a\": ^\"strng\""))), "unknown-type",
     "did you mean 'string'?"},
    {"TypeThatIsNotClosed", one(kind(request("\"a\": ^\"list<string\""))), "bad-type", "add '>'"},
    {"MapOfTwoTypes", one(kind(request("\"a\": ^\"map<string, list<int64>>\""))), "bad-type",
     "remove 'string,'"},
    {"UnknownTypeInside", one(kind(request("\"a\": ^\"list<strng>\""))), "unknown-type",
     "did you mean 'string'?"},
    {"UnknownStruct",
     one(kind(request("\"a\": ^\"pont\""),
              "\"structs\": {\"point\": {\"fields\": {\"x\": \"bool\"}}},")),
     "unknown-type", "did you mean 'point'?"},
    {"UnknownDocument",
     {{"k/v1.json", kind(request("\"a\": ^\"tt@1\""))}, {"t/v1.json", document("\"a\": \"bool\"")}},
     "unknown-type",
     "did you mean 't@1'?"},
    {"UnknownVersionOfDocument",
     {{"k/v1.json", kind(request("\"a\": ^\"t@2\""))}, {"t/v1.json", document("\"a\": \"bool\"")}},
     "unknown-version",
     "write 't@1'"},
    {"DocumentWithoutVersion",
     {{"k/v1.json", kind(request("\"a\": ^\"t\""))}, {"t/v1.json", document("\"a\": \"bool\"")}},
     "unknown-type",
     "define it"},
    {"ListOfNothing", one(kind(request("\"a\": ^\"list\""))), "bad-type", "add the type"},
    {"TypeTooDeep", one(kind(request("\"a\": ^\"" + deep_list(17) + "\""))), "bad-type", "structs"},
    {"BufferInList", one(kind(request("\"a\": ^\"list<buffer>\""))), "bad-type", "bytes"},
    {"BufferInOptional", one(kind(request("\"a\": ^\"optional<buffer>\""))), "bad-type", "bytes"},
    {"BufferInResponse", one(kind(method(", \"response\": {\"a\": ^\"buffer\"}"))), "bad-type",
     "use bytes"},
    {"ReaderInStruct",
     one(kind(method(""), "\"structs\": {\"s\": {\"fields\": {\"r\": ^\"reader\"}}},")), "bad-type",
     "a field of its own"},
    {"OptionalOfOptional", one(kind(request("\"a\": ^\"optional<optional<bool>>\""))), "bad-type",
     "once"},
    {"OptionalInList", one(kind(request("\"a\": ^\"list<optional<bool>>\""))), "bad-type", "omit"},
    {"ListOfBytes", one(kind(request("\"a\": ^\"list<uint8>\""))), "bad-type", "bytes"},
    {"PropertyOfList", one(kind(method(""), "\"properties\": {\"p\": ^\"list<string>\"},")),
     "bad-type", "use one of those"},
    {"PropertyOfMapOfLists",
     one(kind(method(""), "\"properties\": {\"p\": ^\"map<list<bool>>\"},")), "bad-type",
     "use one of those"},
    {"StructHoldsItself",
     one(kind(method(""), "\"structs\": {^\"s\": {\"fields\": {\"a\": \"list<s>\"}}},")),
     "recursive-type", "json"},
    {"DocumentHoldsItself",
     {{"t/v1.json",
       "{\"type\": \"a.example/t\", \"version\": ^1, \"doc\": \"D.\", \"fields\": "
       "{\"a\": \"optional<t@1>\"}}"}},
     "recursive-type",
     "json"},
    {"DocumentsHoldEachOther",
     {{"t/v1.json", document("\"a\": \"bool\"", released)},
      {"t/v2.json", document("\"a\": \"bool\", \"b\": \"list<u@1>\"", "", "2")},
      {"t/evolution.json", evolution(R"({"from": 1, "to": 2, "fields": {"b": {"added": true}}})",
                                     "\"type\": \"a.example/t\"")},
      {"u/v1.json",
       "{\"type\": \"a.example/u\", \"version\": ^1, \"doc\": \"D.\", \"fields\": "
       "{\"a\": \"t@1\"}}"}},
     "recursive-type",
     "json"},
    {"DocumentHoldsNewerVersion",
     {{"t/v1.json", "{\"type\": \"a.example/t\", \"version\": ^1, \"doc\": \"D.\"," + released +
                        "\"fields\": {\"a\": \"list<t@2>\"}}"},
      {"t/v2.json", document("", released, "2")},
      {"t/evolution.json", evolution(R"({"from": 1, "to": 2, "fields": {"a": {"removed": true}}})",
                                     "\"type\": \"a.example/t\"")}},
     "recursive-type",
     "json"},
    {"StructWithoutFields", one(kind(method(""), "\"structs\": {^\"s\": {\"fields\": {}}},")),
     "empty-definition", "remove the struct"},
    {"EnumWithoutValues", one(kind(method(""), "\"enums\": {^\"e\": []},")), "empty-definition",
     "remove the enum"},
};

const Mistake mistakes_of_methods[] = {
    {"KindWithoutMethods",
     one("{\"kind\": \"a.example/k\", \"version\": 1, \"doc\": \"D.\", \"methods\": ^[]}"),
     "empty-definition", "at least one"},
    {"UnknownThreading",
     one(kind("{\"name\": \"m\", \"doc\": \"A method.\", \"threading\": ^\"seriel\"}")),
     "unknown-word", "did you mean 'serial'?"},
    {"UnknownRole", one(kind(method(", \"role\": ^\"configur\""))), "unknown-word",
     "did you mean 'configure'?"},
    {"ConfigureWithAnotherRequest",
     one(kind(method(", \"role\": ^\"configure\", \"request\": {\"config\": \"string\"}"))),
     "bad-configure", "this request"},
    {"ConfigureWithResponse",
     one(kind(method(", \"role\": ^\"configure\", \"request\": {\"config\": \"map<string>\"}, "
                     "\"response\": {\"a\": \"bool\"}"))),
     "bad-configure", "this request"},
    {"ConfigureTwice",
     one(kind(
         method(", \"role\": \"configure\", \"request\": {\"config\": \"map<string>\"}", "a") +
         ",\n" +
         method(", \"role\": ^\"configure\", \"request\": {\"config\": \"map<string>\"}", "b"))),
     "bad-configure", "one of the two"},
    {"UnknownState",
     one(kind(method(", \"to\": \"open\"", "a") + ",\n" + method(", \"from\": [^\"opne\"]", "b"))),
     "unknown-state", "did you mean 'open'?"},
    {"NoState", one(kind(method(", \"from\": ^[]"))), "empty-definition", "any state"},
    {"AddedFieldNotOptional",
     one(kind(request("\"a\": \"bool\", ^\"b\": {\"type\": \"bool\", \"added\": \"2027-01-31\"}"))),
     "bad-added", "optional"},
    {"AddedFieldNotLast",
     one(kind(request("\"a\": {\"type\": \"optional<bool>\", \"added\": \"2027-01-31\"}, "
                      "^\"b\": \"bool\""))),
     "bad-added", "the end"},
    {"AddedStream",
     one(kind(request("\"a\": \"bool\", ^\"b\": {\"type\": \"optional<reader>\", \"added\": "
                      "\"2027-01-31\"}"))),
     "bad-added", "new version"},
    {"AddedResponse",
     one(kind(method(", \"response\": {^\"a\": {\"type\": \"optional<bool>\", \"added\": "
                     "\"2027-01-31\"}}"))),
     "bad-added", "new version"},
    {"AddedFieldOfStruct",
     one(kind(method(""),
              "\"structs\": {\"s\": {\"fields\": {\"a\": {\"type\": "
              "\"optional<bool>\", ^\"added\": \"2027-01-31\"}}}},")),
     "unknown-key", "remove it"},
};

const std::string text_in = ", \"request\": {\"text\": \"string\"}";

const Mistake mistakes_of_steps[] = {
    {"StepMissing",
     {{"k/v1.json", kind(method(""), released)},
      {"k/v2.json", kind(method(""), "", 2)},
      {"k/evolution.json", "{\"kind\": \"a.example/k\", \"steps\": ^[]}"}},
     "missing-step",
     "{\"from\": 1, \"to\": 2"},
    {"EvolutionMissing",
     {{"k/v1.json", kind(method(""), released)}, {"k/v2.json", "^" + kind(method(""), "", 2)}},
     "missing-step",
     "{\"from\": 1, \"to\": 2"},
    {"StepTooFar",
     {{"k/v1.json", kind(method(""))},
      {"k/evolution.json", evolution("{\"from\": ^1, \"to\": 3}")}},
     "unknown-step",
     "each version between"},
    {"StepToNowhere",
     {{"k/v1.json", kind(method(""))},
      {"k/evolution.json", evolution("{\"from\": 1, \"to\": ^2}")}},
     "unknown-step",
     "remove the step"},
    {"StepTwice",
     {{"k/v1.json", kind(method(""), released)},
      {"k/v2.json", kind(method(""), "", 2)},
      {"k/evolution.json", evolution("{\"from\": 1, \"to\": 2},\n^{\"from\": 1, \"to\": 2}")}},
     "duplicate-step",
     "merge the two"},
    {"NotAdaptableWithoutReason", step(method(""), method(""), ", \"adaptable\": ^false"),
     "missing-key", "\"reason\""},
    {"ReasonWithoutNeed", step(method(""), method(""), ", \"reason\": ^\"none\""),
     "unused-metadata", "remove it"},
    {"NotAdaptableAndAdapted",
     step(method(""), method(""),
          ", \"adaptable\": false, \"reason\": \"R.\", \"methods\": ^{\"m\": {\"hook\": true}}"),
     "contradictory-metadata", "remove"},
    {"MethodVanished",
     step(method("") + ", " + method("", "gone"), method(""), ", \"methods\": ^{}"),
     "unexplained-change", "\"gone\": {\"removed\": true}"},
    {"MethodUnexplained",
     methods_step(method(""),
                  method("") + ", {\"name\": ^\"fresh\", \"doc\": \"D.\", \"threading\": \"any\"}",
                  ""),
     "unexplained-change", "\"fresh\": {\"added\": \"unimplemented\"}"},
    {"FieldVanished", step(method(text_in), method(""), ", \"methods\": ^{}"), "unexplained-change",
     "\"text\": {\"removed\": <value>}"},
    {"FieldUnexplained",
     methods_step(method(""), method(R"(, "request": {^"text": "string"})"), ""),
     "unexplained-change", "\"text\": {\"added\": true}"},
    {"ResponseFieldUnexplained",
     methods_step(method(""), method(R"(, "response": {^"a": "bool"})"), ""), "unexplained-change",
     "\"a\": {\"added\": <value>}"},
    {"TypeChanged", methods_step(method(text_in), method(R"(, "request": {^"text": "bytes"})"), ""),
     "unexplained-change", "{\"hook\": true}"},
    {"CalledMoreFreely",
     methods_step("{\"name\": \"m\", \"doc\": \"A method.\", \"threading\": \"serial\"}",
                  "{\"name\": ^\"m\", \"doc\": \"A method.\", \"threading\": \"any\"}", ""),
     "unexplained-change", "{\"hook\": true}"},
    {"UnknownMethodInStep",
     methods_step(method("", "apply"), method("", "apply"), "^\"aply\": {\"hook\": true}"),
     "unknown-method", "did you mean 'apply'?"},
    {"RenamedFromUnknown",
     methods_step(method("") + ", " + method("", "aply"), method("") + ", " + method("", "apply"),
                  "\"apply\": {\"renamed_from\": ^\"aplly\"}, \"aply\": {\"removed\": true}"),
     "unknown-method", "did you mean 'aply'?"},
    {"HookOfWhatIsGone",
     methods_step(method("", "a") + ", " + method("", "b"), method("", "a"),
                  "^\"b\": {\"hook\": true}"),
     "unused-metadata", "write \"b\": {\"removed\": true}"},
    {"RenamedFromWhatIsStillThere",
     methods_step(method("", "a"),
                  "{\"name\": ^\"a\", \"doc\": \"D.\", \"threading\": \"any\"}, " + method("", "b"),
                  "\"b\": {\"renamed_from\": \"a\"}"),
     "unexplained-change", "\"a\": {\"added\": \"unimplemented\"}"},
    {"RenamedOverWhatWasThere",
     step(method("", "a") + ", " + method("", "b"), method("", "b"),
          ", \"methods\": ^{\"b\": {\"renamed_from\": \"a\"}}"),
     "unexplained-change", "\"removed\": true to the entry of 'b'"},
    {"ReplacedWhatNeverWas",
     methods_step(method("", "a"), method("", "a") + ", " + method("", "b"),
                  "^\"b\": {\"removed\": true, \"added\": \"unimplemented\"}"),
     "unused-metadata", "remove \"removed\" here"},
    {"FieldsOfWhatIsNew",
     methods_step(method("", "a"), method("", "a") + ", " + method(text_in, "b"),
                  "^\"b\": {\"added\": \"unimplemented\", \"request\": {\"text\": {\"added\": "
                  "true}}}"),
     "contradictory-metadata", "remove \"request\" here"},
    {"RenamedTwice",
     methods_step(method("", "a"), method("", "b") + ", " + method("", "c"),
                  "\"b\": {\"renamed_from\": \"a\"}, \"c\": {\"renamed_from\": ^\"a\"}"),
     "contradictory-metadata", "keep one"},
    {"AddedAndHook",
     methods_step(method(""), method("") + ", " + method("", "b"),
                  "^\"b\": {\"added\": \"hook\", \"hook\": true}"),
     "contradictory-metadata", "remove \"hook\" here"},
    {"HookAndFields",
     methods_step(method(""), method(text_in),
                  "^\"m\": {\"hook\": true, \"request\": {\"text\": {\"added\": true}}}"),
     "contradictory-metadata", "remove \"request\" here"},
    {"SaysNothing", methods_step(method(""), method(""), "^\"m\": {}"), "unused-metadata",
     "remove"},
    {"AddedButThere",
     methods_step(method(""), method(""), "^\"m\": {\"added\": \"unimplemented\"}"),
     "unused-metadata", "remove"},
    {"RemovedButThere", methods_step(method(""), method(""), "^\"m\": {\"removed\": true}"),
     "unused-metadata", "remove"},
    {"FieldChangeExplainsNothing",
     methods_step(method(text_in), method(text_in),
                  "\"m\": {\"request\": {^\"text\": {\"added\": true}}}"),
     "unused-metadata", "remove"},
    {"FieldChangeTheWrongWayRound",
     methods_step(method(""), method(text_in),
                  "\"m\": {\"request\": {^\"text\": {\"removed\": \"x\"}}}"),
     "unused-metadata", "\"text\": {\"added\": true}"},
    {"FieldAddedAndRemoved",
     methods_step(method(""), method(text_in),
                  "\"m\": {\"request\": {^\"text\": {\"added\": true, \"removed\": \"x\"}}}"),
     "unused-metadata", "remove \"removed\" here"},
    {"FieldWithoutChanges",
     methods_step(method(text_in), method(text_in), "\"m\": {\"request\": {^\"text\": {}}}"),
     "unused-metadata", "remove it"},
    {"FieldAddedAndRenamed",
     methods_step(method(text_in), method(R"(, "request": {"words": "string"})"),
                  R"("m": {"request": {^"words": {"added": true, "renamed_from": "text"},
                                       "text": {"removed": "x"}}})"),
     "contradictory-metadata", "remove \"added\" here"},
    {"UnknownFieldInStep",
     methods_step(method(text_in), method(text_in),
                  "\"m\": {\"request\": {^\"txt\": {\"added\": true}}}"),
     "unknown-field", "did you mean 'text'?"},
    {"UnknownWordForAdded",
     methods_step(method(""), method("") + ", " + method("", "b"), "\"b\": {\"added\": ^\"hok\"}"),
     "unknown-word", "did you mean 'hook'?"},
    {"FailureWithValue",
     methods_step(method(""), method("") + ", " + method("", "b"),
                  "\"b\": {\"added\": {\"unimplemented\": \"no b\", \"value\": ^{}}}"),
     "contradictory-metadata", "remove \"value\""},
    {"FailureWithoutText",
     methods_step(method(""), method("") + ", " + method("", "b"),
                  "\"b\": {\"added\": {\"unimplemented\": ^true}}"),
     "wrong-type", "a string"},
    {"NameOfAnotherType",
     methods_step(
         method(""),
         method("") + ", " + method(", \"response\": {\"name\": \"optional<string>\"}", "b"),
         "\"b\": {\"added\": ^\"registered_name\"}"),
     "wrong-value", "\"hook\""},
    {"NameAmongOthers",
     methods_step(
         method(""),
         method("") + ", " + method(", \"response\": {\"name\": \"string\", \"n\": \"int8\"}", "b"),
         "\"b\": {\"added\": ^\"registered_name\"}"),
     "wrong-value", "\"hook\""},
};

const std::string small = ", \"response\": {\"number\": \"int8\"}";
const std::string point =
    "\"structs\": {\"point\": {\"fields\": {\"x\": \"int32\", \"y\": \"optional<int32>\"}}}, "
    "\"enums\": {\"mode\": [\"fast\", \"careful\"]},";

/// Returns a kind with an added method that returns `value` for a field of type `type`.
Files fixed(const std::string& type, const std::string& value) {
  return methods_step(
      method("", "a"),
      method("", "a") + ", " + method(", \"response\": {\"n\": \"" + type + "\"}", "b"),
      "\"b\": {\"added\": {\"value\": {\"n\": " + value + "}}}", point);
}

const Mistake mistakes_of_values[] = {
    {"ValueTooLarge", fixed("int8", "^128"), "wrong-value", "int8"},
    {"ValueNegative", fixed("uint64", "^-1"), "wrong-value", "uint64"},
    {"ValueTooLargeForFloat", fixed("float32", "^1e300"), "wrong-value", "float32"},
    {"ValueTooSmallForFloat", fixed("float32", "^-3.5e38"), "wrong-value", "float32"},
    {"ValueOfAnotherForm", fixed("bool", "^0"), "wrong-value", "true or false"},
    {"ValueNotBase64", fixed("bytes", "^\"abc\""), "wrong-value", "base64"},
    {"ValueNotOfEnum", fixed("mode", "^\"carefull\""), "wrong-value", "did you mean 'careful'?"},
    {"ValueInsideList", fixed("list<string>", "[\"a\", ^1]"), "wrong-value", "a string"},
    {"ValueInsideMap", fixed("map<bool>", "{\"a\": ^\"b\"}"), "wrong-value", "true or false"},
    {"ValueNullButNotOptional", fixed("string", "^null"), "wrong-value", "a string"},
    {"ValueLacksField", fixed("point", "^{\"y\": 1}"), "wrong-value", "\"x\""},
    {"ValueWithUnknownField", fixed("point", "{\"x\": 1, ^\"z\": 1}"), "unknown-field", "remove"},
    {"ValueOfReader", fixed("reader", "^\"text\""), "wrong-value", "hook"},
    {"ValueForUnknownField",
     methods_step(method("", "a"), method("", "a") + ", " + method(small, "b"),
                  "\"b\": {\"added\": {\"value\": {\"number\": 1, ^\"numbr\": 2}}}"),
     "unknown-field", "did you mean 'number'?"},
    {"ValueMissing",
     methods_step(method("", "a"), method("", "a") + ", " + method(small, "b"),
                  "\"b\": {\"added\": {\"value\": ^{}}}"),
     "missing-key", "\"number\""},
    {"ValueOfRemovedField",
     methods_step(method(text_in), method(""),
                  "\"m\": {\"request\": {\"text\": {\"removed\": ^1}}}"),
     "wrong-value", "a string"},
};

#define MISTAKES(table) \
  INSTANTIATE_TEST_SUITE_P(table, InvalidSpec, testing::ValuesIn(mistakes_of_##table), name_of)

MISTAKES(json);
MISTAKES(families);
MISTAKES(names);
MISTAKES(types);
MISTAKES(methods);
MISTAKES(steps);
MISTAKES(values);

TEST(Specs, ReportAllMistakesOfARun) {
  const World world;
  world.write("a/v1.json", kind(method(", \"thraeding\": 1, \"from\": [\"nowhere\"]")));
  world.write("b/v1.json", document("\"x\": \"strng\", \"int\": \"bool\""));
  world.write("c/v1.json", "{");
  const Diagnostics findings = findings_in(world);
  std::vector<std::string> codes;
  for (const Diagnostic& finding : findings.all()) codes.push_back(finding.code);
  EXPECT_EQ(codes, (std::vector<std::string>{"unknown-key", "unknown-state", "unknown-type",
                                             "bad-name", "not-json"}));
}

TEST(Specs, DistinguishFieldsOfTheSameName) {
  const World world;
  const auto files = methods_step(request(R"("size": "string")"),
                                  request(R"("size_bytes": "string", "size": "string")"),
                                  R"("m": {"request": {"size_bytes": {"renamed_from": "size"}}})");
  for (const auto& [path, text] : files) world.write(path, text);
  const Diagnostics findings = findings_in(world);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all().front().message,
            "'size' is a different field in the request of 'm' in version 2: that of the request "
            "of 'm' in version 1 was renamed to 'size_bytes'");
}

/// Returns the report of a field whose type has the same name in both versions.
std::string change_of_type(const std::string& type, const std::string& older,
                           const std::string& newer) {
  const World world;
  const std::string field = R"("request": {"f": "list<)" + type + ">\"}";
  world.write("k/v1.json", kind(method(", " + field), released + older));
  world.write("k/v2.json", kind(method(", " + field), newer, 2));
  world.write("k/evolution.json", evolution(R"({"from": 1, "to": 2})"));
  const Diagnostics findings = findings_in(world);
  std::string all;
  for (const Diagnostic& finding : findings.all()) all += finding.message + "\n";
  return all;
}

TEST(Specs, SayHowATypeOfTheSameNameChanged) {
  const auto change = [](const std::string& older, const std::string& newer) {
    const auto values = [](const std::string& all) { return R"("enums": {"e": [)" + all + "]},"; };
    return change_of_type("e", values(older), values(newer));
  };
  const std::string of_enum =
      "'f' changed its type between the request of 'm' in version 1 and the request of 'm' in "
      "version 2: 'e' ";
  EXPECT_EQ(change(R"("a", "b")", R"("a", "b", "c", "d")"), of_enum + "gained 'c' and 'd'\n");
  EXPECT_EQ(change(R"("a", "b")", R"("a", "c")"), of_enum + "gained 'c', and lost 'b'\n");
  EXPECT_EQ(change(R"("a", "b")", R"("a")"), of_enum + "lost 'b'\n");
  EXPECT_EQ(change(R"("a", "b")", R"("b", "a")"), of_enum + "changed the order of its values\n");
  EXPECT_EQ(
      change_of_type("s", R"("structs": {"s": {"fields": {"x": "bool"}}},)",
                     R"("structs": {"s": {"fields": {"x": "int32"}}},)"),
      "'f' changed its type between the request of 'm' in version 1 and the request of 'm' in "
      "version 2: 's' changed its fields\n");
}

TEST(Specs, ReportADirectoryWithoutSpecs) {
  const World world;
  const Diagnostics findings = findings_in(world);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all().front().code, "no-specs");
}

TEST(Specs, NameAFileThatIsIgnoredIfThereIsNoOther) {
  for (const char* text : {"{}", "[]", "null"}) {
    const World world;
    world.write("a/v1.json", text);
    const Diagnostics findings = findings_in(world);
    ASSERT_EQ(findings.all().size(), 1u);
    EXPECT_EQ(findings.all().front().code, "no-specs");
    EXPECT_EQ(findings.all().front().found,
              world.path("a/v1.json").string() + ", which has no key of a spec");
  }
}

TEST(Specs, IgnoreOtherFiles) {
  const World world;
  world.write("a/v1.json", kind(method("")));
  world.write("data/v1.json", "{\"rows\": []}");
  world.write("data/v2.json", "[1, 2]");
  EXPECT_TRUE(findings_in(world).empty());
}

TEST(Specs, RefuseAMissingDirectory) {
  Diagnostics findings;
  EXPECT_THROW(load_specs({.directories = {"/nonexistent"}}, findings), tenon::gen::IoError);
}

}  // namespace
