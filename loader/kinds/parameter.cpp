// SPDX-License-Identifier: BSL-1.0
//
// Parameters of version 1 and 2: what version 1 calls required is one of the validations. The
// others version 1 cannot name.
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
  for (std::size_t i = 0; i < validations.size(); i++) {
    if (is_required(validations[i])) return true;
  }
  return false;
}

/// Whether version 1 can say all of it: nothing, or that a value is required.
bool says_no_more(const Validations& validations) {
  if (validations.size() == 0) return true;
  const Validation& only = validations[0];
  return validations.size() == 1 && is_required(only) && only.value != nullptr &&
         only.value->size == 0 && only.bag.empty();
}

/// The validations, with one that says required where that is so, and without any where it is not.
Validations* adjusted(Conversion& conversion, const Validations& others, bool wanted) {
  auto* made = conversion.make_array<Validation>(others.size() + 1);
  std::size_t count = 0;
  if (wanted && !has_required(others)) {
    const tenon_string literal{required.data(), required.size()};
    made[count].type = conversion.make<ParameterV2RuleStorage>({.literal = literal});
    made[count++].value = conversion.make<tenon_string>({"", 0});
  }
  for (std::size_t i = 0; i < others.size(); i++) {
    if (wanted || !is_required(others[i])) made[count++] = others[i];
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
  if (from.validations == nullptr) return true;
  to.required = conversion.make<bool>(has_required(*from.validations));
  if (!says_no_more(*from.validations)) {
    push(conversion, to.bag, bagged, versions, from.validations);
  }
  return true;
}

}  // namespace tenon
