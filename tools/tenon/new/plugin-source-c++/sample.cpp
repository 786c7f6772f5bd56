// A source for pipelines: the numbers from 1 to `last`. The position of a record is its number.
#include <tenon/sdk/module.hpp>
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/reading_source.hpp>
#include <tenon/sdk/specifier.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace {

struct Settings {
  std::int32_t last = 0;
};

constexpr auto parameters = tenon::sdk::parameters(
    tenon::sdk::parameter(&Settings::last, "last", "the last number").required());

class Source : public tenon::sdk::ReadingSource {
 public:
  void configure(const tenon::sdk::Config& config) override { settings_ = parameters.read(config); }

  void open(std::optional<tenon::BytesView> position) override {
    number_ = position ? std::stoi(std::string(position->text())) : 0;
  }

  std::optional<tenon::RecordV2> read() override {
    if (number_ >= settings_.last) return std::nullopt;  // the end of the source
    const std::string number = std::to_string(++number_);
    tenon::RecordV2 record;
    record.position = tenon::to_bytes(number);
    record.payload.after = tenon::to_bytes(number);
    return record;
  }

 private:
  Settings settings_;
  std::int32_t number_ = 0;  // of the last record
};

class Specifier : public tenon::sdk::SpecifierV1 {
 public:
  tenon::Specification specify() override {
    tenon::Specification specification;
    specification.name = name();
    specification.summary = "Numbers";
    specification.description = "One record for each number from 1 to `last`.";
    specification.version = "0.1.0";
    specification.author = "me";
    specification.source_parameters = parameters.specification();
    return specification;
  }
};

}  // namespace

#define PLUGINS(P) P(Source, "me.example/sample") P(Specifier, "me.example/sample")
TENON_PLUGINS("me.example/sample", "0.1.0", PLUGINS, {"summary": "Numbers"});
