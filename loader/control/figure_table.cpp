// SPDX-License-Identifier: BSL-1.0
#include "control/figure_table.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

Figure FigureTable::figure(const FigureInfo& info) {
  const sync::Lock lock(mutex_);
  Listed& listed = figures_[{info.part, info.name, info.unit}];
  if (listed.value == nullptr) {
    listed = {info.total, std::make_shared<std::atomic<double>>(0)};
  }
  return Figure(listed.value);
}

void FigureTable::set_health(std::string_view part, std::string_view problem) {
  const sync::Lock lock(mutex_);
  health_[std::string(part)] = problem;
}

std::vector<FigureTable::Value> FigureTable::figures() const {
  std::vector<Value> values;
  const sync::Lock lock(mutex_);
  for (const auto& [key, listed] : figures_) {
    const auto& [part, name, unit] = key;
    values.push_back({{name, unit, part, listed.total}, listed.value->load()});
  }
  return values;
}

std::map<std::string, std::string, std::less<>> FigureTable::health() const {
  const sync::Lock lock(mutex_);
  return health_;
}

}}}  // namespace tenon::v0_1::detail
