// Applies the plugin in a host. PLUGIN is the path of its module.
#include <tenon/sdk/testing.hpp>

#include <me/sample.hpp>

#include <iostream>
#include <string>

int main() {
  tenon::Host host(tenon::sdk::testing::options(PLUGIN));
  auto plugin = host.create<me::Sample>("me.example/upper-case").value();
  const std::string text = plugin->apply("Hello, 2 worlds").value();
  if (text == "HELLO, 2 WORLDS") return 0;
  std::cerr << "found \"" << text << "\"\n";
  return 1;
}
