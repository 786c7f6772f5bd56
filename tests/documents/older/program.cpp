// SPDX-License-Identifier: BSL-1.0
//
// A program that has only the first version of each type. Reads the documents of a file leniently,
// one per line, and stores them again.
#include <tenon/document.hpp>

#include <fstream>
#include <iostream>
#include <string>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::ifstream file(arguments[1]);
  tenon::DocumentConverter converter;
  for (std::string line; std::getline(file, line);) {
    const auto stored = converter.convert(line, {.lenient = true}, "test.example/older 1.0.0");
    if (!stored) {
      std::cerr << stored.error().to_string() << "\n" << line << "\n";
      return 1;
    }
    std::cout << *stored << "\n";
  }
  return 0;
}
