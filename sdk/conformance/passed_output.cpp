// SPDX-License-Identifier: BSL-1.0
#include "passed_output.hpp"

#include <iostream>

#include "base/plain_text.hpp"

namespace tenon::sdk::conformance {

void print_error(const std::string& text) {
  std::cerr << text;
}

void PassedOutput::add(std::string_view bytes) {
  for (const char letter : bytes) {
    if (letter != '\n') line_ += letter;
    if (letter == '\n' || line_.size() == longest_line) print();
  }
}

void PassedOutput::end() {
  if (!line_.empty()) print();
  if (is_too_much()) print_("tenon: the rest of the output is left out\n");
}

void PassedOutput::print() {
  if (passed_ < most_output) print_(escaped_for_display(line_) + "\n");
  passed_ += line_.size() + 1;
  line_.clear();
}

}  // namespace tenon::sdk::conformance
