// SPDX-License-Identifier: BSL-1.0
#include "footprint.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tenon::sdk::conformance {

Footprint::Footprint()
    : threads_(own_threads()), descriptors_(own_descriptors()), mappings_(own_mappings()) {}

std::string Footprint::added() const {
  const Footprint now;
  std::string text;
  const auto add = [&](const std::set<std::string>& old, const std::set<std::string>& all,
                       std::string (*name)(const std::string&)) {
    for (const std::string& one : all) {
      if (!old.contains(one)) text += (text.empty() ? "" : ", ") + name(one);
    }
  };
  add(threads_, now.threads_, name_of_thread);
  add(descriptors_, now.descriptors_, name_of_descriptor);
  add(mappings_, now.mappings_, name_of_mapping);
  return text;
}

void Footprint::require_nothing_more(std::chrono::milliseconds patience) const {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::string leaked = added();
  while (!leaked.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    leaked = added();
  }
  require(leaked.empty(), "leaked: " + leaked);
}

Settings::Settings() : before_(process_settings()) {}

void Settings::require_unchanged() const {
  std::string changed = modes_.restore_changed() ? "the floating-point modes" : "";
  const std::vector<ProcessSetting> after = process_settings();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (before_[i].value == after[i].value) continue;
    changed += (changed.empty() ? "" : ", ") + before_[i].name;
  }
  require(changed.empty(), "changed: " + changed);
}

void require_nothing_left(Subject& subject, void (*use)(Subject& subject)) {
  use_library();
  const Footprint before;
  use(subject);
  subject.close();
  before.require_nothing_more(subject.patience());
}

void use_library() {
  const Host host({.app = "tenon-conformance"});
}

}  // namespace tenon::sdk::conformance
