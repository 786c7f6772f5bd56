// SPDX-License-Identifier: BSL-1.0
//
// Rules of the property bag. Most tests use test.example/album: version 1 has comes_back (a list of
// numbers) and comes_back_other (a text), version 2 has neither, version 3 has both, with a map as
// comes_back_other.
#include <tenon/detail/arena.hpp>
#include <tenon/document.hpp>

#include <gtest/gtest.h>
#include <test/fence_json.hpp>
#include <test/fence_steps.hpp>
#include <test/poster_json.hpp>
#include <test/sketchy/v1.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon::tests { namespace {

constexpr std::string_view album = "test.example/album";

std::string converted(std::string_view text, std::string_view from, std::string_view to,
                      std::string_view type = album, bool lenient = false) {
  DocumentConverter converter;
  const auto result =
      converter.convert(text, {.type = type, .from = from, .to = to, .lenient = lenient});
  return result ? std::string(*result) : "error: " + std::string(result.error().message());
}

const DocumentConversion& conversion_between(const DocumentType& type, std::string_view from,
                                             std::string_view to) {
  const auto found =
      std::find_if(type.conversions.begin(), type.conversions.end(),
                   [&](const DocumentConversion& one) { return one.from == from && one.to == to; });
  return *found;
}

TEST(Bag, RestoresFieldsOfTheSameType) {
  const std::string there = R"({"comes_back":[1,2]})";
  EXPECT_EQ(converted(there, "1", "2"),
            R"({"bag":{"comes_back@1":{"type":"list<int32>","value":[1,2]}}})");
  EXPECT_EQ(converted(there, "1", "3"), there);
  EXPECT_EQ(converted(there, "3", "1"), there);
}

TEST(Bag, RestoresNullIfItIsAValue) {
  const std::string text = R"({"gate":{"note":null}})";
  const std::string down = converted(text, "2", "1", "test.example/fence");
  EXPECT_EQ(down, R"({"gate":{"bag":{"note@2":{"type":"json","value":null}}}})");
  EXPECT_EQ(converted(down, "1", "2", "test.example/fence"), text);
  EXPECT_EQ(converted(R"({"bag":{"comes_back@1":{"type":"list<int32>","value":null}}})", "2", "1"),
            "{}");
}

TEST(Bag, KeepsFieldsOfAnotherType) {
  const std::string bagged = R"({"bag":{"comes_back_other@1":{"type":"string","value":"42"}}})";
  EXPECT_EQ(converted(R"({"comes_back_other":"42"})", "1", "3"), bagged);
  EXPECT_EQ(converted(bagged, "3", "1"), R"({"comes_back_other":"42"})");
}

TEST(Bag, DistinguishesTextsFromNumbers) {
  EXPECT_EQ(converted(R"({"bag":{"comes_back_other@1":{"type":"string","value":42}}})", "2", "1"),
            "error: bag.comes_back_other@1.value: expected text, found number 42");
  EXPECT_EQ(converted(R"({"amount":"042"})", "2", "1"),
            R"({"bag":{"amount@2":{"type":"string","value":"042"}}})");
  EXPECT_EQ(converted(R"({"amount":"42"})", "2", "1"), R"({"count":42})");
}

TEST(Bag, DropsAnEntryThatWasRestored) {
  const std::string up =
      converted(R"({"bag":{"comes_back@1":{"type":"list<int32>","value":[7]}}})", "2", "3");
  EXPECT_EQ(up, R"({"comes_back":[7]})");
}

TEST(Bag, PreservesEntriesOfUnknownFields) {
  const std::string strange = R"({"bag":{"colour@9":{"type":"rgb","value":[1.50,null]}}})";
  for (const char* to : {"1", "3preview2", "4"}) EXPECT_EQ(converted(strange, "2", to), strange);
}

TEST(Bag, DropsAnEntryWhoseFieldWasRemoved) {
  EXPECT_EQ(converted(R"({"bag":{"comes_back@1":{"type":"list<int32>","value":[7]}}})", "3", "2"),
            "{}");
}

