// SPDX-License-Identifier: BSL-1.0
#include "subject.hpp"

#include <tenon/sdk/testing.hpp>
#include <tenon/specifier.hpp>

#include <algorithm>
#include <cstdint>

namespace tenon::sdk::conformance {

// Bounds memory if a plugin logs endlessly.
constexpr std::size_t most_warnings = 1000;

ModuleReport inspect(const Options& options) {
  return options.builtin != nullptr ? tenon::inspect(*options.builtin)
                                    : tenon::inspect(options.module);
}

std::string reason_of(const Error& error) {
  if (error.code() != "missing-package") return error.to_string();
  return Error({.code = std::string(error.code()),
                .message = std::string(error.message()),
                .where = std::string(error.where()),
                .found = std::string(error.found()),
                .needed = std::string(error.needed()),
                .fix = std::string(error.fix()) +
                       "; name its directory in $TENON_CONFORMANCE_PLUGIN_PATH"})
      .to_string();
}

void fail(std::string reason) {
  throw Ending{Verdict::failed, std::move(reason)};
}

void skip(std::string reason) {
  throw Ending{Verdict::not_run, std::move(reason)};
}

bool is(const Error& error, tenon_status code) {
  return TENON_CODE(error.status()) == code;
}

void require_done(const tenon::Result<void>& result) {
  if (!result && !is(result.error(), TENON_UNIMPLEMENTED)) fail(result.error().to_string());
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string shown(BytesView bytes) {
  const auto printable = [](std::uint8_t byte) { return byte >= ' ' && byte < 0x7f; };
  if (std::all_of(bytes.begin(), bytes.end(), printable)) {
    return '"' + std::string(bytes.text()) + '"';
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Host& Subject::host() {
  if (host_) return *host_;
  HostOptions options = sdk::testing::options(options_.module);
  if (options_.builtin != nullptr) {
    options.builtins = {options_.builtin};
    options.plugin_path.clear();
  }
  options.check_calls = check_calls_;
  options.log_sink = [this](const LogLine& line) { keep(line); };
  return host_.emplace(std::move(options));
}

std::string Subject::reference() const {
  return (options_.builtin != nullptr ? "builtin:" : "standalone:") + plugin();
}

const PluginSetup* Subject::find_setup() const {
  const auto found = std::ranges::find_if(options_.setups, [this](const PluginSetup& setup) {
    return setup.kind == kind() && setup.plugin == plugin();
  });
  return found == options_.setups.end() ? nullptr : &*found;
}

const PluginSetup& Subject::setup() const {
  const PluginSetup* found = find_setup();
  if (found == nullptr) skip("no configuration is given");
  return *found;
}

const std::string& Subject::setup_of(std::string PluginSetup::*member,
                                     std::string_view name) const {
  const std::string& value = setup().*member;
  if (value.empty()) skip("its configuration has no \"" + std::string(name) + "\"");
  return value;
}

std::optional<Specification> Subject::specification() {
  auto found = host().create<Specifier>(reference());
  if (!found && found.error().code() == "not-found") return std::nullopt;
  return value_of(value_of(std::move(found))->specify());
}

bool Subject::has_warned_of(std::string_view text) const {
  const sync::Lock lock(mutex_);
  return std::ranges::any_of(
      warnings_, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

void Subject::keep(const LogLine& line) {
  const sync::Lock lock(mutex_);
  if (warnings_.size() < most_warnings) warnings_.push_back(line.to_string());
}

}  // namespace tenon::sdk::conformance
