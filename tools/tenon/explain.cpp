// SPDX-License-Identifier: BSL-1.0
//
// tenon explain
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "app.hpp"
#include "base/error_codes.hpp"
#include "code_examples.hpp"
#include "commands.hpp"
#include "common/diagnostics.hpp"
#include "gen/model/model.hpp"
#include "json.hpp"
#include "kind_page.hpp"
#include "kind_subject.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

void print_entry(const ErrorCode& one, const Paint& paint) {
  std::cout << paint.of(one.severity,
                        std::string(to_string(one.severity)) + "[" + std::string(one.code) + "]")
            << " " << one.meaning << "\n   cause   " << one.cause << "\n   remedy  " << one.remedy
            << "\n   example " << example_of(one.code) << "\n";
}

void print_list(std::span<const ErrorCode> codes) {
  std::vector<Row> rows;
  for (const ErrorCode& one : codes) {
    rows.push_back(
        {std::string(one.code), std::string(to_string(one.severity)), std::string(one.meaning)});
  }
  for (const std::string& line : aligned(rows)) std::cout << line;
}

boost::json::object json_of_code(const ErrorCode& one) {
  return {{"code", one.code},
          {"severity", to_string(one.severity)},
          {"area", one.area},
          {"meaning", one.meaning},
          {"cause", one.cause},
          {"remedy", one.remedy},
          {"example", example_of(one.code)}};
}

Exit no_such_code(const std::string& code) {
  std::vector<std::string> known;
  for (const ErrorCode& one : error_codes()) known.emplace_back(one.code);
  std::cerr << "tenon explain: unknown code " << escaped_for_display(code) << "\n"
            << tools::did_you_mean(code, known, "`tenon explain` lists all codes.") << "\n"
            << "See tenon explain --help.\n";
  return usage_error;
}

Exit explain_code(const Options& options, const std::string& code) {
  const ErrorCode* one = find_error_code(code);
  if (!code.empty() && one == nullptr) return no_such_code(code);
  const auto codes = one != nullptr ? std::span(one, 1) : error_codes();
  if (options.json) {
    boost::json::object output = make_output("explain");
    boost::json::array entries;
    for (const ErrorCode& entry : codes) entries.push_back(json_of_code(entry));
    output["codes"] = std::move(entries);
    output["kind"] = nullptr;
    print(output);
  } else if (one != nullptr) {
    print_entry(*one, Paint::for_stream(STDOUT_FILENO));
  } else {
    print_list(codes);
  }
  return success;
}

Exit explain_kind(const Options& options, const std::string& text) {
  constexpr std::size_t most_columns = 80;
  gen::Model model;
  if (const Exit read = read_specs(options, model); read != success) return read;
  const auto subject = find_subject(model, text);
  if (!subject) {
    std::cerr << "tenon: " << subject.error().to_string() << "\n";
    return problems_found;
  }
  if (options.json) {
    boost::json::object output = make_output("explain");
    output["codes"] = boost::json::array();
    output["kind"] = to_json(*subject);
    print(output);
  } else {
    std::cout << page_of(*subject, std::min(columns_of(STDOUT_FILENO), most_columns),
                         Paint::for_stream(STDOUT_FILENO));
  }
  return success;
}

}  // namespace

Exit explain(const Options& options, const std::string& subject) {
  const bool is_kind = subject.find('/') != std::string::npos;
  return is_kind ? explain_kind(options, subject) : explain_code(options, subject);
}

}  // namespace tenon::command