TEST(Bag, BelongsToItsStruct) {
  const std::string text = R"({"pages":[{"number":1,"text":"a","tags":["x"]},{"number":2}]})";
  const std::string down = converted(text, "2", "1");
  EXPECT_EQ(down, R"({"pages":[{"number":1,"caption":"a","bag":{"tags@2":{"type":"list<string>",)"
                  R"("value":["x"]}}},{"number":2}]})");
  EXPECT_EQ(converted(down, "1", "2"), text);
}

TEST(Bag, ReportsInvalidEntriesByPath) {
  EXPECT_EQ(converted(R"({"pages":[{},{"bag":{"tags@2":{"type":"list<string>","value":[1]}}}]})",
                      "1", "2"),
            "error: pages[1].bag.tags@2.value[0]: expected text, found number 1");
  EXPECT_EQ(converted(R"({"pages":[{"bag":{"tags@2":{"type":"string","value":"x"}}}]})", "1", "2"),
            "error: pages[0].bag.tags@2.type: expected list<string>, found string");
}

/// Converts a document of test.example/sketchy to its ABI struct and back. `change` modifies the
/// struct, as a plugin could.
template <class Change>
std::string through_abi(std::string_view text, Change&& change) {
  const DocumentVersion& version = *find_document_type("test.example/sketchy")->find("1");
  Arena arena;
  Conversion conversion(arena.raw());
  conversion.notes_absence = true;
  json::Parser parser;
  const void* stored = version.read(version, conversion, parser.parse(text).value());
  void* raw = const_cast<void*>(version.save(conversion, stored));
  change(*static_cast<test_sketchy_v1*>(raw));
  json::Writer out;
  version.write(out, version.load(conversion, raw));
  return out.take();
}

constexpr std::string_view strange_shades =
    R"({"name":"","shade":"odd","other":"odd","shades":["dark","odd"],"by_name":{"a":"odd"},)"
    R"("rows":[["light"],["odd"]],"strokes":[{"shade":"odd"}]})";

TEST(Bag, PreservesUnknownLiteralsAcrossTheAbi) {
  EXPECT_EQ(through_abi(strange_shades, [](test_sketchy_v1&) {}), strange_shades);
}

TEST(Bag, PreservesNumericLiteralsAcrossTheAbi) {
  for (const char* literal : {"1", "7", "007", "-1", "-2", "+1", ""}) {
    const std::string text = R"({"name":"","shade":")" + std::string(literal) +
                             R"(","shades":[],"by_name":{},"rows":[],"strokes":[]})";
    EXPECT_EQ(through_abi(text, [](test_sketchy_v1&) {}), text);
  }
}

TEST(Bag, PreservesLongLiteralsAcrossTheAbi) {
  for (const std::size_t size : {400, 500, 600, 5000}) {
    const std::string text = R"({"name":"","shade":")" + std::string(size, 'x') +
                             R"(","shades":[],"by_name":{},"rows":[],"strokes":[]})";
    EXPECT_EQ(through_abi(text, [](test_sketchy_v1&) {}), text);
  }
}

TEST(Bag, DoesNotRestoreLiteralsThatThePluginChanged) {
  const std::string text = R"({"name":"","shade":"light","shades":["dark","odd"],"by_name":{},)"
                           R"("rows":[],"strokes":[]})";
  static const std::int32_t other[] = {0, -1};
  const std::string changed =
      through_abi(text, [](test_sketchy_v1& raw) { raw.shades.data = other; });
  EXPECT_NE(changed.find(R"("shades":["light","-1"])"), std::string::npos) << changed;
  static const std::int32_t known[] = {0, 1};
  const std::string replaced =
      through_abi(text, [](test_sketchy_v1& raw) { raw.shades.data = known; });
  EXPECT_NE(replaced.find(R"("shades":["light","dark"])"), std::string::npos) << replaced;
}

TEST(Bag, DropsUnknownLiteralsThatThePluginReplaced) {
  const std::string text =
      R"({"name":"","shade":"odd","other":"odd","shades":["odd"],"by_name":{},)"
      R"("rows":[],"strokes":[]})";
  EXPECT_EQ(through_abi(text,
                        [](test_sketchy_v1& raw) {
                          raw.shade = 0;
                          raw.other = nullptr;
                          raw.shades = {};
                        }),
            R"({"name":"","shade":"light","by_name":{},"rows":[],"strokes":[]})");
}

