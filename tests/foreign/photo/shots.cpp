// SPDX-License-Identifier: BSL-1.0
//
// A source of a standard kind: the shots of a film, by number.
#include <tenon/sdk/module.hpp>
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/reading_source.hpp>
#include <tenon/sdk/specifier.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace {

struct Settings {
  std::int32_t count = 0;
};

constexpr auto parameters = tenon::sdk::parameters(
    tenon::sdk::parameter(&Settings::count, "count", "of the shots").required());

struct Shots : tenon::sdk::ReadingSource {
  void configure(const tenon::sdk::Config& config) override {
    count = parameters.read(config).count;
  }
  void open(std::optional<tenon::BytesView> position) override {
    if (position) last = std::stoi(std::string(position->text()));
  }
  std::optional<tenon::RecordV2> read() override {
    if (last == count) return std::nullopt;
    tenon::RecordV2 shot;
    shot.position = tenon::to_bytes(std::to_string(++last));
    return shot;
  }

  std::int32_t count = 0;
  std::int32_t last = 0;
};

struct ShotsSpecifier : tenon::sdk::SpecifierV1 {
  tenon::Specification specify() override {
    tenon::Specification shots;
    shots.name = "shots";
    shots.summary = "The shots of a film";
    shots.description = "One record for each shot.";
    shots.version = "1.0.0";
    shots.author = "Me";
    shots.source_parameters = parameters.specification();
    return shots;
  }
};

}  // namespace

#define PLUGINS(P) P(Shots, "me.example/shots") P(ShotsSpecifier, "me.example/shots")
TENON_PLUGINS("me.example/shots", "1.0.0", PLUGINS, {"summary": "The shots of a film"});
