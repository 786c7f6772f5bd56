// SPDX-License-Identifier: BSL-1.0
//
// tenon types
#include <tenon/document.hpp>

#include <unistd.h>

#include <iostream>

#include "commands.hpp"
#include "json.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

std::string version_text(const DocumentVersion& version) {
  std::string text(version.label);
  if (version.stage != "released") text += " (" + std::string(version.stage) + ")";
  return text;
}

void print_type(const DocumentType& type, const Paint& paint) {
  std::string versions;
  for (const DocumentVersion& version : type.versions) {
    versions += (versions.empty() ? "" : ", ") + version_text(version);
  }
  std::cout << paint.strong(type.id) << "  versions " << versions << "; stored as " << type.hub
            << "\n";
  for (const DocumentStep& step : type.steps) {
    std::cout << "  " << step.from << " -> " << step.to << "  " << step.notes << "\n";
    for (const std::string_view change : step.changes) std::cout << "     " << change << "\n";
  }
}

boost::json::array texts(std::span<const std::string_view> all) {
  boost::json::array array;
  for (const std::string_view text : all) array.emplace_back(text);
  return array;
}

boost::json::object type_json(const DocumentType& type) {
  boost::json::array versions;
  for (const DocumentVersion& version : type.versions) {
    versions.push_back({{"version", version.label}, {"stage", version.stage}});
  }
  boost::json::array steps;
  for (const DocumentStep& step : type.steps) {
    steps.push_back({{"from", step.from},
                     {"to", step.to},
                     {"notes", step.notes},
                     {"changes", texts(step.changes)}});
  }
  return {{"type", type.id},
          {"hub", type.hub},
          {"versions", std::move(versions)},
          {"steps", std::move(steps)}};
}

}  // namespace

Exit types(const Options& options) {
  if (options.json) {
    boost::json::object output = make_output("types");
    boost::json::array all;
    for (const DocumentType* type : document_types()) all.push_back(type_json(*type));
    output["types"] = std::move(all);
    print(output);
    return success;
  }
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  for (const DocumentType* type : document_types()) print_type(*type, paint);
  return success;
}

}  // namespace tenon::command
