// SPDX-License-Identifier: BSL-1.0
//
// A processor whose parameter excludes values by a list that is not a JSON array.
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/record_processor.hpp>
#include <tenon/sdk/specifier.hpp>

namespace {

struct Choosy : tenon::sdk::RecordProcessor {
  void configure(const tenon::sdk::Config& config) override { config.get("mode", ""); }
  void process_record(tenon::RecordV2View record, Records& into) override { into.pass(record); }
};

struct ChoosySpecifier : tenon::sdk::SpecifierV1 {
  tenon::Specification specify() override {
    tenon::Specification choosy;
    tenon::ParameterV2& mode = choosy.processor_parameters["mode"];
    mode.description = "of processing";
    mode.validations.push_back({tenon::ParameterV2::Rule::Exclusion, "slow, careless"});
    return choosy;
  }
};

}  // namespace

#define PLUGINS(P)                 \
  P(Choosy, "test.example/choosy") \
  P(ChoosySpecifier, "test.example/choosy")
#ifdef STATED
TENON_PLUGINS("test.example/choosy", "1.0.0", PLUGINS, {
  "threads": "joined",
  "properties": {
    "test.example/choosy": {
      "processor_parameters": {
        "version": 2,
        "value": {
          "mode": {
            "description": "of processing",
            "type": "string",
            "validations": [{"type": "exclusion", "value": "slow, careless"}]
          }
        }
      }
    }
  }
});
#else
TENON_PLUGINS("test.example/choosy", "1.0.0", PLUGINS, {"threads": "joined"});
#endif
