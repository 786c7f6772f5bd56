// SPDX-License-Identifier: BSL-1.0
//
// A plugin whose code the dynamic linker keeps mapped after dlclose. meson.build lists the
// variants.
#include <test/sdk/echo.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#ifdef UNIQUE_SYMBOLS
#include <regex>

// g++ emits unique symbols for the statics of templates, here its own and those of std::regex.
template <class T>
struct Counter {
  static inline std::int64_t calls = 0;
};

std::int64_t count_call(std::string_view text) {
  static const std::regex word("[a-z]+");
  if (std::regex_search(text.begin(), text.end(), word)) ++Counter<int>::calls;
  return Counter<int>::calls;
}
#endif

#ifdef THREAD_LOCAL
// The dynamic linker keeps the image until the thread ends, because of the destructor.
struct Held {
  ~Held() { calls = 0; }
  std::int64_t calls = 0;
};
thread_local Held held;

std::int64_t count_call(std::string_view) {
  return ++held.calls;
}
#endif

struct Echo : test::sdk::EchoV1 {
  std::string say(std::string_view text) override {
    calls = count_call(text);
    return "1: " + std::string(text);
  }
  std::int64_t count() override { return calls; }

  std::int64_t calls = 0;
};

TENON_PLUGIN(Echo, "test.example/echo", "1.0.0");
