// SPDX-License-Identifier: BSL-1.0
//
// A host with a kind of its own: shows its menu of filters and applies two to a small image.
#include <photo/filter.hpp>
#include <tenon/host.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

static void apply(tenon::Handle<photo::Filter>& filter, std::vector<std::uint8_t> pixels) {
  filter->apply({pixels.data(), pixels.size()}, 1, 1, .5f).value();
  std::cout << filter.name() << ':';
  for (unsigned pixel : pixels) std::cout << ' ' << pixel;
  std::cout << '\n';
}

int main() {
  tenon::Host host({.app = "photo"});
  for (const tenon::Error& error : host.skipped()) std::cerr << error.to_string() << '\n';
  for (const tenon::PluginInfo& plugin : host.plugins<photo::Filter>()) {
    std::cout << plugin.property("menu") << "...\n";
  }
  auto fade = host.create<photo::Filter>("me.example/fade", {{"radius", "2"}}).value();
  auto invert = host.create<photo::Filter>("me.example/invert").value();
  apply(fade, {0, 10, 20, 255});
  apply(invert, {0, 10, 20, 255});
}