TEST(Bag, PreservesOtherEntriesAcrossTheAbi) {
  for (const char* text : {"{}", R"({"bag":{"other@1":{"type":"json","value":"odd"}}})",
                           R"({"bag":{"other@1":{"type":"json","value":5}}})"}) {
    EXPECT_EQ(through_abi(text, [](test_sketchy_v1&) {}), text);
  }
}

TEST(Bag, PreservesLiteralsThatOnlyALaterVersionDefines) {
  const std::string page = R"({"first":{"mood":"still"},"moods":["loud","still","unheard_of"]})";
  EXPECT_EQ(converted(page, "4", "1"), page);
  EXPECT_EQ(converted(page, "1", "3preview1"), page);
}

TEST(Bag, GetsNoNewEntriesInOneWayConversions) {
  const DocumentType& type = *find_document_type(album);
  Arena arena;
  for (const Keep keep : {Keep::everything, Keep::nothing}) {
    Conversion conversion(arena.raw(), keep);
    json::Parser parser;
    const auto root = parser.parse(R"({"text":"a","comes_back":[1],"bag":{"x@9":{"type":"json",)"
                                   R"("value":1}}})");
    const DocumentVersion& version = *type.find("1");
    const void* stored = version.read(version, conversion, *root);
    const DocumentConversion& way = conversion_between(type, "1", "2");
    const void* older = way.convert(way, conversion, stored);
    json::Writer out;
    type.find("2")->write(out, older);
    const bool kept = out.view().find("comes_back") != std::string_view::npos;
    EXPECT_EQ(kept, keep == Keep::everything) << out.view();
    EXPECT_NE(out.view().find("x@9"), std::string_view::npos) << "existing entries are kept";
  }
}

TEST(Bag, IsUnchangedIfTheConversionFails) {
  const DocumentType& type = *find_document_type(album);
  const std::string text =
      R"({"text":"a","bag":{"comes_back@1":{"type":"list<int32>","value":[1]},)"
      R"("comes_back_other@1":{"type":"string","value":42}}})";
  Arena arena;
  Conversion conversion(arena.raw());
  json::Parser parser;
  const DocumentVersion& version = *type.find("2");
  const void* stored = version.read(version, conversion, parser.parse(text).value());
  const DocumentConversion& way = conversion_between(type, "2", "1");
  EXPECT_EQ(way.convert(way, conversion, stored), nullptr);
  EXPECT_EQ(conversion.error(), "bag.comes_back_other@1.value: expected text, found number 42");
  json::Writer out;
  type.find("2")->write(out, stored);
  EXPECT_EQ(out.view(), text);
}

constexpr std::string_view tour = "test.example/tour";

TEST(LenientReaders, ConvertDocumentsWithValuesThatDoNotFit) {
  for (const char* value : {"0.1234567890123", "\"x\"", "[1]"}) {
    const std::string text = "{\"ratio\":" + std::string(value) + "}";
    const std::string kept =
        R"({"bag":{"ratio@1":{"type":"json","value":)" + std::string(value) + "}}}";
    for (const char* to : {"1", "2", "3"}) {
      EXPECT_EQ(converted(text, "1", to, tour, true), kept);
      EXPECT_EQ(converted(kept, "1", to, tour, true), kept);
    }
  }
}

TEST(LenientReaders, PreserveDigitsInLaterConversions) {
  for (const char* kept :
       {R"({"bag":{"ratio@9":{"type":"json","value":0.1234567890123}}})",
        R"({"bag":{"ratio@1":{"type":"json","value":0.1234567890123}}})",
        R"({"first":{"bag":{"hours@9":{"type":"json","value":[0.5,0.1234567890123]}}}})"}) {
    EXPECT_EQ(converted(kept, "1", "2", tour), kept);
    EXPECT_EQ(converted(kept, "2", "1", tour), kept);
  }
  EXPECT_EQ(converted(R"({"bag":{"ratio@9":{"type":"json","value":0.1}}})", "1", "2", tour),
            R"({"ratio":0.1})");
}

