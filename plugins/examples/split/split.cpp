// SPDX-License-Identifier: BSL-1.0
//
// split.cpp: a plugin in C++ with the SDK, as an example. It is a processor that turns the elements
// of a JSON array into records. From the record with
//
//   key "a", payload [{"n": 1}, {"n": 2}]
//
// it creates a record with the key "a/1" and the payload {"n": 1}, and one with the key "a/2" and
// the payload {"n": 2}. If the record has no key, the position is used instead. An empty array
// produces no record. Records without a payload are unchanged. Records whose payload is not an
// array are unchanged if `others` is "pass", otherwise refused.
//
// The payloads of the new records refer to the original payload, which is not copied.
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/record_processor.hpp>
#include <tenon/sdk/specifier.hpp>

#include <boost/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace {

using tenon::BytesView;
using tenon::RecordV2View;
using tenon::sdk::Refusal;

enum class Others { refuse, pass };
constexpr tenon::sdk::Word<Others> choices[] = {{"refuse", Others::refuse}, {"pass", Others::pass}};

struct Settings {
  Others others = Others::refuse;
};
constexpr auto parameters =
    tenon::sdk::parameters(tenon::sdk::parameter(&Settings::others, "others",
                                                 "the handling of payloads that are not arrays")
                               .otherwise("refuse")
                               .one_of(choices));

bool is_array(std::string_view text) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse({text.data(), text.size()}, error);
  return !error && value.is_array();
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Iterates over the elements of an array.
class Elements {
 public:
  /// `array` must be a JSON array.
  explicit Elements(std::string_view array) : rest_(without_blanks(array)) {
    rest_ = without_blanks(rest_.substr(1, rest_.size() - 2));
  }

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t length = first_length();
    const std::string_view element = rest_.substr(0, length);
    rest_.remove_prefix(length < rest_.size() ? length + 1 : length);
    return without_blanks(element);
  }

 private:
  /// Returns the length of the first element, up to a comma that is not inside it.
  std::size_t first_length() const {
    std::size_t levels = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (quoted) {
        if (c == '\\') ++at;
        quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '[' || c == '{') {
        ++levels;
      } else if (c == ']' || c == '}') {
        --levels;
      } else if (c == ',' && levels == 0) {
        return at;
      }
    }
    return rest_.size();
  }

  std::string_view rest_;
};

class Split : public tenon::sdk::RecordProcessor {
 public:
  void configure(const tenon::sdk::Config& config) override { settings_ = parameters.read(config); }

  void process_record(RecordV2View record, Records& into) override {
    const std::optional<BytesView> payload = record.payload().after();
    if (!payload) return into.pass(record);
    if (is_array(payload->text())) return split(record, payload->text(), into);
    if (settings_.others == Others::pass) return into.pass(record);
    throw Refusal("wrong-json", "the payload is not a JSON array");
  }

 private:
  static void split(RecordV2View record, std::string_view array, Records& into) {
    const std::string prefix(record.key().value_or(record.position()).text());
    Elements elements(array);
    std::size_t number = 0;
    while (const std::optional<std::string_view> element = elements.next()) {
      const BytesView bytes(*element);
      tenon_record_v2 part = record.raw();
      part.key = into.keep(prefix + "/" + std::to_string(++number));
      part.payload.before = {nullptr, 0};  // it may have other elements
      part.payload.after = {bytes.data(), bytes.size()};
      into.pass(RecordV2View(part));
    }
  }

  Settings settings_;
};

class SplitSpecifier : public tenon::sdk::SpecifierV1 {
 public:
  tenon::Specification specify() override {
    tenon::Specification all;
    all.name = "split";
    all.summary = "Turns elements of JSON arrays into records";
    all.description =
        "The records have the keys KEY/1, KEY/2 and so on. An empty array produces no record. "
        "Payloads that are not arrays are refused as wrong-json, or passed unchanged.";
    all.version = "1.0.0";
    all.author = "the tenon project";
    all.processor_parameters = parameters.specification();
    return all;
  }
};

}  // namespace

#define PLUGINS(P)             \
  P(Split, "example.io/split") \
  P(SplitSpecifier, "example.io/split")
TENON_PLUGINS("example.io/split", "1.0.0", PLUGINS, {
  "summary": "Turns elements of JSON arrays into records",
  "properties": {
    "example.io/split": {
      "processor_parameters": {
        "version": 2,
        "value": {
          "others": {
            "default_value": "refuse",
            "description": "the handling of payloads that are not arrays",
            "type": "string",
            "validations": [{"type": "inclusion", "value": "[\"refuse\", \"pass\"]"}]
          }
        }
      }
    }
  }
});
