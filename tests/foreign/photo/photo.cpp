// SPDX-License-Identifier: BSL-1.0
//
// A host with its own kind. Shows a menu of filters, and applies two to a small image. The host
// uses only version 2 of the kind, although one of the filters was built for version 1. The
// settings of a user are a document, which is read at any version and stored at the newest.
#include <tenon/host.hpp>
#include <tenon/source.hpp>

#include <photo/filter.hpp>
#include <photo/look_json.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

#include "builtins.hpp"

static void apply(tenon::Handle<photo::Filter>& filter, std::vector<std::uint8_t> pixels) {
  const std::uint8_t mask[] = {1};
  filter->apply({pixels.data(), pixels.size()}, 1, 1, .5f, {mask, 1}).value();
  std::cout << filter.name() << " (" << filter->describe().value() << "):";
  for (unsigned pixel : pixels) std::cout << ' ' << pixel;
  std::cout << '\n';
}

static void show_look(const char* text) {
  photo::LookV2 look = photo::read_look(text).value();
  std::cout << look.name << " takes " << look.strength << '\n';
  look.name += "!";
  std::cout << photo::store_look(look, "me.example/photo 2.0.0").value() << '\n';
}

int main() {
  tenon::Host host({.app = "photo", .builtins = photo::builtins()});
  for (const tenon::Error& error : host.problems()) std::cerr << error.to_string() << '\n';
  for (const tenon::PluginInfo& plugin : host.plugins<photo::Filter>()) {
    std::cout << plugin.property("menu") << "... version " << plugin.version() << '\n';
  }
  auto fade = host.create<photo::Filter>("me.example/fade", {{"radius", "2"}}).value();
  auto invert = host.create<photo::Filter>("me.example/invert").value();
  apply(fade, {0, 10, 20, 255});
  apply(invert, {0, 10, 20, 255});
  std::cout << host.plugins<tenon::Source>().size() << " sources\n";
  show_look(R"({"type":"photo.example/look","version":1,"writer":"me.example/photo 1.0.0","value":)"
            R"({"title":"Dusk","filter":"me.example/fade","strength":75,"bag":{"grain@3":)"
            R"({"type":"int32","value":4}}}})");
}
