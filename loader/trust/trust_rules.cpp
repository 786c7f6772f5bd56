// SPDX-License-Identifier: BSL-1.0
//
// The rules of an operator, in a file.
#include <tenon/trust_rules_json.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "base/quote.hpp"
#include "package/document_file.hpp"
#include "package/name.hpp"
#include "trust/trust_policy.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

constexpr DocumentFile rules_type = {.type = "tenon.dev/trust_rules",
                                     .name = "trust rules",
                                     .broken_code = "broken-trust-rules",
                                     .fix = "correct the file; no module is loaded until then"};

class RulesReader {
 public:
  explicit RulesReader(const fs::path& file) : file_(file) {}

  Result<void> read(const TrustRules& document, TrustPolicy& policy) const {
    if (document.level) {
      if (*document.level != "owner" && *document.level != "pinned") {
        return broken("value.level", in_quotes(*document.level), "owner or pinned");
      }
      policy.level =
          std::max(policy.level, *document.level == "pinned" ? Trust::pinned : Trust::owner);
    }
    for (std::size_t i = 0; i < document.denied.size(); ++i) {
      auto denied = read(document.denied[i], "value.denied[" + std::to_string(i) + "]");
      if (!denied) return std::move(denied).error();
      policy.denied.push_back(std::move(*denied));
    }
    return {};
  }

 private:
  Result<Denied> read(const TrustRules::Denied& stored, const std::string& at) const {
    if (!stored.package && !stored.sha256) {
      return broken(at, "neither package nor sha256", "one of them, or both");
    }
    if (stored.versions && !stored.package) {
      return broken(at + ".versions", in_quotes(*stored.versions), "the package that has them");
    }
    Denied denied{.package = stored.package.value_or(""),
                  .versions = std::nullopt,
                  .sha256 = stored.sha256.value_or(""),
                  .reason = stored.reason};
    if (stored.package) {
      if (const auto problem = name_problem(denied.package); !problem.empty()) {
        return broken(at + ".package",
                      in_quotes(denied.package) + ", which " + std::string(problem), "domain/name");
      }
    }
    if (stored.versions) {
      auto versions = Requirement::parse(*stored.versions);
      if (!versions) {
        return broken(at + ".versions",
                      in_quotes(*stored.versions) + ": " + std::string(versions.error().found()),
                      std::string(versions.error().needed()));
      }
      denied.versions = std::move(*versions);
    }
    if (stored.sha256 && !is_sha256(denied.sha256)) {
      return broken(at + ".sha256", in_quotes(denied.sha256), "64 lowercase hexadecimal digits");
    }
    return denied;
  }

  Error broken(const std::string& at, std::string found, std::string needed) const {
    return broken_document(rules_type, file_, at, std::move(found), std::move(needed));
  }

  const fs::path& file_;
};

}  // namespace

Result<void> parse_trust_rules(std::string_view text, const fs::path& file, TrustPolicy& policy) {
  const Result<TrustRules> document = read_trust_rules(text);
  if (!document) return unreadable_document(rules_type, file, document.error());
  return RulesReader(file).read(*document, policy);
}

Result<void> add_trust_rules(const fs::path& file, TrustPolicy& policy) {
  const auto text = read_document_file(file);
  if (!text) return text.error();
  // Who may change the rules may allow everything, so no user's host accepts such a file.
  if (const auto exposure = platform::exposure_at(file)) {
    return untrusted_owner(file, *exposure).with_severity(Severity::error);
  }
  policy.rules_file = file;
  return parse_trust_rules(*text, file, policy);
}

}}}  // namespace tenon::v0_1::detail
