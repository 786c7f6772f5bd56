// SPDX-License-Identifier: BSL-1.0
//
// Each type of an interface definition in its three forms: raw, view, owned.
#include <tenon/call.hpp>
#include <tenon/detail/argument.hpp>
#include <tenon/values.hpp>

#include <gtest/gtest.h>
#include <test/all_types.hpp>
#include <test/entry.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

namespace {

using namespace std::string_literals;
using tenon::Bytes;
using tenon::Copy;
using tenon::Value;
using test::AllTypesV1Colour;
using test::AllTypesV1Outer;
using test::AllTypesV1Pair;

template <class T>
using Map = std::map<std::string, T, std::less<>>;

/// Converts owned to raw, shallow and deep, and back to owned, also through a view.
template <class T>
void expect_round_trip(const T& value) {
  tenon::Call call;
  const auto shallow = Value<T>::template raw<Copy::shallow>(call.raw(), value);
  EXPECT_EQ(Value<T>::own(shallow), value);
  auto copy = std::make_unique<T>(value);
  const auto deep = Value<T>::template raw<Copy::deep>(call.raw(), *copy);
  copy.reset();  // a deep copy does not depend on the original
  EXPECT_EQ(Value<T>::own(deep), value);
  EXPECT_EQ(Value<T>::own(Value<T>::pass(call.raw(), Value<T>::view(deep))), value);
}

AllTypesV1Pair pair(const std::string& name) {
  AllTypesV1Pair pair;
  pair.name = name;
  pair.colour = AllTypesV1Colour::Delete;
  pair.position.position = tenon::to_bytes("at " + name);
  pair.position.metadata = {{"k", "v"}};
  pair.position.created_at = tenon::Timestamp(tenon::Duration(-5));
  return pair;
}

TEST(Values, RoundTripNumbersAndBooleans) {
  for (bool value : {false, true}) expect_round_trip(value);
  expect_round_trip(std::numeric_limits<std::int8_t>::min());
  expect_round_trip(std::numeric_limits<std::int64_t>::min());
  expect_round_trip(std::numeric_limits<std::uint64_t>::max());
  expect_round_trip(.1f);
  expect_round_trip(-1e300);
  expect_round_trip(tenon::Duration(-1));
  expect_round_trip(tenon::Timestamp(tenon::Duration(1700000000000000001)));
  expect_round_trip(AllTypesV1Colour::Green);
}

TEST(Values, RoundTripTextsAndBytes) {
  expect_round_trip(""s);
  expect_round_trip("a text with a \0 inside"s);
  expect_round_trip(std::string(10000, 'x'));
  expect_round_trip(Bytes{});
  expect_round_trip(Bytes{0, 255});
  expect_round_trip(tenon::Json{"{}"});
}

TEST(Values, RoundTripListsAndMaps) {
  expect_round_trip(std::vector<std::int32_t>{});
  expect_round_trip(std::vector<std::int32_t>{1, -2, 3});
  expect_round_trip(std::vector<bool>{true, false, true});
  expect_round_trip(std::vector<std::vector<std::string>>{{}, {"a"}, {"", "b"}});
  expect_round_trip(std::vector<AllTypesV1Colour>{AllTypesV1Colour::Delete});
  expect_round_trip(Map<double>{{"", 0}, {"one", 1}});
  expect_round_trip(tenon::TextMap{{"a", "b"}, {"", ""}});
  expect_round_trip(Map<std::vector<Bytes>>{{"none", {}}, {"two", {{1}, {}}}});
  expect_round_trip(Map<AllTypesV1Pair>{{"p", pair("p")}});
}

TEST(Values, RoundTripStructsAndDocuments) {
  expect_round_trip(AllTypesV1Pair{});
  expect_round_trip(pair("x"));
  expect_round_trip(AllTypesV1Outer{pair("in"), pair("maybe"), test::AllTypesV1Size::Large});
  expect_round_trip(AllTypesV1Outer{pair("in"), std::nullopt, test::AllTypesV1Size::Small});
  test::EntryV1 entry;
  entry.title = "title";
  entry.notes = {{"note", std::nullopt}, {"", tenon::Timestamp()}};
  entry.last = entry.notes[0];
  entry.gone = 0;
  entry.bag = {1, 2};
  expect_round_trip(entry);
  expect_round_trip(std::vector<test::EntryV1>{entry, {}});
}

template <class T>
void expect_optional(const T& value) {
  expect_round_trip(std::optional<T>(value));
  expect_round_trip(std::optional<T>(T{}));  // empty, but present
  expect_round_trip(std::optional<T>());
}

TEST(Values, DistinguishAbsentFromEmpty) {
  expect_optional(true);
  expect_optional(std::int8_t{-8});
  expect_optional(1e9);
  expect_optional("text"s);
  expect_optional(Bytes{9});
  expect_optional(tenon::Json{"[]"});
  expect_optional(tenon::Duration(8));
  expect_optional(tenon::Timestamp(tenon::Duration(8)));
  expect_optional(AllTypesV1Colour::Green);
  expect_optional(pair("optional"));
  expect_optional(test::EntryV1{});
  expect_optional(std::vector<std::int32_t>{1});
  expect_optional(tenon::TextMap{{"a", "b"}});
}

TEST(Values, ReadNullAsAbsentOnlyIfOptional) {
  // A required text that is NULL is read as an empty one.
  EXPECT_EQ(Value<std::string>::own({nullptr, 0}), "");
  EXPECT_EQ(Value<Bytes>::own({nullptr, 0}), Bytes());
  EXPECT_EQ(Value<std::vector<std::int32_t>>::own({nullptr, 0, 0}), std::vector<std::int32_t>());
  EXPECT_EQ(Value<tenon::TextMap>::own({{nullptr, 0, 0}, {nullptr, 0, 0}}), tenon::TextMap());
  EXPECT_EQ(Value<std::optional<std::string>>::own({nullptr, 0}), std::nullopt);
  EXPECT_EQ(Value<std::optional<std::string>>::own({"", 0}), "");
  EXPECT_EQ(Value<std::optional<std::int32_t>>::own(nullptr), std::nullopt);
}

TEST(Values, ReadListsByTheirStride) {
  // Elements of a plugin with a newer, larger struct.
  struct Grown {
    std::int32_t value;
    std::int32_t more;
  };
  const Grown elements[] = {{1, -1}, {2, -1}, {3, -1}};
  const tenon_list list = {elements, 3, sizeof(Grown)};
  EXPECT_EQ(Value<std::vector<std::int32_t>>::own(list), (std::vector<std::int32_t>{1, 2, 3}));
  const auto last = Value<std::vector<std::int32_t>>::view(list).slice(1, 2);
  EXPECT_EQ((std::vector<std::int32_t>(last.begin(), last.end())),
            (std::vector<std::int32_t>{2, 3}));
}

TEST(Values, ViewWithoutCopying) {
  tenon::Call call;
  AllTypesV1Outer outer{pair("in"), pair("maybe"), test::AllTypesV1Size::Large};
  const auto raw = Value<AllTypesV1Outer>::raw<Copy::shallow>(call.raw(), outer);
  const test::AllTypesV1OuterView view(raw);
  EXPECT_EQ(view.inner().name().data(), outer.inner.name.data());
  EXPECT_EQ(view.inner().colour(), AllTypesV1Colour::Delete);
  EXPECT_EQ(view.maybe()->name(), "maybe");
  EXPECT_EQ(view.maybe()->position().metadata().find("k"), "v");
  EXPECT_EQ(view.maybe()->position().metadata().find("none"), std::nullopt);
  EXPECT_EQ(view.maybe()->position().position().text(), "at maybe");
  EXPECT_EQ(&view.raw(), &raw);
}

TEST(Values, ViewListsAndMapsAsRanges) {
  using List = tenon::ListView<std::string>;
  using Counts = tenon::MapView<std::int32_t>;
  static_assert(std::ranges::forward_range<List> && std::ranges::sized_range<List>);
  static_assert(std::ranges::forward_range<Counts> && std::ranges::sized_range<Counts>);

  tenon::Call call;
  const std::vector<std::string> names = {"one", "two", "three"};
  const auto raw_names = Value<std::vector<std::string>>::raw<Copy::shallow>(call.raw(), names);
  const auto second = std::next(List(raw_names).begin());  // outlives the view
  EXPECT_EQ(*second, "two");
  EXPECT_TRUE(std::ranges::equal(List(raw_names), names));

  const Map<std::int32_t> counts = {{"a", 1}, {"b", 2}};
  const auto raw_counts = Value<Map<std::int32_t>>::raw<Copy::shallow>(call.raw(), counts);
  Map<std::int32_t> copied;
  for (const auto& [key, value] : Counts(raw_counts)) copied.emplace(key, value);
  EXPECT_EQ(copied, counts);
  EXPECT_EQ(Counts().begin(), Counts().end());
}

TEST(Arguments, AcceptValuesAndViewsWithoutCopying) {
  using Argument = tenon::Argument<AllTypesV1Pair>;
  tenon::Call call;
  const AllTypesV1Pair owned = pair("owned");
  EXPECT_EQ(Argument(owned).view(call).name().data(), owned.name.data());
  const auto raw = Value<AllTypesV1Pair>::raw<Copy::shallow>(call.raw(), owned);
  const test::AllTypesV1PairView view(raw);
  EXPECT_EQ(&Argument(view).view(call).raw(), &raw);
}

TEST(Arguments, AcceptElementsInBraces) {
  tenon::Call call;
  const auto text = [&call](const tenon::Argument<tenon::TextMap>& argument) {
    std::string text;
    for (const auto& [key, value] : argument.view(call)) text.append(key).append(value);
    return text;
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({{"a", "1"}}), "a1");
  EXPECT_EQ(text({{"a", "1"}, {"b", "2"}}), "a1b2");
  const auto last = [&call](const tenon::Argument<std::vector<std::string>>& argument) {
    const auto view = argument.view(call);
    return std::string(view[view.size() - 1]);
  };
  EXPECT_EQ(last({"a", "b"}), "b");
}

TEST(Arguments, MayBeAbsent) {
  using Argument = tenon::Argument<std::optional<AllTypesV1Pair>>;
  tenon::Call call;
  const AllTypesV1Pair owned = pair("owned");
  const auto raw = Value<AllTypesV1Pair>::raw<Copy::shallow>(call.raw(), owned);
  const test::AllTypesV1PairView view(raw);
  const auto name = [&call](const Argument& argument) {
    const auto seen = argument.view(call);
    return seen ? seen->name().data() : nullptr;
  };
  EXPECT_EQ(name({}), nullptr);
  EXPECT_EQ(name(std::nullopt), nullptr);
  EXPECT_EQ(name(std::optional<AllTypesV1Pair>()), nullptr);
  EXPECT_EQ(name(std::optional<test::AllTypesV1PairView>()), nullptr);
  EXPECT_EQ(name(owned), owned.name.data());
  EXPECT_EQ(name(view), owned.name.data());
  EXPECT_EQ(name(std::optional<test::AllTypesV1PairView>(view)), owned.name.data());
  const std::optional<AllTypesV1Pair> maybe = owned;
  EXPECT_EQ(name(maybe), maybe->name.data());
}

TEST(Values, ConvertEnumsToText) {
  EXPECT_EQ(to_text(AllTypesV1Colour::Delete), "delete");
  EXPECT_EQ(to_text(static_cast<AllTypesV1Colour>(99)), "");
  EXPECT_EQ(test::all_types_v1_colour_from_text("green"), AllTypesV1Colour::Green);
  EXPECT_EQ(test::all_types_v1_colour_from_text("Green"), std::nullopt);
  static_assert(static_cast<std::int32_t>(AllTypesV1Colour::Delete) ==
                TEST_ALL_TYPES_V1_COLOUR_DELETE);
}

}  // namespace