TEST(LenientReaders, RoundTypedEntriesLikeOtherReaders) {
  const std::string typed = R"({"bag":{"ratio@2":{"type":"float32","value":0.1234567890123}}})";
  for (const bool lenient : {false, true}) {
    EXPECT_EQ(converted(typed, "1", "2", tour, lenient), R"({"ratio":0.12345679})");
  }
}

constexpr std::string_view parcel = "test.example/parcel";

/// A value that does not fit between the levels around it used to become a string.
TEST(Documents, RefuseValuesWithTooManyLevels) {
  const auto fence = [](std::size_t levels) {
    test::FenceV2 made;
    made.gate.note = Json{std::string(levels, '[') + std::string(levels, ']')};
    return made;
  };
  EXPECT_TRUE(test::to_json(fence(62)));
  const auto refused = test::to_json(fence(63));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "the document has too many levels, including its property bag");

  // In the bag the value is two levels deeper.
  for (const std::size_t levels : {62, 63}) {
    Arena arena;
    const auto value = fence(levels);
    const auto from = Value<test::FenceV2>::raw<Copy::shallow>(arena.raw(), value);
    test_fence_v1 to{};
    EXPECT_EQ(test::convert_fence_2_to_1(arena.raw(), from, to) == TENON_OK, levels == 62)
        << levels;
  }
}

TEST(Documents, OmitAJsonFieldWithoutText) {
  const auto text = test::to_json(test::FenceV2{});
  ASSERT_TRUE(text) << text.error().to_string();
  EXPECT_EQ(text->find("note"), std::string::npos) << *text;
  const auto read = test::fence_v2_from_json(*text);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->gate.note.text, "");
}

/// Such a text used to become a string.
TEST(Documents, RefuseJsonFieldsThatAreNotJson) {
  test::FenceV2 made;
  made.gate.note = Json{R"({"a":1,"a":2})"};
  const auto refused = test::to_json(made);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "error[wrong-value] a value of type json is not JSON: the key \"a\" is duplicated in "
            "the object that ends here (1:13)");

  Arena arena;
  const auto from = Value<test::FenceV2>::raw<Copy::shallow>(arena.raw(), made);
  test_fence_v1 to{};
  EXPECT_EQ(test::convert_fence_2_to_1(arena.raw(), from, to), TENON_INVALID_ARGUMENT);
}

// Kinds in draft use a draft of a type before documents are stored in it.
TEST(Documents, AreReadAsADraftAndStoredAsReleased) {
  constexpr std::string_view old =
      R"({"type":"test.example/poster","version":1,"writer":"test 1.0.0","value":{"name":"Sun"}})";
  test::PosterV2 poster = test::read_poster_v2(old).value();
  EXPECT_EQ(poster.title, "Sun");
  poster.height = 700;
  const std::string stored = test::store_poster(poster, "test 1.0.0").value();
  EXPECT_EQ(test::read_poster(stored).value().name, "Sun");
  EXPECT_EQ(test::read_poster_v2(stored).value(), poster);
}

TEST(Documents, ReuseTheNameOfARenamedField) {
  EXPECT_EQ(converted(R"({"size":5})", "1", "2", parcel), R"({"size_bytes":5})");
  EXPECT_EQ(converted(R"({"size":5})", "1", "3", parcel), R"({"size_bytes":5})");
  const std::string newer = R"({"size_bytes":5,"size":7})";
  const std::string older = R"({"size":5,"bag":{"size@2":{"type":"int32","value":7}}})";
  EXPECT_EQ(converted(newer, "2", "1", parcel), older);
  EXPECT_EQ(converted(older, "1", "2", parcel), newer);
  EXPECT_EQ(converted(R"({"size":7})", "2", "1", parcel),
            R"({"bag":{"size@2":{"type":"int32","value":7}}})");
}

TEST(Documents, DistinguishAFieldFromOneThatReusesItsName) {
  const std::string older = R"({"tag":"old"})";
  const std::string newer = R"({"bag":{"tag@1":{"type":"string","value":"old"}}})";
  EXPECT_EQ(converted(older, "1", "2", parcel), newer);
  EXPECT_EQ(converted(newer, "3", "2", parcel), newer);
  EXPECT_EQ(converted(newer, "3", "1", parcel), older);
}

