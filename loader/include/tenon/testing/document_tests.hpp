// SPDX-License-Identifier: BSL-1.0
//
// tenon/testing/document_tests.hpp: implements the tests that tenon-gen writes for document types,
// with GoogleTest. They convert random documents from every version to every other one and back:
// nothing may be lost, and the source may not change. The seed is printed; TENON_TEST_SEED sets it.
//
// Golden files contain conversions with a hand-written step as pairs of lines: a document, and the
// result of its conversion. `--update-goldens` writes them again.
#pragma once

#include <tenon/detail/arena.hpp>
#include <tenon/detail/storage.hpp>
#include <tenon/document.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tests {

/// Random values. The same seed gives the same values with every compiler.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::vector<std::string> words = {})
      : engine_(seed), words_(std::move(words)) {
    for (const char* word : {"", "42", "name", "a.b", "\n\t\"\\", "gr\u00fc\u00df", "\U0001f9e9"}) {
      words_.emplace_back(word);
    }
  }

  std::uint64_t number() { return engine_(); }
  /// Returns a number from 0 to limit - 1.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  const std::string& word() { return words_[below(words_.size())]; }
  /// The percentage of fields that are present.
  std::size_t density = 50;
  bool is_present() { return below(100) < density; }

 private:
  std::mt19937_64 engine_;
  std::vector<std::string> words_;
};

/// Returns the seed of this run. The first call prints it.
inline std::uint64_t seed() {
  static const std::uint64_t chosen = [] {
    const char* given = std::getenv("TENON_TEST_SEED");
    const std::uint64_t value =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
    std::cout << "TENON_TEST_SEED=" << value << std::endl;
    return value;
  }();
  return chosen;
}

template <class Form>
void fill(Conversion& conversion, Random& random, Form& value);

/// Fills a bag with values of unknown versions.
inline void fill_bag(Conversion& conversion, Random& random, Bag& bag) {
  static constexpr BagEntry strangers[] = {{"tomorrow", "99", "int32", "42"},
                                           {"tomorrow", "98", "string", "\"42\""},
                                           {"never", "99preview1", "json", "{\"a\":[1,null]}"}};
  for (const BagEntry& entry : strangers) {
    if (random.below(8) == 0) bag.put(conversion, entry);
  }
}

template <class Form>
void fill(Conversion& conversion, Random& random, StoredList<Form>& list) {
  const std::size_t count = random.below(4);
  auto* made = conversion.make_array<Form>(count);
  list.raw = {made, count, sizeof(Form)};
  for (std::size_t i = 0; i < count; ++i) fill(conversion, random, made[i]);
}

/// Fills a map with sorted, unique keys, because maps have no order.
template <class Form>
void fill(Conversion& conversion, Random& random, StoredMap<Form>& map) {
  std::vector<std::string> keys;
  for (std::size_t i = random.below(4); i > 0; --i) keys.push_back(random.word());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  auto* made_keys = conversion.make_array<tenon_string>(keys.size());
  auto* values = conversion.make_array<Form>(keys.size());
  map.raw = {{made_keys, keys.size(), sizeof(tenon_string)}, {values, keys.size(), sizeof(Form)}};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    made_keys[i] = conversion.copy(keys[i]);
    fill(conversion, random, values[i]);
  }
}

template <class Number>
Number any_number(Random& random) {
  using Limits = std::numeric_limits<Number>;
  if constexpr (std::is_floating_point_v<Number>) {
    const Number special[] = {Number(0),          -Number(0),          Limits::quiet_NaN(),
                              Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
                              Limits::max(),      Number(0.1)};
    if (random.below(2) == 0) return special[random.below(std::size(special))];
    return static_cast<Number>(static_cast<std::int64_t>(random.number())) / Number(1 << 20);
  } else {
    const Number special[] = {0, 1, Limits::min(), Limits::max(), 42};
    if (random.below(2) == 0) return special[random.below(std::size(special))];
    return static_cast<Number>(random.number());
  }
}

