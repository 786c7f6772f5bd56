// SPDX-License-Identifier: BSL-1.0
//
// Fixes of problems of an evolution lead to a valid spec. Each fix is applied as printed, then the
// fix of the next problem, and so on, for all combinations of alternatives.
#include "gen_remedies.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tenon::tests;

class Remedies : public testing::TestWithParam<Change> {};

TEST_P(Remedies, LeadToAValidSpec) {
  follow_remedies(GetParam());
}

const std::string one_struct = R"(|"structs": {"s": {"fields": {"x": "bool"}}})";

const Change changes[] = {
    {"Added", R"("a": "bool")", R"("a": "bool", "b": "bool")", ""},
    {"Removed", R"("a": "bool", "b": "bool")", R"("a": "bool")", ""},
    {"Retyped", R"("a": "bool")", R"("a": "string")", ""},
    {"RenamedAndRetyped", R"("a": "bool")", R"("b": "string")",
     R"(, "fields": {"b": {"renamed_from": "a"}})"},
    {"AddedThatIsThere", R"("a": "bool")", R"("a": "bool")",
     R"(, "fields": {"a": {"added": true}})"},
    {"RemovedThatIsThere", R"("a": "bool")", R"("a": "bool")",
     R"(, "fields": {"a": {"removed": true}})"},
    {"RemovedAndRenamed", R"("a": "bool")", R"("b": "bool")",
     R"(, "fields": {"b": {"renamed_from": "a"}, "a": {"removed": true}})"},
    {"RenamedTwice", R"("a": "bool")", R"("b": "bool", "c": "bool")",
     R"(, "fields": {"b": {"renamed_from": "a"}, "c": {"renamed_from": "a"}})"},
    {"RenamedToItself", R"("a": "bool")", R"("a": "bool")",
     R"(, "fields": {"a": {"renamed_from": "a"}})"},
    {"RenamedFromUnknown", R"("width": "bool")", R"("breadth": "bool")",
     R"(, "fields": {"breadth": {"renamed_from": "widht"}})"},
    {"HookAndMore", R"("a": "bool")", R"("b": "string")",
     R"(, "fields": {"a": {"hook": true}, "b": {"hook": true, "renamed_from": "a"}})"},
    {"Shift", R"("size": "int32")", R"("size_bytes": "int32", "size": "int32")",
     R"(, "fields": {"size_bytes": {"renamed_from": "size"}})"},
    {"ShiftOfAnotherType", R"("size": "int32")", R"("size_bytes": "int32", "size": "string")",
     R"(, "fields": {"size_bytes": {"renamed_from": "size"}})"},
    {"ShiftWithoutAWord", R"("size": "int32")", R"("size_bytes": "int32", "size": "int32")", ""},
    {"HalfASwap", R"("a": "int32", "b": "int32")", R"("a": "int32", "b": "int32")",
     R"(, "fields": {"a": {"renamed_from": "b"}})"},
    {"TakesTheNameOfAnother", R"("a": "bool", "b": "bool")", R"("b": "bool")",
     R"(, "fields": {"b": {"renamed_from": "a"}})"},
    {"NothingSaid", R"("a": "bool")", R"("a": "bool")", R"(, "fields": {"a": {}})"},
    {"OfStructs", "\"s\": \"s\"" + one_struct,
     R"("s": "s"|"structs": {"s": {"fields": {"y": "string"}}})", ""},
    {"StructRenamed", "\"a\": \"s\"" + one_struct,
     R"("a": "r"|"structs": {"r": {"fields": {"x": "bool"}}})", ""},
    {"StructReplacedByANewOne", "\"a\": \"s\", \"b\": \"s\"" + one_struct,
     R"("a": "r", "b": "s"|"structs": {"r": {"fields": {"x": "bool"}},
                                       "s": {"fields": {"x": "bool"}}})",
     ""},
    {"StructSplit", "\"a\": \"s\", \"b\": \"s\"" + one_struct,
     R"("a": "r", "b": "t"|"structs": {"r": {"fields": {"x": "bool"}},
                                       "t": {"fields": {"x": "bool"}}})",
     ""},
    {"StructSplitIntoOne", "\"a\": \"s\"" + one_struct,
     R"("a": "r"|"structs": {"r": {"fields": {"x": "bool"}}})",
     R"(, "structs": {"r": {"split_from": "s"}})"},
    {"StructRenamedAndSplit", "\"a\": \"s\", \"b\": \"s\"" + one_struct,
     R"("a": "r", "b": "t"|"structs": {"r": {"fields": {"x": "bool"}},
                                       "t": {"fields": {"x": "bool"}}})",
     R"(, "structs": {"r": {"split_from": "s", "renamed_from": "s"}, "t": {"split_from": "s"}})"},
    {"ValueVanished", R"("a": "m"|"enums": {"m": ["x", "y"]})",
     R"("a": "m"|"enums": {"m": ["x", "z"]})", ""},
    {"ValueRemovedThatIsThere", R"("a": "m"|"enums": {"m": ["x"]})",
     R"("a": "m"|"enums": {"m": ["x"]})",
     R"(, "enums": {"m": {"values": {"x": {"removed": true}}}})"},
    {"EnumReplacedByANewOne", R"("a": "m", "b": "m"|"enums": {"m": ["x"]})",
     R"("a": "n", "b": "m"|"enums": {"m": ["x"], "n": ["x"]})",
     R"(, "enums": {"n": {"renamed_from": "m"}})"},
    {"Wider", R"("a": "int32", "b": "bool")", R"("a": "int64", "b": "bool")", ""},
    {"WiderAndRenamed", R"("a": "string")", R"("b": "list<string>")",
     R"(, "fields": {"b": {"renamed_from": "a"}})"},
    {"WiderThanItself", R"("a": "int32")", R"("a": "int32")",
     R"(, "fields": {"a": {"widened": true}})"},
    {"WiderAndNarrower", R"("a": "int64")", R"("a": "int32")",
     R"(, "fields": {"a": {"widened": true}})"},
    {"WiderAndNew", R"("a": "bool")", R"("a": "bool", "b": "bool")",
     R"(, "fields": {"b": {"widened": true}})"},
};