TEST(Documents, ReuseTheNameOfARenamedFieldInARenamedStruct) {
  const std::string newer = R"({"rim":{"size":5}})";
  const std::string older = R"({"rim":{"bag":{"size@3":{"type":"json","value":5}}}})";
  for (const char* to : {"1", "2"}) {
    EXPECT_EQ(converted(newer, "3", to, parcel), older);
    EXPECT_EQ(converted(older, to, "3", parcel), newer);
  }
  EXPECT_EQ(converted(older, "1", "2", parcel), older);
}

TEST(Documents, ReuseTheNameOfARenamedFieldInASplitStruct) {
  const std::string newer = R"({"posts":{"a":{"length":5}}})";
  const std::string older = R"({"posts":{"a":{"bag":{"length@3":{"type":"json","value":5}}}}})";
  for (const char* to : {"1", "2"}) {
    EXPECT_EQ(converted(newer, "3", to, "test.example/fence"), older);
    EXPECT_EQ(converted(older, to, "3", "test.example/fence"), newer);
  }
  EXPECT_EQ(converted(older, "1", "2", "test.example/fence"), older);
}

TEST(Documents, RestoreFieldsOfSplitStructs) {
  const std::string older = R"({"gate":{"label":"a"}})";
  const std::string newer = R"({"gate":{"bag":{"label@1":{"type":"string","value":"a"}}}})";
  EXPECT_EQ(converted(older, "1", "2", "test.example/fence"), newer);
  EXPECT_EQ(converted(newer, "2", "3", "test.example/fence"), older);
  EXPECT_EQ(converted(older, "3", "1", "test.example/fence"), older);
}

TEST(Documents, SwapNamesOfFields) {
  const std::string older = R"({"left":"a","side":{"left":1,"right":2}})";
  const std::string newer = R"({"right":"a","side":{"left":2,"right":1}})";
  EXPECT_EQ(converted(older, "1", "2", parcel), newer);
  EXPECT_EQ(converted(newer, "2", "1", parcel), older);
}

TEST(Documents, RenameValuesOfEnums) {
  const std::string older = R"({"tone":"light","tones":["odd","light","dark","unheard_of"]})";
  const std::string newer = R"({"tone":"bright","tones":["odd","bright","dark","unheard_of"]})";
  EXPECT_EQ(converted(older, "1", "2", parcel), newer);
  EXPECT_EQ(converted(newer, "3", "1", parcel), older);
  const std::string gone = R"({"bag":{"old_tone@1":{"type":"tone","value":"light"}}})";
  EXPECT_EQ(converted(R"({"old_tone":"light"})", "1", "3", parcel), gone);
}

TEST(Documents, ConvertBetweenPreviewsAlongTheTree) {
  const std::string first =
      converted(R"({"trial":[{"number":3}],"moods":["calm"]})", "3preview1", "3preview2");
  EXPECT_EQ(first, R"({"trial":[{"number":3}],"bag":{"moods@3preview1":{"type":"list<feeling>",)"
                   R"("value":["calm"]}}})");
  EXPECT_EQ(converted(first, "3preview2", "4"),
            R"({"moods":["calm"],"bag":{"trial@3preview1":{"type":"list<sheet>",)"
            R"("value":[{"number":3}]}}})");
}

TEST(Documents, AreStoredAtTheNewestRelease) {
  EXPECT_EQ(find_document_type(album)->hub, "4");
  EXPECT_EQ(find_document_type("test.example/gone")->hub, "2");
  EXPECT_EQ(find_document_type("test.example/sketchy")->hub, "1");
}

TEST(Documents, OfRemovedTypesStayReadable) {
  DocumentConverter converter;
  const auto read =
      converter.convert(R"({"type":"test.example/gone","version":1,"value":{"name":"old"}})", {});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, R"({"type":"test.example/gone","version":2,"value":{"title":"old"}})");
}

}}  // namespace tenon::tests
