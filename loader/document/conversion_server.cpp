// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/converter.hpp>
#include <tenon/document.hpp>

#include <istream>
#include <ostream>
#include <string>

namespace tenon { inline namespace v0_1 {
namespace {

struct Request {
  std::string_view document;
  DocumentReadOptions reading{};
};

bool read_request(const json::Reader& in, Request& request) {
  json::Fields fields(in);
  const auto read = [&fields](std::string_view name, auto& value) {
    const json::Reader* member = fields.take(name);
    return member == nullptr || member->read(value);
  };
  DocumentReadOptions& reading = request.reading;
  const json::Reader* document = fields.take("document");
  if (document == nullptr) return in.fail("an object with a document");
  return document->read(request.document) && read("type", reading.type) &&
         read("from", reading.from) && read("to", reading.to) && read("lenient", reading.lenient) &&
         fields.finish();
}

Error wrong_request(const Error& error) {
  return Error({.code = "wrong-request",
                .message = "this converter does not support the request",
                .where = std::string(error.where()),
                .found = std::string(error.message()),
                .fix = "use the `tenon convert` of the version that the app was built with"});
}

void write_error(json::Writer& out, const Error& error) {
  out.begin_object();
  const auto write = [&out](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    out.key(name);
    out.text(text);
  };
  write("code", error.code());
  write("message", error.message());
  write("where", error.where());
  write("found", error.found());
  write("needed", error.needed());
  write("fix", error.fix());
  out.end_object();
}

class ConversionServer {
 public:
  /// Returns the response to a request, one line of JSON.
  std::string_view respond(std::string_view line) {
    out_.clear();
    out_.begin_object();
    if (const Result<std::string_view> converted = convert(line)) {
      out_.key("document");
      out_.text(*converted);
    } else {
      out_.key("error");
      write_error(out_, converted.error());
    }
    out_.end_object();
    return out_.view();
  }

 private:
  Result<std::string_view> convert(std::string_view line) {
    const Result<json::Reader> root = parser_.parse(line);
    if (!root) return wrong_request(root.error());
    Request request;
    if (!read_request(*root, request)) return wrong_request(parser_.take_error());
    return converter_.convert(request.document, request.reading);
  }

  json::Parser parser_;
  DocumentConverter converter_;
  json::Writer out_;
};

}  // namespace

void answer_conversions(std::istream& in, std::ostream& out) {
  ConversionServer server;
  for (std::string line; std::getline(in, line);) out << server.respond(line) << std::endl;
}

}}  // namespace tenon::v0_1
