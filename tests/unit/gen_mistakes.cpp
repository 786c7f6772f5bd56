// SPDX-License-Identifier: BSL-1.0
#include "gen_mistakes.hpp"

#include <algorithm>

#include "gen/load.hpp"

namespace tenon::tests {
namespace {

using gen::Diagnostic;
using gen::Diagnostics;
using gen::SourceLocation;

/// Returns the number of characters of a UTF-8 text.
int characters(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

/// Writes a text without its mark '^'. Returns the position of the mark, or line 0 without a mark.
SourceLocation write(const World& world, const std::string& path, std::string text) {
  SourceLocation place;
  const std::size_t mark = text.find('^');
  if (mark != std::string::npos) {
    text.erase(mark, 1);
    place.line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + long(mark), '\n'));
    const std::size_t line_begin = mark == 0 ? 0 : text.rfind('\n', mark - 1) + 1;
    place.column = 1 + characters(text.substr(line_begin, mark - line_begin));
  }
  place.file = world.write(path, text).generic_string();
  return place;
}

}  // namespace

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

std::string name_of(const testing::TestParamInfo<Mistake>& info) {
  return info.param.name;
}

Diagnostics findings_in(const World& world) {
  Diagnostics findings;
  gen::load_specs({.directories = {world.root().string()}}, findings);
  return findings;
}

void expect_finding(const Mistake& mistake) {
  const World world;
  SourceLocation place;
  for (const auto& [path, text] : mistake.files) {
    const SourceLocation written = write(world, path, text);
    if (written.line != 0 || place.file.empty()) place = written;
  }
  const Diagnostics findings = findings_in(world);
  std::string all;
  for (const Diagnostic& finding : findings.all()) all += to_text(finding) + "\n";
  ASSERT_EQ(findings.all().size(), 1u) << all;
  const Diagnostic& finding = findings.all().front();
  EXPECT_EQ(finding.code, mistake.code) << all;
  EXPECT_EQ(finding.location.line, place.line) << all;
  EXPECT_EQ(finding.location.column, place.column) << all;
  if (place.line != 0) {
    EXPECT_EQ(finding.location.file, place.file) << all;
  }
  EXPECT_NE(finding.fix.find(mistake.fix), std::string::npos) << all;
  EXPECT_FALSE(finding.fix.empty());
}

std::string document(const std::string& fields, const std::string& more,
                     const std::string& version) {
  return "{\"type\": \"a.example/t\", \"version\": " + version + ", \"doc\": \"A type.\"," + more +
         "\n\"fields\": {" + fields + "}}";
}

std::string evolution(const std::string& steps, const std::string& key) {
  return "{" + key + ",\n\"steps\": [" + steps + "]}";
}

}  // namespace tenon::tests
