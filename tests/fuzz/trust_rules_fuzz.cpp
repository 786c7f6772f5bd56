// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of rules of trust. Rules never make a policy weaker.
#include <filesystem>
#include <string_view>

#include "fuzz/fuzzing.hpp"
#include "trust/trust_policy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon;
  using fuzzing::require;
  for (const Trust level : {Trust::any, Trust::owner, Trust::pinned}) {
    detail::TrustPolicy policy;
    policy.level = level;
    const auto read = detail::parse_trust_rules(fuzzing::text_of(data, size), "trust.json", policy);
    require(policy.level >= level);
    if (read) continue;
    require(read.error().code() == "broken-trust-rules" ||
            read.error().code() == "version-too-new");
    require(!read.error().fix().empty());
  }
  return 0;
}
