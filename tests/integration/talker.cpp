// SPDX-License-Identifier: BSL-1.0
//
// Logs with the C++ SDK.
#include <test/sdk/echo.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace {

using tenon::sdk::Level;

struct Talker : test::sdk::EchoV1 {
  std::string say(std::string_view text) override {
    if (text == "discard") {
      discard(text);
    } else if (text == "thread") {
      std::thread([&] { log.warn("on a ", text); }).join();
    } else if (text == "module") {
      host().log.warn("the module", {{"wanted", host().log.wants(Level::warn)}});
    } else if (text == "levels") {
      return levels();
    } else if (text == "beside") {
      return read_beside();
    } else {
      log.warn("said ", text, ' ', 12);
      log.warn("said", {{"text", text},
                        {"literal", "a b"},
                        {"rows", 12},
                        {"ratio", 0.5},
                        {"letter", 'x'},
                        {"whole", true}});
    }
    return std::string(text);
  }

 private:
  void discard(std::string_view text) const {
    static constexpr std::string_view long_text = "a text that needs an allocation to be copied";
    log.debug("discarded ", text, " of ", long_text);
    log.debug("discarded", {{"text", text}, {"long", long_text}, {"rows", 12}});
    log.write(Level::trace, long_text, 12);
    host().log.info("discarded", {{"long", long_text}});
  }

  /// Returns the first line of the file greeting.txt beside the module.
  std::string read_beside() const {
    const std::filesystem::path module(host().module_file());
    std::ifstream greeting(module.parent_path() / "greeting.txt");
    std::string line;
    std::getline(greeting, line);
    return line;
  }

  std::string levels() const {
    std::string response;
    for (const Level level : {Level::trace, Level::debug, Level::info, Level::warn, Level::error}) {
      response += log.wants(level) ? '+' : '-';
    }
    return response;
  }
};

void start(tenon::sdk::Call, tenon::sdk::Host host) {
  host.log.warn("start", {{"version", 1}});
}

}  // namespace

TENON_PLUGIN_WITH(Talker, "test.example/sdk-talker", "1.0.0", start, nullptr,
                  {"threads": "joined"});
