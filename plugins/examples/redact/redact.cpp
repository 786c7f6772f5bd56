// SPDX-License-Identifier: BSL-1.0
//
// redact.cpp: a plugin in C++ with the SDK, as an example. It is a backup item action of version 1
// that removes data that does not belong in a backup:
//
//   - `status` and `metadata.managedFields`, which the cluster generates
//   - the values of secrets, unless `secrets` is "keep": the values become empty, and the
//     annotation with the copy of the whole secret by `kubectl apply` is removed
//
// A backup with redacted secrets shows their names and keys. The values must be filled in after a
// restore.
#include <tenon/sdk/backup_item_action.hpp>

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace {

using boost::json::object;
using boost::json::value;
using tenon::sdk::Failure;

constexpr std::size_t max_levels = 256;  // schemas in custom resource definitions are deep

object parse(std::string_view item) {
  boost::json::parse_options options;
  options.max_depth = max_levels;
  boost::system::error_code error;
  value parsed = boost::json::parse({item.data(), item.size()}, error, {}, options);
  if (error || !parsed.is_object()) {
    throw Failure(TENON_INVALID_ARGUMENT, "the item is not a JSON object");
  }
  return std::move(parsed.get_object());
}

/// Returns a member if it is an object, otherwise nullptr.
object* object_in(object* parent, std::string_view name) {
  value* member = parent != nullptr ? parent->if_contains(name) : nullptr;
  return member != nullptr ? member->if_object() : nullptr;
}

bool is_secret(const object& resource) {
  const value* kind = resource.if_contains("kind");
  return kind != nullptr && *kind == "Secret";
}

/// Removes a member and keeps the order of the others. Returns whether it was present.
bool remove(object* parent, std::string_view name) {
  if (parent == nullptr || !parent->contains(name)) return false;
  object others;
  for (auto& [key, member] : *parent) {
    if (key != name) others.emplace(key, std::move(member));
  }
  *parent = std::move(others);
  return true;
}

bool empty_values(object* values) {
  if (values == nullptr) return false;
  for (auto& [key, text] : *values) text = "";
  return !values->empty();
}

bool redact_secret(object& secret) {
  object* annotations = object_in(object_in(&secret, "metadata"), "annotations");
  bool changed = remove(annotations, "kubectl.kubernetes.io/last-applied-configuration");
  for (const char* values : {"data", "stringData"}) {
    if (empty_values(object_in(&secret, values))) changed = true;
  }
  return changed;
}

class Redact : public tenon::sdk::BackupItemActionV1 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    const std::string secrets = config.get("secrets", "redact");
    if (secrets != "redact" && secrets != "keep") {
      throw Failure(TENON_INVALID_ARGUMENT, "parameter \"secrets\" is \"", secrets,
                    "\", expected redact or keep");
    }
    keeps_secrets_ = secrets == "keep";
  }

  /// Selects all resources.
  tenon::SelectorV1 applies_to() override { return {}; }

  // May run on several threads: only reads the members that configure wrote.
  ExecuteResult execute(std::string_view item, tenon::BackupV1View /*backup*/) override {
    object resource = parse(item);
    bool changed = remove(&resource, "status");
    if (remove(object_in(&resource, "metadata"), "managedFields")) changed = true;
    if (!keeps_secrets_ && is_secret(resource) && redact_secret(resource)) changed = true;

    ExecuteResult result;  // without an item: unchanged
    if (changed) result.item = tenon::Json{boost::json::serialize(resource)};
    return result;
  }

 private:
  bool keeps_secrets_ = false;
};

}  // namespace

TENON_PLUGIN(Redact, "example.io/redact", "1.0.0",
             {"summary": "Removes secrets and generated fields from backups"});
