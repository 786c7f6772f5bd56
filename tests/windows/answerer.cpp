// SPDX-License-Identifier: BSL-1.0
//
// Takes the place of Graphviz, with arguments, and otherwise of the converter of an app. The
// variable FAULT names its fault.
#include <windows.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

int main(int count, char** arguments) {
  const char* const given = std::getenv("FAULT");
  const std::string fault = given != nullptr ? given : "";
  if (fault == "exit") {
    std::cerr << "broken\n";
    return 7;
  }
  // As after a crash, without the debugger of wine, which prints to standard output.
  if (fault == "crash") TerminateProcess(GetCurrentProcess(), EXCEPTION_ACCESS_VIOLATION);
  if (fault == "hang") Sleep(INFINITE);
  if (count > 1) {
    std::string line;
    std::getline(std::cin, line);
    std::cout << "<svg " << arguments[1] << " " << line << "\n";
    return 0;
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (fault == "chat") {
      std::cout << "Hello." << std::endl;
      continue;
    }
    // The document of the request is its first member.
    std::cout << line.substr(0, line.find("\",\"type\"")) << "\"}" << std::endl;
  }
}
