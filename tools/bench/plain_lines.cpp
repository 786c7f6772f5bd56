// SPDX-License-Identifier: BSL-1.0
//
// tenon-plain-lines FILE: parses the lines of JSON in a file, and serializes them to standard
// output, with Boost.JSON. The baseline for `tenon convert`, with the same input and output code.
#include "plain_lines.hpp"

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  constexpr std::size_t piece = 1 << 18;
  if (count != 2) return 2;
  std::ios::sync_with_stdio(false);
  std::vector<char> memory(piece);
  std::ifstream in;
  in.rdbuf()->pubsetbuf(memory.data(), static_cast<std::streamsize>(memory.size()));
  in.open(arguments[1], std::ios::binary);
  const auto write = [](std::string& out) {
    std::cout.write(out.data(), static_cast<std::streamsize>(out.size())).flush();
    out.clear();
  };
  tenon::bench::PlainLines plain;
  std::string out;
  for (std::string line; std::getline(in, line);) {
    out.append(plain.copy(line)) += '\n';
    if (out.size() >= piece) write(out);
  }
  write(out);
  return in.eof() && std::cout.good() ? 0 : 1;
}
