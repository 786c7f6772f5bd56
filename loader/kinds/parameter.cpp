// SPDX-License-Identifier: BSL-1.0
//
// Converts parameters between version 1 and 2. `required` of version 1 is one of the validations of
// version 2. Version 1 has no field for other validations.
#include <tenon/parameter_steps.hpp>

#include <string_view>

namespace tenon {
namespace {

using Validation = ParameterV2ValidationStorage;
using Validations = StoredList<Validation>;

constexpr std::string_view required = ParameterV2RuleStorage::literals[0];
constexpr BagField bagged{"validations", "2", "list<validation>"};
constexpr std::string_view versions[] = {"2"};

bool is_required(const Validation& validation) {
  return validation.type != nullptr && text_of(validation.type->literal) == required;
}

bool has_required(const Validations& validations) {
  for (std::size_t i = 0; i < validations.size(); ++i) {
    if (is_required(validations[i])) return true;
  }
  return false;
}

/// Returns whether version 1 can express the validations: none, or only `required`.
bool fits_version_1(const Validations& validations) {
  if (validations.size() == 0) return true;
  const Validation& only = validations[0];
  return validations.size() == 1 && is_required(only) && only.value != nullptr &&
         only.value->size == 0 && only.bag.empty();
}

/// Returns the validations with `required` added or removed.
Validations* adjusted(Conversion& conversion, const Validations& others, bool is_required_now) {
  auto* made = conversion.make_array<Validation>(others.size() + 1);
  std::size_t count = 0;
  if (is_required_now && !has_required(others)) {
    const tenon_string literal{required.data(), required.size()};
    made[count].type = conversion.make<ParameterV2RuleStorage>({.literal = literal});
    made[count++].value = conversion.make<tenon_string>({"", 0});
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (is_required_now || !is_required(others[i])) made[count++] = others[i];
  }
  return conversion.make<Validations>({{made, count, sizeof(Validation)}});
}

}  // namespace

bool ParameterStep1To2::up(Conversion& conversion, const ParameterV1Storage& from,
                           ParameterV2Storage& to) {
  const Validations* others = nullptr;
  if (!pull(conversion, to.bag, bagged.name, bagged.type, versions, others)) return false;
  if (from.required == nullptr) {
    to.validations = others;
    return true;
  }
  const Validations none{Stored<Validations>::nothing()};
  to.validations = adjusted(conversion, others != nullptr ? *others : none, *from.required);
  return true;
}

bool ParameterStep1To2::down(Conversion& conversion, const ParameterV2Storage& from,
                             ParameterV1Storage& to) {
  const Validations* all = from.validations;
  if (all != nullptr) to.required = conversion.make<bool>(has_required(*all));
  const bool fits = all == nullptr || fits_version_1(*all);
  push(conversion, to.bag, bagged, versions, fits ? nullptr : all);
  return true;
}

}  // namespace tenon
