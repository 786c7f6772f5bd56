// SPDX-License-Identifier: BSL-1.0
//
// Parameters of version 1 and 2: `required` is one of the validations.
#include <tenon/parameter_steps.hpp>

namespace tenon {

tenon_status finish_parameter_1_to_2(tenon_call* call, const tenon_parameter_v1& from,
                                     tenon_parameter_v2& to) {
  void* elements;
  to.validations = tenon_new_list(call, from.required != 0 ? 1 : 0,
                                  sizeof(tenon_parameter_v2_validation), &elements);
  if (from.required != 0) {
    *static_cast<tenon_parameter_v2_validation*>(elements) = {
        TENON_PARAMETER_V2_RULE_REQUIRED, TENON_TEXT(""), {}};
  }
  return TENON_OK;
}

tenon_status finish_parameter_2_to_1(tenon_call*, const tenon_parameter_v2& from,
                                     tenon_parameter_v1& to) {
  to.required = 0;
  for (std::size_t i = 0; i < from.validations.count; i++) {
    const auto& validation = TENON_AT(tenon_parameter_v2_validation, from.validations, i);
    if (validation.type == TENON_PARAMETER_V2_RULE_REQUIRED) to.required = 1;
  }
  return TENON_OK;
}

}  // namespace tenon
