// SPDX-License-Identifier: BSL-1.0
//
// Compares conversions by the interpreter of the command `tenon` with those by code generated from
// the same specs, on random documents. SPECS is the directory of the specs.
#include <tenon/detail/other_program.hpp>
#include <tenon/testing/document_tests.hpp>

#include <test/album_storage.hpp>
#include <test/fence_storage.hpp>
#include <test/gone_storage.hpp>
#include <test/parcel_storage.hpp>
#include <test/photo_storage.hpp>
#include <test/sketchy_storage.hpp>
#include <test/tour_storage.hpp>

#include "app_types.hpp"
#include "gen/load.hpp"

namespace tenon::tests { namespace {

using command::ConstantPool;

/// A document type as compiled into the program, and as read from its specs by the command.
struct BothTypes {
  const DocumentType& built;
  const DocumentType& read;
};

BothTypes types_of(std::string_view id) {
  static const std::vector<const DocumentType*> built = document_types();
  static const gen::Model model = [] {
    gen::Diagnostics findings;
    gen::Model loaded = gen::load_specs({.directories = {SPECS}}, findings);
    EXPECT_TRUE(findings.empty()) << tools::to_text(findings.all().front());
    return loaded;
  }();
  static ConstantPool pool;
  const auto find = [id](const auto& all) -> decltype(auto) {
    return **std::find_if(all.begin(), all.end(), [id](const auto& one) { return one->id == id; });
  };
  return {find(built), command::described_type(find(model.documents), pool)};
}

/// Returns the converted document, or the text of the error.
std::string converted(const DocumentType& type, const std::string& text,
                      const DocumentReadOptions& how) {
  detail::use_document_types({&type});
  DocumentConverter converter;
  const auto result = converter.convert(text, how);
  return result ? std::string(*result) : result.error().to_string();
}

/// Compares a conversion and the conversion back.
void compare(const BothTypes& types, const std::string& text, std::string_view from,
             const DocumentVersion& to, bool lenient) {
  SCOPED_TRACE(std::string(from) + " to " + std::string(to.label) + ": " + text);
  const DocumentReadOptions there{types.built.id, from, to.label, lenient};
  const std::string expected = converted(types.built, text, there);
  const std::string found = converted(types.read, text, there);
  if (by_hand(types.built, from, to.label)) {
    EXPECT_NE(found.find("missing-conversion"), std::string::npos) << found;
    EXPECT_NE(found.find("AlbumStep1To2"), std::string::npos) << found;
    return;
  }
  EXPECT_EQ(expected, found);
  const DocumentReadOptions back{types.built.id, to.label, from, lenient};
  EXPECT_EQ(converted(types.built, expected, back), converted(types.read, expected, back))
      << "after the first conversion: " << expected;
}

template <class Storage>
void check(std::string_view id, std::string_view label) {
  constexpr int instances = 40;
  const BothTypes types = types_of(id);
  Random random(seed(), {"bright", "light", "odd"});
  Arena arena;
  for (int i = 0; i < instances && !testing::Test::HasFailure(); ++i) {
    arena.reset();
    Conversion conversion(arena.raw());
    random.density = i == 0 ? 0 : i == 1 ? 100 : random.below(101);
    Storage document;
    fill(conversion, random, document);
    const std::string text = to_text(*types.built.find(label), &document);
    for (const DocumentVersion& to : types.built.versions) {
      compare(types, text, label, to, false);
      // Read as every other version, most documents are refused, or their fields go to the bag.
      for (const DocumentVersion& wrong : types.built.versions) {
        compare(types, text, wrong.label, to, false);
        compare(types, text, wrong.label, to, true);
      }
    }
  }
}

TEST(Interpreter, ConvertsLikeGeneratedCode) {
  check<test::AlbumV1Storage>("test.example/album", "1");
  check<test::AlbumV2Storage>("test.example/album", "2");
  check<test::AlbumV3preview1Storage>("test.example/album", "3preview1");
  check<test::AlbumV3preview2Storage>("test.example/album", "3preview2");
  check<test::AlbumV3Storage>("test.example/album", "3");
  check<test::AlbumV4Storage>("test.example/album", "4");
  check<test::FenceV1Storage>("test.example/fence", "1");
  check<test::FenceV2Storage>("test.example/fence", "2");
  check<test::FenceV3Storage>("test.example/fence", "3");
  check<test::GoneV1Storage>("test.example/gone", "1");
  check<test::GoneV2Storage>("test.example/gone", "2");
  check<test::ParcelV1Storage>("test.example/parcel", "1");
  check<test::ParcelV2Storage>("test.example/parcel", "2");
  check<test::ParcelV3Storage>("test.example/parcel", "3");
  check<test::PhotoV1Storage>("test.example/photo", "1");
  check<test::PhotoV2Storage>("test.example/photo", "2");
  check<test::SketchyV1Storage>("test.example/sketchy", "1");
  check<test::TourV1Storage>("test.example/tour", "1");
  check<test::TourV2Storage>("test.example/tour", "2");
  check<test::TourV3Storage>("test.example/tour", "3");
}

TEST(Interpreter, HandlesEntriesOfLenientReadersLikeGeneratedCode) {
  const BothTypes types = types_of("test.example/tour");
  for (const char* text : {
           R"({"ratio":0.1234567890123})",
           R"({"ratio":"x"})",
           R"({"bag":{"ratio@1":{"type":"json","value":"x"}}})",
           R"({"bag":{"ratio@9":{"type":"json","value":0.1234567890123}}})",
           R"({"bag":{"ratio@9":{"type":"json","value":0.5}}})",
           R"({"bag":{"ratio@1":{"type":"float32","value":0.1234567890123}}})",
           R"({"bag":{"any@9":{"type":"json","value":1}}})",
           R"({"first":{"bag":{"hours@9":{"type":"json","value":[0.1234567890123]}}}})",
           R"({"bag":{"title@9":{"type":"json","value":"Mr"}}})",
           R"({"bag":{"name@9":{"type":"json","value":"Mr"}}})",
       }) {
    for (const DocumentVersion& from : types.built.versions) {
      for (const DocumentVersion& to : types.built.versions) {
        compare(types, text, from.label, to, false);
        compare(types, text, from.label, to, true);
      }
    }
  }
}

TEST(Interpreter, DescribesTypesLikeGeneratedCode) {
  for (const char* id :
       {"test.example/album", "test.example/fence", "test.example/gone", "test.example/parcel",
        "test.example/photo", "test.example/sketchy", "test.example/tour"}) {
    const BothTypes types = types_of(id);
    EXPECT_EQ(types.built.hub, types.read.hub);
    ASSERT_EQ(types.built.versions.size(), types.read.versions.size());
    for (std::size_t i = 0; i < types.built.versions.size(); ++i) {
      EXPECT_EQ(types.built.versions[i].label, types.read.versions[i].label);
      EXPECT_EQ(types.built.versions[i].stage, types.read.versions[i].stage);
    }
    ASSERT_EQ(types.built.steps.size(), types.read.steps.size());
    for (std::size_t i = 0; i < types.built.steps.size(); ++i) {
      const DocumentStep& built = types.built.steps[i];
      const DocumentStep& read = types.read.steps[i];
      EXPECT_EQ(built.from, read.from);
      EXPECT_EQ(built.to, read.to);
      EXPECT_EQ(built.notes, read.notes);
      EXPECT_EQ(built.by_hand, read.by_hand);
      EXPECT_TRUE(std::ranges::equal(built.changes, read.changes));
    }
  }
}

}}  // namespace tenon::tests
