// Applies a plugin to a text, and prints the result: sample PLUGIN TEXT
// Without arguments, lists the plugins.
#include <tenon/host.hpp>

#include <me/sample.hpp>

#include <iostream>

int main(int count, char** arguments) {
  tenon::Host host({.app = "sample"});
  for (const tenon::Error& problem : host.problems()) std::cerr << problem.to_string() << '\n';
  if (count != 3) {
    for (const tenon::PluginInfo& plugin : host.plugins<me::Sample>()) {  // loads nothing
      std::cout << plugin.name() << '\n';
    }
    return 0;
  }
  auto plugin = host.create<me::Sample>(arguments[1]);  // loads the module
  if (!plugin) {
    std::cerr << plugin.error().to_string() << '\n';
    return 1;
  }
  const auto text = (*plugin)->apply(arguments[2]);
  if (!text) {
    std::cerr << text.error().to_string() << '\n';
    return 1;
  }
  std::cout << *text << '\n';
}
