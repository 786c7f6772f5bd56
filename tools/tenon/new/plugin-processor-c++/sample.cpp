// A processor for pipelines: passes the records whose payload contains the text `contains`.
#include <tenon/sdk/module.hpp>
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/record_processor.hpp>
#include <tenon/sdk/specifier.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace {

struct Settings {
  std::string contains;
};

constexpr auto parameters = tenon::sdk::parameters(
    tenon::sdk::parameter(&Settings::contains, "contains", "a text in the payload").required());

class Processor : public tenon::sdk::RecordProcessor {
 public:
  void configure(const tenon::sdk::Config& config) override { settings_ = parameters.read(config); }

  void process_record(tenon::RecordV2View record, Records& into) override {
    const std::optional<tenon::BytesView> payload = record.payload().after();
    if (!payload) return;
    if (payload->text().find(settings_.contains) == std::string_view::npos) return;
    into.pass(record);
  }

 private:
  Settings settings_;
};

class Specifier : public tenon::sdk::SpecifierV1 {
 public:
  tenon::Specification specify() override {
    tenon::Specification specification;
    specification.name = name();
    specification.summary = "Records with a text";
    specification.description = "Passes the records whose payload contains the text `contains`.";
    specification.version = "0.1.0";
    specification.author = "me";
    specification.processor_parameters = parameters.specification();
    return specification;
  }
};

}  // namespace

#define PLUGINS(P) P(Processor, "me.example/sample") P(Specifier, "me.example/sample")
TENON_PLUGINS("me.example/sample", "0.1.0", PLUGINS, {"summary": "Records with a text"});