/// Returns a method. `more` are keys besides its name.
std::string method(const std::string& name, const std::string& more = "",
                   const std::string& threading = "any") {
  return "{\"name\": \"" + name + "\", \"doc\": \"M.\", \"threading\": \"" + threading + "\"" +
         more + "}";
}

/// Joins the methods of a version.
std::string all(const std::vector<std::string>& methods) {
  std::string text;
  for (const std::string& one : methods) text += (text.empty() ? "" : ", ") + one;
  return text;
}

std::string said(const std::string& entries) {
  return ", \"methods\": {" + entries + "}";
}

const std::string a = method("a");
const std::string b = method("b");
const std::string takes_x = R"(, "request": {"x": "string"})";
const std::string takes_bytes = R"(, "request": {"x": "bytes"})";
const std::string takes_y = R"(, "request": {"y": "string"})";
const std::string takes_x_y = R"(, "request": {"x": "string", "y": "string"})";
const std::string takes_y_z = R"(, "request": {"y": "string", "z": "string"})";
const std::string gives_x = R"(, "response": {"x": "string"})";
const std::string takes_reader = R"(, "request": {"x": "reader"})";
const std::string takes_buffer = R"(, "request": {"x": "buffer"})";
const std::string gives_reader = R"(, "response": {"x": "reader"})";
const std::string gives_y = R"(, "response": {"y": "string"})";
const std::string gives_x_y = R"(, "response": {"x": "string", "y": "string"})";
const std::string gone = said(R"("b": {"removed": true})");

