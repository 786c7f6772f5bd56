// SPDX-License-Identifier: BSL-1.0
//
// A plugin that reports what the process has in which `tenon call` runs it.
#include <test/sdk/echo.hpp>
#include <windows.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

struct Called : test::sdk::EchoV1 {
  std::string say(std::string_view text) override {
    if (text == "files")
      return std::filesystem::is_empty(std::filesystem::current_path()) ? "none" : "some";
    if (text == "leave a process") {
      wchar_t endless[] = L"cmd.exe /c for /l %i in (0,0,1) do @rem";
      STARTUPINFOW startup{};
      startup.cb = sizeof startup;
      PROCESS_INFORMATION process{};
      const bool started = CreateProcessW(nullptr, endless, nullptr, nullptr, TRUE, 0, nullptr,
                                          nullptr, &startup, &process) != 0;
      return started ? "left" : "not started";
    }
    const char* value = std::getenv(std::string(text).c_str());
    return value != nullptr ? value : "not set";
  }
};
TENON_PLUGIN(Called, "test.example/called", "1.0.0", {"summary": "Reports what its process has"});
