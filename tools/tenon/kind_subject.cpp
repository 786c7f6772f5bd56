// SPDX-License-Identifier: BSL-1.0
#include "kind_subject.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/quote.hpp"
#include "common/diagnostics.hpp"

namespace tenon::command {
namespace {

/// The parts of KIND[@VERSION][.METHOD].
struct KindWords {
  std::string kind;
  std::optional<std::string> version;
  std::optional<std::string> method;
};

KindWords parse_subject(const std::string& subject) {
  const std::size_t end = std::min(subject.find_first_of("@.", subject.find('/')), subject.size());
  const std::size_t dot = std::min(subject.find('.', end), subject.size());
  KindWords words{subject.substr(0, end), std::nullopt, std::nullopt};
  if (end < dot) words.version = subject.substr(end + 1, dot - end - 1);
  if (dot < subject.size()) words.method = subject.substr(dot + 1);
  return words;
}

/// `what`: eg "method". `known`: the names that exist.
Error unknown(const std::string& what, const std::string& where, const std::string& name,
              const std::vector<std::string>& known) {
  constexpr std::size_t most_shown = 30;
  return Error({.code = "not-found",
                .where = where,
                .found = "no " + what + " " + in_quotes(name),
                .needed = known.empty() ? "a spec that defines it" : some_of(known, most_shown),
                .fix = tools::did_you_mean(name, known, "correct the name, or select the app")});
}

/// Returns the version to describe: the one that is named, otherwise the newest one, or the newest
/// one with the method that is named.
Result<const gen::KindVersion*> version_of(const gen::Kind& kind, const KindWords& words) {
  std::vector<std::string> labels;
  const gen::KindVersion* newest = nullptr;
  for (const auto& version : kind.versions) {
    if (version->label == words.version) return version.get();
    labels.push_back(version->label);
    if (!words.method || version->find(*words.method) != nullptr) newest = version.get();
  }
  if (words.version) return unknown("version", kind.id, *words.version, labels);
  return newest != nullptr ? newest : &kind.latest();
}

Result<KindSubject> look_up(const gen::Model& model, const KindWords& words) {
  std::vector<std::string> known;
  for (const auto& kind : model.kinds) known.push_back(kind->id);
  const auto kind = std::ranges::find(model.kinds, words.kind, &gen::Kind::id);
  if (kind == model.kinds.end()) return unknown("kind", words.kind, words.kind, known);
  const auto version = version_of(**kind, words);
  if (!version) return version.error();
  KindSubject subject{kind->get(), *version};
  if (!words.method) return subject;
  subject.method = (*version)->find(*words.method);
  if (subject.method != nullptr) return subject;
  known.clear();
  for (const gen::Method& method : (*version)->methods) known.push_back(method.name);
  return unknown("method", words.kind + "@" + (*version)->label, *words.method, known);
}

}  // namespace

Result<KindSubject> find_subject(const gen::Model& model, const std::string& text) {
  return look_up(model, parse_subject(text));
}

}  // namespace tenon::command
