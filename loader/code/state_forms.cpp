// SPDX-License-Identifier: BSL-1.0
#include "code/state_forms.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

std::vector<std::int32_t> known_numbers(const Manifest& manifest) {
  if (!manifest.state) return {1};
  std::vector<std::int32_t> known = manifest.state->reads;
  known.push_back(manifest.state->writes);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

std::string_view type_name(const Manifest& manifest) {
  return manifest.state ? std::string_view(manifest.state->type) : std::string_view();
}

/// Returns the newest version of the type that a build knows.
std::optional<std::int32_t> newest_in(const DocumentType& type, const Manifest& manifest) {
  std::optional<std::int32_t> newest;
  for (const std::int32_t number : known_numbers(manifest)) {
    const DocumentVersion* version = type.find(std::to_string(number));
    if (version != nullptr && version->save != nullptr) newest = number;
  }
  return newest;
}

Error refused(std::string found, std::string needed) {
  return Error({.code = "state-refused",
                .message = "the state cannot be handed over",
                .found = std::move(found),
                .needed = std::move(needed),
                .fix = "use a build whose save_state returns it, or discard the state"});
}

}  // namespace

std::optional<StateForms> state_forms(const Manifest& from, const Manifest& to) {
  if (type_name(from) != type_name(to)) return std::nullopt;
  if (const DocumentType* type = find_document_type(type_name(from))) {
    const auto saved = newest_in(*type, from);
    const auto restored = newest_in(*type, to);
    if (saved && restored) return StateForms{*saved, *restored, type};
  }
  const std::vector<std::int32_t> given = known_numbers(from);
  const std::vector<std::int32_t> taken = known_numbers(to);
  const auto best = std::find_if(taken.rbegin(), taken.rend(), [&given](std::int32_t number) {
    return std::find(given.begin(), given.end(), number) != given.end();
  });
  if (best == taken.rend()) return std::nullopt;
  return StateForms{*best, *best, nullptr};
}

std::string known_forms(const Manifest& manifest) {
  std::string text;
  for (const std::int32_t number : known_numbers(manifest)) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  if (!type_name(manifest).empty()) text.append(" of ").append(type_name(manifest));
  return text;
}

Result<Bytes> keep_state(tenon_call* call, const StateForms& forms, const tenon_bytes& state) {
  if (forms.type == nullptr) return Value<Bytes>::own(state);
  const DocumentVersion& version = *forms.type->find(std::to_string(forms.saved));
  const std::string needed =
      "the struct of " + std::string(forms.type->id) + " " + std::string(version.label);
  if (state.size != version.abi_size) {
    return refused(std::to_string(state.size) + " bytes",
                   needed + ", " + std::to_string(version.abi_size) + " bytes");
  }
  if (state.data == nullptr) return refused("a null pointer", needed);
  constexpr std::uintptr_t alignment = alignof(tenon_string);  // of the bag that each document has
  if (reinterpret_cast<std::uintptr_t>(state.data) % alignment != 0) {
    return refused("an unaligned pointer", needed);
  }
  Conversion conversion(call);
  const void* stored = version.load(conversion, state.data);
  if (stored == nullptr) return refused(conversion.error(), needed);
  json::Writer out;
  version.write(out, stored);
  return to_bytes(out.view());
}

Result<tenon_bytes> give_state(tenon_call* call, const StateForms& forms, const Bytes& kept) {
  if (forms.type == nullptr) return Value<Bytes>::pass(call, kept);  // empty, but not absent
  Conversion conversion(call);
  conversion.copies = true;
  json::Parser parser;
  const std::string from = std::to_string(forms.saved);
  const std::string to = std::to_string(forms.restored);
  const auto document = read_document(conversion, parser, BytesView(kept).text(),
                                      {.type = forms.type->id, .from = from, .to = to});
  if (!document) return document.error();
  const DocumentVersion& version = *document->version;
  const void* raw = version.save(conversion, document->stored);
  if (raw == nullptr) return refused(conversion.error(), "a document that can be converted");
  return tenon_bytes{static_cast<const std::uint8_t*>(raw), version.abi_size};
}

}}}  // namespace tenon::v0_1::detail
