// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of the settings of operators. What is damaged changes no setting.
#include <string>
#include <string_view>

#include "catalog/operator_settings.hpp"
#include "fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon;
  using fuzzing::require;
  detail::OperatorSettings settings;
  detail::add_settings(fuzzing::text_of(data, size), "photo.json", settings);
  for (const Error& problem : settings.problems) {
    require(problem.code() == "broken-settings" || problem.code() == "unknown-key");
    require(problem.where().starts_with("photo.json"));
    require(!problem.found().empty() && !problem.needed().empty() && !problem.fix().empty());
  }
  if (!settings.complete) require(settings.packages.empty() && settings.order.empty());
  for (const auto& [name, package] : settings.packages) {
    if (package.is_pinned()) require(detail::Version::parse(*package.version).has_value());
    const auto refused =
        detail::refusal_by(settings, "photo", name, detail::Version{.major = 1}, "module.so");
    require(!package.is_disabled() || refused.has_value());
  }
  return 0;
}
