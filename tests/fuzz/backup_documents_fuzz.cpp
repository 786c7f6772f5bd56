// SPDX-License-Identifier: BSL-1.0
//
// Feeds a file to the scanner of documents, at once and byte by byte, and to the reader of
// documents. Both scans must have the same result, and each item must be readable and match its id.
#include <boost/json/parse.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "backup/document_scanner.hpp"
#include "backup/documents.hpp"
#include "fuzz/fuzzing.hpp"

namespace {

using namespace backup;
using tenon::fuzzing::require;

class Trace : public ScanHandler {
 public:
  void on_element(const Extent& extent, std::string_view text, const Envelope&) override {
    note(extent.begin, extent.size, text);
  }
  void on_object(const Extent& extent, const Envelope& envelope) override {
    note(extent.begin, extent.size, envelope.kind);
  }
  void on_broken(const Position& where, std::string_view found, const Envelope&) override {
    note(where, 0, found);
  }
  std::string text;

 private:
  void note(const Position& where, std::uint64_t size, std::string_view what) {
    text += place_of(where) + std::to_string(size) + ' ' + std::string(what) + '\n';
  }
  static std::string place_of(const Position& where) {
    return std::to_string(where.offset) + ' ' + std::to_string(where.line) + ':' +
           std::to_string(where.column) + '+';
  }
};

std::string scan(std::string_view input, std::size_t piece) {
  Trace trace;
  DocumentScanner scanner(trace, 256);
  for (std::size_t at = 0; at < input.size(); at += piece) scanner.feed(input.substr(at, piece));
  scanner.finish();
  return trace.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = tenon::fuzzing::text_of(data, size);
  require(scan(input, size + 1) == scan(input, 1));

  static const tenon::fuzzing::Directory directory;
  std::vector<tenon::Error> problems;
  const auto items = read_documents(
      directory.write("in.json", input),
      [](std::string_view, std::string_view kind) { return std::string(kind); }, problems,
      [](const boost::json::object& document) { require(document.contains("metadata")); });
  require(items.has_value());
  for (const tenon::Error& problem : problems) {
    require(!problem.where().empty() && !problem.found().empty() && !problem.fix().empty());
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto id = items->id(i);
    require(items->find(id) == i);
    const auto text = items->read(i);
    require(text.has_value());
    boost::json::parse_options options;
    options.max_depth = deepest_document;
    const auto document = boost::json::parse(*text, {}, options);
    require(document.at("kind").as_string() == id.resource);
    require(document.at("metadata").at("name").as_string() == id.name);
  }
  return 0;
}
