// SPDX-License-Identifier: BSL-1.0
//
// A newer program stores documents, an older program, generated from older specs, reads them
// leniently and stores them again. The newer program must then find all of its fields.
#include <tenon/testing/document_tests.hpp>

#include <framework/world.hpp>
#include <gtest/gtest.h>
#include <test/drawing_storage.hpp>
#include <test/gauge_storage.hpp>
#include <test/person_storage.hpp>

#include <sstream>

namespace tenon::tests { namespace {

constexpr int instances = 4000;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns random documents, stored at one version.
template <class Storage>
std::vector<std::string> random_documents(const DocumentType& type, std::string_view label) {
  Random random(seed(), {"7", "light", "grey"});
  Arena arena;
  std::vector<std::string> documents;
  for (int i = 0; i < instances; ++i) {
    arena.reset();
    Conversion conversion(arena.raw());
    random.density = random.below(101);
    Storage document;
    fill(conversion, random, document);
    json::Writer out;
    write_document(out, type, *type.find(label), &document, "");
    documents.push_back(out.take());
  }
  return documents;
}

/// Returns the documents after the older program has read and stored them.
std::vector<std::string> stored_by_older(const World& world, const std::vector<std::string>& in) {
  std::string text;
  for (const std::string& line : in) text += line + "\n";
  const Outcome run = world.run({OLDER_PROGRAM, world.write("documents.jsonl", text).string()});
  EXPECT_EQ(run.exit, 0) << run.err;
  return lines_of(run.out);
}

/// Passes random documents through the older program twice, and expects them unchanged.
template <class Storage>
void check_round_trip(std::string_view id, std::string_view label) {
  const World world;
  const DocumentType& type = *find_document_type(id);
  const std::vector<std::string> written = random_documents<Storage>(type, label);
  const std::vector<std::string> once = stored_by_older(world, written);
  const std::vector<std::string> twice = stored_by_older(world, once);
  ASSERT_EQ(once.size(), written.size());
  EXPECT_EQ(twice, once);
  DocumentConverter converter;
  for (std::size_t i = 0; i < written.size() && !testing::Test::HasFailure(); ++i) {
    EXPECT_NE(once[i].find(R"("version":1,)"), std::string::npos) << once[i];
    const auto read = converter.convert(once[i], {.to = label}, "w");
    ASSERT_TRUE(read) << read.error().to_string() << "\n" << once[i];
    const std::string back(*read);
    const auto expected = converter.convert(written[i], {.to = label}, "w");
    EXPECT_EQ(back, *expected) << once[i];
  }
}

TEST(OlderProgram, PreservesFieldsOfDrawingVersion2) {
  check_round_trip<test::DrawingV2Storage>("test.example/drawing", "2");
}

TEST(OlderProgram, PreservesFieldsOfDrawingVersion3) {
  check_round_trip<test::DrawingV3Storage>("test.example/drawing", "3");
}

TEST(OlderProgram, PreservesFieldsWithWiderTypes) {
  check_round_trip<test::GaugeV2Storage>("test.example/gauge", "2");
  check_round_trip<test::GaugeV3Storage>("test.example/gauge", "3");
}

TEST(OlderProgram, PreservesFieldsOfPerson) {
  check_round_trip<test::PersonV2Storage>("test.example/person", "2");
}

/// The older program stores the new name, which it does not know, in its own version.
TEST(OlderProgram, PreservesRenamedValuesOfEnums) {
  const World world;
  const auto text = [](const std::string& version, const std::string& value) {
    return R"({"type":"test.example/person","version":)" + version +
           R"(,"writer":"test.example/older 1.0.0","value":{"mood":")" + value + "\"}}";
  };
  const std::string newer = text("2", "lively");
  const std::vector<std::string> stored = stored_by_older(world, {newer});
  EXPECT_EQ(stored, std::vector{text("1", "lively")});
  DocumentConverter converter;
  const auto read = converter.convert(stored.front(), {.to = "2"});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_NE(read->find(R"("mood":"lively")"), std::string_view::npos) << *read;
}

/// A future version may give a new field the name that another field had before.
TEST(NewerProgram, KeepsFutureFieldsApartFromOlderFields) {
  DocumentConverter converter;
  const auto text = [](const std::string& version, const std::string& value) {
    return R"({"type":"test.example/drawing","version":)" + version + R"(,"value":)" + value + "}";
  };
  const std::string kept = R"({"bag":{"name@9":{"type":"json","value":"Mr"},)"
                           R"("title@9":{"type":"json","value":"Ms"}}})";
  const std::string future = text("9", R"({"name":"Mr","title":"Ms"})");
  for (const char* to : {"3", "2", "1"}) {
    const auto read = converter.convert(future, {.to = to, .lenient = true});
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, text(to, kept));
  }
}

TEST(OlderProgram, OverridesValuesInTheBag) {
  DocumentConverter converter;
  const auto read =
      converter.convert(R"({"type":"test.example/drawing","version":1,"value":{"name":"newer",)"
                        R"("bag":{"title@2":{"type":"json","value":"older"}}}})",
                        {.to = "2"});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, R"({"type":"test.example/drawing","version":2,"value":{"title":"newer"}})");
}

}}  // namespace tenon::tests
