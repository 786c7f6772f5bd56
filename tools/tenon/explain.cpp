// SPDX-License-Identifier: BSL-1.0
//
// tenon explain
#include <unistd.h>

#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "base/error_codes.hpp"
#include "commands.hpp"
#include "common/diagnostics.hpp"
#include "json.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

void print_entry(const ErrorCode& one, const Paint& paint) {
  std::cout << paint.of(one.severity,
                        std::string(to_string(one.severity)) + "[" + std::string(one.code) + "]")
            << " " << one.meaning << "\n   cause   " << one.cause << "\n   remedy  " << one.remedy
            << "\n";
}

void print_list(std::span<const ErrorCode> codes) {
  std::vector<Row> rows;
  for (const ErrorCode& one : codes) {
    rows.push_back(
        {std::string(one.code), std::string(to_string(one.severity)), std::string(one.meaning)});
  }
  for (const std::string& line : aligned(std::move(rows))) std::cout << line;
}

boost::json::object to_json(const ErrorCode& one) {
  return {{"code", one.code},   {"severity", to_string(one.severity)},
          {"area", one.area},   {"meaning", one.meaning},
          {"cause", one.cause}, {"remedy", one.remedy}};
}

Exit no_such_code(const std::string& code) {
  std::vector<std::string> known;
  for (const ErrorCode& one : error_codes()) known.emplace_back(one.code);
  std::cerr << "tenon explain: unknown code " << escaped_for_display(code) << "\n"
            << tools::did_you_mean(code, known, "`tenon explain` lists all codes.") << "\n"
            << "See tenon explain --help.\n";
  return usage_error;
}

}  // namespace

Exit explain(const Options& options, const std::string& code) {
  const ErrorCode* one = find_error_code(code);
  if (!code.empty() && one == nullptr) return no_such_code(code);
  const auto codes = one != nullptr ? std::span(one, 1) : error_codes();
  if (options.json) {
    boost::json::object output = make_output("explain");
    boost::json::array entries;
    for (const ErrorCode& entry : codes) entries.push_back(to_json(entry));
    output["codes"] = std::move(entries);
    print(output);
  } else if (one != nullptr) {
    print_entry(*one, Paint::for_stream(STDOUT_FILENO));
  } else {
    print_list(codes);
  }
  return success;
}

}  // namespace tenon::command
