// SPDX-License-Identifier: BSL-1.0
#include "unit/hand_made_kinds.hpp"

namespace tenon::tests {
namespace {

constexpr std::string_view added_in_4[] = {"polish"};

Adapter serving(std::int32_t target, std::span<const std::string_view> missing) {
  return {target, {}, nullptr, nullptr, nullptr, missing};
}
Adapter refusing(std::int32_t target) {
  return {target, tool_refusal, nullptr, nullptr, nullptr, {}};
}

const Adapter from_1[] = {serving(2, {}), refusing(3), refusing(4)};
const Adapter from_2[] = {refusing(3), refusing(4)};
const Adapter from_3[] = {serving(4, added_in_4)};

KindVersion version(std::int32_t number, std::span<const Adapter> adapters) {
  return {number,  false,  tool_fingerprint(number), sizeof(tenon_table), 0, {}, adapters,
          nullptr, nullptr};
}

const KindVersion versions[] = {version(1, from_1), version(2, from_2), version(3, from_3),
                                version(4, {})};
const Kind kind{"test.example/tool", false, versions};
const KindRegistration registration(kind);

}  // namespace

const Kind& tool_kind() {
  return kind;
}

}  // namespace tenon::tests