/// Fills a document with some, all or none of its fields.
template <class Form>
void fill(Conversion& conversion, Random& random, Form& value) {
  if constexpr (std::same_as<Form, bool>) {
    value = random.below(2) == 0;
  } else if constexpr (std::is_arithmetic_v<Form>) {
    value = any_number<Form>(random);
  } else if constexpr (std::same_as<Form, tenon_string>) {
    value = conversion.copy(random.word());
  } else if constexpr (std::same_as<Form, tenon_bytes>) {
    const tenon_string text = conversion.copy(random.word() + random.word());
    value = {reinterpret_cast<const std::uint8_t*>(text.data), text.size};
  } else if constexpr (std::same_as<Form, StoredJson>) {
    static constexpr std::string_view texts[] = {"null", "[1,2.50]", R"({"a":{"b":"42"}})", "42"};
    value.text = conversion.copy(texts[random.below(std::size(texts))]);
  } else if constexpr (StoredEnum<Form>) {
    const std::size_t which = random.below(Form::literals.size() + 1);
    value.literal = conversion.copy(which < Form::literals.size() ? Form::literals[which]
                                                                  : std::string_view("unheard_of"));
  } else {
    Form::for_each_field(value, [&]<class Field>(std::string_view, const Field*& field) {
      field = nullptr;
      if (!random.is_present()) return;
      auto* made = conversion.make<Field>();
      fill(conversion, random, *made);
      field = made;
    });
    fill_bag(conversion, random, value.bag);
  }
}

inline std::string to_text(const DocumentVersion& version, const void* stored) {
  json::Writer out;
  version.write(out, stored);
  return out.take();
}

/// Returns the conversion between two versions; nullptr if there is none.
inline const DocumentConversion* find_conversion(const DocumentType& type, std::string_view from,
                                                 std::string_view to) {
  for (const DocumentConversion& conversion : type.conversions) {
    if (conversion.from == from && conversion.to == to) return &conversion;
  }
  return nullptr;
}

inline const void* convert(const DocumentConversion& way, Conversion& conversion,
                           const void* stored) {
  return way.convert(way, conversion, stored);
}

/// Returns the labels of the versions from one to the other, including both.
inline std::vector<std::string_view> path_between(const DocumentType& type, std::string_view from,
                                                  std::string_view to) {
  const auto to_root = [&type](std::string_view label) {
    std::vector<std::string_view> path{label};
    for (bool found = true; found;) {
      found = false;
      for (const DocumentStep& step : type.steps) {
        if (step.to != path.back()) continue;
        path.push_back(step.from);
        found = true;
        break;
      }
    }
    return path;
  };
  std::vector<std::string_view> down = to_root(from);
  std::vector<std::string_view> up = to_root(to);
  while (down.size() > 1 && up.size() > 1 && down[down.size() - 2] == up[up.size() - 2]) {
    down.pop_back();
    up.pop_back();
  }
  up.pop_back();
  down.insert(down.end(), up.rbegin(), up.rend());
  return down;
}

/// Converts a document step by step. Returns nullptr, and adds a test failure, if a step fails.
inline const void* convert_by_steps(Conversion& conversion, const DocumentType& type,
                                    std::string_view from, std::string_view to,
                                    const void* stored) {
  const std::vector<std::string_view> path = path_between(type, from, to);
  for (std::size_t i = 0; stored != nullptr && i + 1 < path.size(); ++i) {
    stored = convert(*find_conversion(type, path[i], path[i + 1]), conversion, stored);
  }
  if (stored == nullptr) ADD_FAILURE() << conversion.error();
  return stored;
}

/// Converts to another version and back.
inline void check_round_trip(Conversion& conversion, const DocumentType& type,
                             const DocumentVersion& from, const DocumentVersion& to,
                             const void* stored) {
  const std::string before = to_text(from, stored);
  SCOPED_TRACE(before);
  const void* there = convert(*find_conversion(type, from.label, to.label), conversion, stored);
  ASSERT_NE(there, nullptr) << conversion.error();
  EXPECT_EQ(to_text(from, stored), before) << "the source was changed";
  const std::string on_the_way = to_text(to, there);
  const void* by_steps = convert_by_steps(conversion, type, from.label, to.label, stored);
  ASSERT_NE(by_steps, nullptr);
  EXPECT_EQ(on_the_way, to_text(to, by_steps)) << "the chain is not its steps";
  const void* back = convert(*find_conversion(type, to.label, from.label), conversion, there);
  ASSERT_NE(back, nullptr) << conversion.error();
  EXPECT_EQ(to_text(from, back), before) << "on the way: " << on_the_way;
  json::Parser parser;
  const void* read = to.read(to, conversion, parser.parse(on_the_way).value());
  ASSERT_NE(read, nullptr) << parser.take_error().to_string() << "\n" << on_the_way;
  back = convert(*find_conversion(type, to.label, from.label), conversion, read);
  ASSERT_NE(back, nullptr) << conversion.error();
  EXPECT_EQ(to_text(from, back), before) << "on the way, as text: " << on_the_way;
}