const Change changes_of_kinds[] = {
    {"Added", {a, all({a, b})}, {""}},
    {"AddedWithAnAnswer", {a, all({a, method("b", gives_x)})}, {""}},
    {"Removed", {all({a, b}), a}, {""}},
    {"Renamed", {a, b}, {""}},
    {"Shift", {a, all({a, b})}, {said(R"("b": {"renamed_from": "a"})")}},
    {"ShiftWithoutAWord", {a, all({method("a", takes_x), b})}, {""}},
    {"HalfASwap", {all({a, b}), all({a, b})}, {said(R"("a": {"renamed_from": "b"})")}},
    {"TakesTheNameOfAnother", {all({a, b}), b}, {said(R"("b": {"renamed_from": "a"})")}},
    {"RemovedThatIsThere", {a, a}, {said(R"("a": {"removed": true})")}},
    {"RemovedThatNeverWas", {a, a}, {said(R"("c": {"removed": true})")}},
    {"RemovedAndHooked", {all({a, b}), a}, {said(R"("b": {"removed": true, "hook": true})")}},
    {"RemovedAndRenamed", {a, b}, {said(R"("b": {"renamed_from": "a"}, "a": {"removed": true})")}},
    {"ReplacedThatNeverWas",
     {a, all({a, b})},
     {said(R"("b": {"removed": true, "added": "unimplemented"})")}},
    {"AddedThatIsThere", {a, a}, {said(R"("a": {"added": "unimplemented"})")}},
    {"AddedAndRenamed", {a, b}, {said(R"("b": {"added": "unimplemented", "renamed_from": "a"})")}},
    {"AddedAndHooked",
     {a, all({a, b})},
     {said(R"("b": {"added": "unimplemented", "hook": true})")}},
    {"RenamedTwice",
     {a, all({b, method("c")})},
     {said(R"("b": {"renamed_from": "a"}, "c": {"renamed_from": "a"})")}},
    {"RenamedToItself", {a, a}, {said(R"("a": {"renamed_from": "a"})")}},
    {"RenamedFromUnknown",
     {method("width"), method("breadth")},
     {said(R"("breadth": {"renamed_from": "widht"})")}},
    {"HookAndFields",
     {a, method("a", takes_x)},
     {said(R"("a": {"hook": true, "request": {"x": {"added": true}}})")}},
    {"HookOfWhatIsNew", {a, all({a, b})}, {said(R"("b": {"hook": true})")}},
    {"NothingSaid", {a, a}, {said(R"("a": {})")}},
    {"RequestGrows", {a, method("a", takes_x)}, {""}},
    {"RequestShrinks", {method("a", takes_x), a}, {""}},
    {"ResponseGrows", {a, method("a", gives_x)}, {""}},
    {"ResponseShrinks", {method("a", gives_x), a}, {""}},
    {"RequestOfARenamedMethod", {a, method("b", takes_x)}, {said(R"("b": {"renamed_from": "a"})")}},
    {"Retyped", {method("a", takes_bytes), method("a", takes_x)}, {""}},
    {"RenamedAndRetyped",
     {method("a", takes_bytes), method("b", takes_x)},
     {said(R"("b": {"renamed_from": "a"})")}},
    {"RetypedAndSaid",
     {method("a", takes_bytes), method("a", takes_x + gives_x)},
     {said(R"("a": {"response": {"x": {"added": "x"}}})")}},
    {"FieldTheWrongWayRound",
     {a, method("a", takes_x)},
     {said(R"("a": {"request": {"x": {"removed": "x"}}})")}},
    {"FieldAddedAndRemoved",
     {a, method("a", takes_x)},
     {said(R"("a": {"request": {"x": {"added": true, "removed": "x"}}})")}},
    {"FieldThatIsThere",
     {method("a", takes_x), method("a", takes_x)},
     {said(R"("a": {"request": {"x": {"added": true}}})")}},
    {"FieldOfTheRequestRenamed", {method("a", takes_x), method("a", takes_y)}, {""}},
    {"FieldOfTheResponseRenamed", {method("a", gives_x), method("a", gives_y)}, {""}},
    {"FieldShifted",
     {method("a", takes_x), method("a", takes_x_y)},
     {said(R"("a": {"request": {"y": {"renamed_from": "x"}}})")}},
    {"FieldOfTheResponseShifted",
     {method("a", gives_x), method("a", gives_x_y)},
     {said(R"("a": {"response": {"y": {"renamed_from": "x"}}})")}},
    {"FieldsHalfSwapped",
     {method("a", takes_x_y), method("a", takes_x_y)},
     {said(R"("a": {"request": {"x": {"renamed_from": "y"}}})")}},
    {"FieldsOfTheResponseHalfSwapped",
     {method("a", gives_x_y), method("a", gives_x_y)},
     {said(R"("a": {"response": {"x": {"renamed_from": "y"}}})")}},
    {"FieldTakesTheNameOfAnother",
     {method("a", takes_x_y), method("a", takes_y)},
     {said(R"("a": {"request": {"y": {"renamed_from": "x"}}})")}},
    {"FieldReplaced",
     {method("a", takes_x), method("a", takes_x)},
     {said(R"("a": {"request": {"x": {"added": true, "removed": "x"}}})")}},
    {"FieldAddedAndRenamed",
     {method("a", takes_x), method("a", takes_y)},
     {said(R"("a": {"request": {"y": {"added": true, "renamed_from": "x"}}})")}},
    {"FieldRemovedAndRenamed",
     {method("a", takes_x), method("a", takes_y)},
     {said(R"("a": {"request": {"y": {"renamed_from": "x"}, "x": {"removed": "x"}}})")}},
    {"FieldRenamedToItself",
     {method("a", takes_x), method("a", takes_x)},
     {said(R"("a": {"request": {"x": {"renamed_from": "x"}}})")}},
    {"FieldRenamedFromUnknown",
     {method("a", takes_x), method("a", takes_y)},
     {said(R"("a": {"request": {"y": {"renamed_from": "z"}}})")}},
    {"FieldRenamedTwice",
     {method("a", takes_x), method("a", takes_y_z)},
     {said(R"("a": {"request": {"y": {"renamed_from": "x"}, "z": {"renamed_from": "x"}}})")}},
    {"FieldRenamedAndRetyped",
     {method("a", takes_bytes), method("a", takes_y)},
     {said(R"("a": {"request": {"y": {"renamed_from": "x"}}})")}},
    {"StreamAdded", {a, method("a", gives_reader)}, {""}},
    {"StreamRemoved", {method("a", takes_reader), a}, {""}},
    {"BufferRemoved", {method("a", takes_buffer), a}, {""}},
    {"MethodWithAStreamAdded",
     {a, all({a, method("b", gives_reader)})},
     {said(R"("b": {"added": {"value": {"x": "x"}}})")}},
    {"ReturnedWithAStream",
     {all({a, method("b", gives_x)}), a, all({a, method("b", gives_reader)})},
     {gone, ""}},
    {"CalledMoreFreely", {method("a", "", "serial"), a}, {""}},
    {"RenamedAndCalledMoreFreely",
     {method("a", "", "serial"), b},
     {said(R"("b": {"renamed_from": "a"})")}},
    {"NotAdaptableWithoutAReason", {a, b}, {R"(, "adaptable": false)"}},
    {"NotAdaptableAndAdapted",
     {a, b},
     {R"(, "adaptable": false, "reason": "R.")" + said(R"("b": {"renamed_from": "a"})")}},
    {"ReasonWithoutNeed", {a, a}, {R"(, "reason": "R.")"}},
    {"Returned", {all({a, b}), a, all({a, b})}, {gone, ""}},
    {"ReturnedWithMore", {all({a, b}), a, all({a, method("b", takes_x)})}, {gone, ""}},
    {"ReturnedWithLess",
     {all({a, method("b", takes_x)}), a, all({a, b})},
     {gone, said(R"("b": {"added": "unimplemented"})")}},
    {"ReturnedRetyped",
     {all({a, method("b", takes_bytes)}), a, all({a, method("b", takes_x)})},
     {gone, ""}},
    {"ReturnedToBeCalledMoreFreely",
     {all({a, method("b", "", "main")}), a, all({a, b})},
     {gone, ""}},
    {"ReturnedAndNot",
     {all({a, b}), a, all({a, b})},
     {gone, said(R"("b": {"removed": true, "added": "hook", "request": {"x": {"added": true}}})")}},
};

std::string name_of(const testing::TestParamInfo<Change>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Evolution, Remedies, testing::ValuesIn(changes), name_of);
INSTANTIATE_TEST_SUITE_P(EvolutionOfKinds, Remedies, testing::ValuesIn(changes_of_kinds), name_of);

}  // namespace
