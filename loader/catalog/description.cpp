// SPDX-License-Identifier: BSL-1.0
#include "catalog/description.hpp"

#include <utility>

#include "catalog/compatibility.hpp"
#include "catalog/kinds.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

std::string location_of(const Manifest& manifest, const std::filesystem::path& file) {
  return file.empty() ? "builtin " + manifest.name : file.string();
}

ModuleDescriptionPtr describe(std::shared_ptr<const Manifest> manifest,
                              std::filesystem::path file) {
  const auto module = std::make_shared<ModuleDescription>();
  module->manifest = std::move(manifest);
  module->package_version = module->manifest->version.to_string();
  module->file = std::move(file);
  module->kinds = kinds_revision();
  module->plugins.reserve(module->manifest->provides.size());
  for (const Provided& provided : module->manifest->provides) {
    module->plugins.push_back({module.get(), &provided, compatibility_of(provided)});
  }
  return module;
}

}}}  // namespace tenon::v0_1::detail
