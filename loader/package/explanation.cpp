// SPDX-License-Identifier: BSL-1.0
#include "package/explanation.hpp"

#include <algorithm>
#include <utility>

#include "base/quote.hpp"

namespace tenon::detail {
namespace {

// From a manifest, which can hold a version or a requirement of any length.
std::string shortened(std::string text) {
  constexpr std::size_t longest = 100;
  if (text.size() > longest) text.replace(longest, std::string::npos, "...");
  return text;
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const auto& text : texts) all.append(all.empty() ? "" : between).append(text);
  return all;
}

std::string said(const Need& need) {
  return shortened(need.versions.to_string()) + (need.by.empty() ? "" : " (" + need.by + ")");
}

}  // namespace

std::string Explanation::requirer(const Edge& edge) const {
  if (edge.requirer == none) return question_.roots[edge.root].name;
  return candidates_.repository().text(candidates_.name(edge.requirer)) + " " +
         version(edge.requirer);
}

std::string Explanation::version(Position position) const {
  const auto& package = candidates_.repository().package(candidates_.package(position));
  return shortened(package.version.to_string());
}

std::string Explanation::required(const Edge& edge) const {
  std::vector<std::string> all;
  const auto needs = candidates_.needs(edge);
  for (const Need* need : needs) all.push_back(said(*need));
  return needs[0]->name + " " + joined(all, " and ");
}

std::string Explanation::statement(const Edge& edge) const {
  return requirer(edge) + " requires " + required(edge);
}

// "requires me.example/blur ^1; me.example/blur 1.2.0 requires example.io/colour ^2"
std::string Explanation::in_words(const Chain& chain) const {
  constexpr std::size_t shown_at_an_end = 5;
  std::string words = "requires " + required(chain[0]);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (i == shown_at_an_end && chain.size() > 2 * shown_at_an_end) {
      i = chain.size() - shown_at_an_end;
      words += "; ...";
    }
    words += "; " + statement(chain[i]);
  }
  return words;
}

std::string Explanation::versions_there(const Edge& edge) const {
  const Range versions = candidates_.versions(edge.name);
  std::vector<std::string> texts;
  for (auto at = versions.begin; at < versions.end; ++at) texts.push_back(version(at));
  return candidates_.need(edge).name + " " + some_of(texts, 5);
}

// "^1 (photo.json) takes 1.2.0, ^2 (command line) takes 2.1.0"
std::string Explanation::versions_taken(const Edge& edge) const {
  std::vector<std::string> texts;
  for (const Need* need : candidates_.needs(edge)) {
    const auto taken = candidates_.taken_by(*need, edge.name);
    texts.push_back(said(*need) + " takes " + version(taken.front().begin));
  }
  return joined(texts, ", ");
}

// The first on the chain who could do with another version than the one it takes.
std::string Explanation::way_out(const Chain& chain) {
  for (const Edge& edge : chain) {
    const auto taken = candidates_.taken_by(edge);
    const std::vector<Range> refused(taken.begin(), taken.end());
    const Range versions = candidates_.versions(edge.name);
    for (Position position = versions.begin; position < versions.end; ++position) {
      if (contains(refused, position) || !candidates_.usable(position)) continue;
      return ", or let " + requirer(edge) + " take " + candidates_.need(edge).name + " " +
             version(position);
    }
  }
  return "";
}

/// What is there of the name and cannot be used; nullptr: nothing, or that is not the reason.
const Repository::Broken* Explanation::broken(const Edge& end) const {
  const Need& need = candidates_.need(end);
  return need.versions.empty() ? nullptr : candidates_.repository().broken(need.name);
}

std::string_view Explanation::code(const Edge& end) const {
  const auto needs = candidates_.needs(end);
  const auto contradicts = [](const Need* need) { return need->versions.empty(); };
  if (std::any_of(needs.begin(), needs.end(), contradicts)) return "contradictory-requirement";
  if (const auto* broken = this->broken(end)) return broken->code;
  const Range versions = candidates_.versions(end.name);
  if (versions.begin == versions.end) return "missing-package";
  const auto takes_one = [&](const Need* need) {
    return !candidates_.taken_by(*need, end.name).empty();
  };
  const bool each = std::all_of(needs.begin(), needs.end(), takes_one);
  return each ? "version-conflict" : "no-matching-version";
}

std::string Explanation::found(const Edge& end) const {
  if (const auto* broken = this->broken(end)) return broken->where + ", which cannot be used";
  const auto what = code(end);
  if (what == "missing-package") return "no package of the name " + candidates_.need(end).name;
  if (what == "no-matching-version") return versions_there(end);
  if (what == "version-conflict") return versions_taken(end);
  return required(end) + ", which no version can meet";
}

std::string Explanation::fix(const Chain& chain) {
  const Edge& end = chain.back();
  const auto what = code(end);
  std::string fix = "add a version of " + required(end);
  if (what == "version-conflict") {
    fix = "let one version of " + candidates_.need(end).name + " do for all that " + requirer(end) +
          " is made of";
  } else if (const auto* broken = this->broken(end)) {
    fix = "correct " + broken->where + ", see tenon inspect";
  } else if (what == "contradictory-requirement") {
    fix = "change the requirement of " + requirer(end);
  }
  return fix + way_out(chain);
}

Error Explanation::error(const Chain& chain) {
  const Edge& end = chain.back();
  return Error({.code = std::string(code(end)),
                .message = in_words(chain),
                .where = requirer(chain[0]),
                .found = found(end),
                .needed = required(end),
                .fix = fix(chain)});
}

Binding binding_of(const Candidates& candidates, const Edge& edge, Position provider) {
  return {.root = edge.root,
          .requirer = edge.requirer == none ? none : candidates.package(edge.requirer),
          .need = &candidates.need(edge),
          .provider = provider == none ? none : candidates.package(provider)};
}

Error not_enforced(Candidates& candidates, const Question& question, const Edge& edge) {
  const Need& need = candidates.need(edge);
  std::string found = "nothing that is usable";
  if (edge.provider != none) {
    const auto& package = candidates.repository().package(candidates.package(edge.provider));
    found = package.name + " " + shortened(package.version.to_string());
  }
  return Error({.code = "requirement-not-enforced",
                .message = "requires " + need.name + " " + said(need),
                .where = Explanation(candidates, question).requirer(edge),
                .found = std::move(found),
                .needed = need.name + " " + said(need),
                .fix = "nothing has to be done while this package is being developed",
                .grade = ErrorGrade::warning});
}

}  // namespace tenon::detail