/// Checks that reading the JSON returns what was written.
inline void check_json(Conversion& conversion, const DocumentVersion& version, const void* stored) {
  const std::string text = to_text(version, stored);
  json::Parser parser;
  const auto root = parser.parse(text);
  ASSERT_TRUE(root) << root.error().to_string() << "\n" << text;
  const void* read = version.read(version, conversion, *root);
  ASSERT_NE(read, nullptr) << parser.take_error().to_string() << "\n" << text;
  EXPECT_EQ(to_text(version, read), text);
}

/// Converts random documents of one version to JSON, to every other version, and back. `words` are
/// texts with a meaning for hand-written steps.
template <class Storage>
void check_version(std::string_view id, std::string_view label,
                   const std::vector<std::string>& words = {}) {
  constexpr int instances = 1000;
  const DocumentType* type = find_document_type(id);
  ASSERT_NE(type, nullptr);
  const DocumentVersion& from = *type->find(label);
  Random random(seed(), words);
  Arena arena;
  for (int i = 0; i < instances && !testing::Test::HasFailure(); ++i) {
    arena.reset();
    Conversion conversion(arena.raw());
    random.density = i == 0 ? 0 : i == 1 ? 100 : random.below(101);
    Storage document;
    fill(conversion, random, document);
    check_json(conversion, from, &document);
    for (const DocumentVersion& to : type->versions) {
      if (&to != &from) check_round_trip(conversion, *type, from, to, &document);
    }
  }
}

/// The directory of golden files, and whether they are rewritten.
struct Goldens {
  std::filesystem::path directory;
  bool update = false;

  /// Removes --update-goldens from the command line.
  Goldens(std::filesystem::path where, int& count, char** arguments) : directory(std::move(where)) {
    for (int i = 1; i < count; ++i) {
      if (std::string_view(arguments[i]) != "--update-goldens") continue;
      update = true;
      for (int j = i; j + 1 < count; ++j) arguments[j] = arguments[j + 1];
      --count;
      break;
    }
  }
};

/// Returns whether the path between two versions contains a hand-written step.
inline bool by_hand(const DocumentType& type, std::string_view from, std::string_view to) {
  const std::vector<std::string_view> path = path_between(type, from, to);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    for (const DocumentStep& step : type.steps) {
      const bool is_it = (step.from == path[i] && step.to == path[i + 1]) ||
                         (step.to == path[i] && step.from == path[i + 1]);
      if (is_it && step.by_hand) return true;
    }
  }
  return false;
}

/// Checks the golden file of one version to another: "tenon.dev_record_1_to_2.jsonl".
template <class Storage>
void check_golden(const Goldens& goldens, std::string_view id, std::string_view from,
                  std::string_view to, const std::vector<std::string>& words = {}) {
  const DocumentType& type = *find_document_type(id);
  std::string name(id);
  name.replace(name.find('/'), 1, "_");
  name.append("_").append(from).append("_to_").append(to).append(".jsonl");
  const std::filesystem::path path = goldens.directory / name;
  std::vector<std::string> lines;
  {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  if (goldens.update && lines.empty()) {
    Random random(1, words);
    Arena arena;
    Conversion conversion(arena.raw());
    for (int i = 0; i < 12; ++i) {
      random.density = static_cast<std::size_t>(i) * 100 / 11;
      Storage document;
      fill(conversion, random, document);
      lines.push_back(to_text(*type.find(from), &document));
      lines.emplace_back();
    }
  }
  ASSERT_FALSE(lines.empty()) << path << " is missing; --update-goldens writes it";
  ASSERT_EQ(lines.size() % 2, 0u) << path;
  DocumentConverter converter;
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    const auto converted = converter.convert(lines[i], {.type = id, .from = from, .to = to});
    ASSERT_TRUE(converted) << converted.error().to_string() << "\n" << path << ":" << i + 1;
    if (goldens.update) {
      lines[i + 1] = *converted;
    } else {
      EXPECT_EQ(lines[i + 1], *converted) << path << ":" << i + 2;
    }
  }
  if (!goldens.update) return;
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << "\n";
}

}  // namespace tenon::tests
