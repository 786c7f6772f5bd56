// SPDX-License-Identifier: BSL-1.0
#include "package/explanation.hpp"

#include <algorithm>
#include <utility>

#include "base/plain_text.hpp"
#include "base/quote.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Manifests can contain versions and requirements of any length.
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

std::string text_of(const Dependency& dependency) {
  return shortened(dependency.versions.to_string());
}

/// Returns the parts of `whole` that are in none of the ranges, which lie in it.
std::vector<Range> complement(Ranges ranges, Range whole) {
  std::vector<Range> others;
  for (const Range& range : ranges) {
    if (whole.begin < range.begin) others.push_back({whole.begin, range.begin});
    whole.begin = range.end;
  }
  if (whole.begin < whole.end) others.push_back(whole);
  return others;
}

/// Returns the command by which an operator has an unusable module used again; empty if its file is
/// at fault.
std::string_view command_for(std::string_view code) {
  if (code == "disabled") return "tenon enable";
  if (code == "version-refused") return "tenon unpin";
  if (code == "module-left-out") return "tenon release";
  return {};
}

}  // namespace

std::string Explanation::requirer(const Edge& edge) const {
  if (edge.requirer == none) return problem_.roots[edge.root].name;
  return propagator_.repository().text(propagator_.name(edge.requirer)) + " " +
         version(edge.requirer);
}

std::string Explanation::version(Position position) const {
  const auto& package = propagator_.repository().package(propagator_.package(position));
  return shortened(package.version.to_string());
}

std::string Explanation::required(const Edge& edge) const {
  std::vector<std::string> all;
  const auto dependencies = propagator_.dependencies(edge);
  for (const Dependency* dependency : dependencies) all.push_back(text_of(*dependency));
  return dependencies[0]->name + " " + joined(all, " and ");
}

std::string Explanation::statement(const Edge& edge) const {
  return requirer(edge) + " requires " + required(edge);
}

// "requires me.example/blur ^1; me.example/blur 1.2.0 requires example.io/colour ^2"
std::string Explanation::describe(const Chain& chain) const {
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

std::string Explanation::available_versions(const Edge& edge) const {
  constexpr std::uint32_t most = 5;
  const Range versions = propagator_.versions(edge.name);
  const std::uint32_t count = versions.end - versions.begin;
  std::vector<std::string> texts;  // formatting all would take long for packages with many versions
  for (std::uint32_t i = 0; i < std::min(count, most); ++i)
    texts.push_back(version(versions.begin + i));
  return propagator_.dependency(edge).name + " " + first_of(texts, count);
}

// "^1 (photo.json) accepts 1.2.0, ^2 (command line) accepts 2.1.0"
std::string Explanation::accepted_versions(const Edge& edge) const {
  std::vector<std::string> texts;
  for (const Dependency* dependency : propagator_.dependencies(edge)) {
    const auto accepted = propagator_.accepted_by(*dependency, edge.name);
    texts.push_back(text_of(*dependency) + " accepts " + version(accepted.front().begin));
  }
  return joined(texts, ", ");
}

// Names the first requirer of the chain that could use a version that it does not accept.
std::string Explanation::alternative_fix(const Chain& chain) {
  for (const Edge& edge : chain) {
    const std::vector<Range> others =
        complement(propagator_.accepted_by(edge), propagator_.versions(edge.name));
    Position position = propagator_.preferred(others);
    while (position != none && !propagator_.usable(position))
      position = propagator_.preferred(others);
    if (position == none) continue;
    return ", or let " + requirer(edge) + " accept " + propagator_.dependency(edge).name + " " +
           version(position);
  }
  return "";
}

/// Returns the unusable module of that name, or nullptr if there is none or it would not meet the
/// requirement.
const Repository::Broken* Explanation::broken(const Edge& end) const {
  const auto* broken = propagator_.repository().broken(propagator_.dependency(end).name);
  if (broken == nullptr) return nullptr;
  const auto dependencies = propagator_.dependencies(end);
  const bool accepted =
      std::all_of(dependencies.begin(), dependencies.end(), [broken](const Dependency* dependency) {
        return broken->version ? dependency->versions.contains(*broken->version)
                               : !dependency->versions.empty();
      });
  return accepted ? broken : nullptr;
}

std::string_view Explanation::code(const Edge& end) const {
  const auto dependencies = propagator_.dependencies(end);
  const auto contradicts = [](const Dependency* dependency) {
    return dependency->versions.empty();
  };
  if (std::any_of(dependencies.begin(), dependencies.end(), contradicts))
    return "contradictory-requirement";
  if (const auto* broken = this->broken(end)) return broken->code;
  const Range versions = propagator_.versions(end.name);
  if (versions.begin == versions.end) return "missing-package";
  const auto accepts_one = [&](const Dependency* dependency) {
    return !propagator_.accepted_by(*dependency, end.name).empty();
  };
  const bool each = std::all_of(dependencies.begin(), dependencies.end(), accepts_one);
  return each ? "version-conflict" : "no-matching-version";
}

std::string Explanation::found(const Edge& end) const {
  if (const auto* broken = this->broken(end)) return broken->where + ", which cannot be used";
  const auto what = code(end);
  if (what == "missing-package") return "no package named " + propagator_.dependency(end).name;
  if (what == "no-matching-version") return available_versions(end);
  if (what == "version-conflict") return accepted_versions(end);
  return required(end) + ", which no version can meet";
}

std::string Explanation::fix(const Chain& chain) {
  const Edge& end = chain.back();
  const auto what = code(end);
  std::string fix = "add a version of " + required(end);
  if (what == "version-conflict") {
    fix = "change the requirements of " + requirer(end) + " so that one version of " +
          propagator_.dependency(end).name + " meets them all";
  } else if (const auto* broken = this->broken(end)) {
    const std::string_view command = command_for(broken->code);
    fix = command.empty()
              ? "run tenon inspect " + shell_word(broken->where) + ", and correct what it reports"
              : "run " + std::string(command) + " for " + propagator_.dependency(end).name;
  } else if (what == "contradictory-requirement") {
    fix = "change the requirement of " + requirer(end);
  }
  return fix + alternative_fix(chain);
}

Error Explanation::error(const Chain& chain) {
  const Edge& end = chain.back();
  return Error({.code = std::string(code(end)),
                .message = describe(chain),
                .where = requirer(chain[0]),
                .found = found(end),
                .needed = required(end),
                .fix = fix(chain)});
}

Binding binding_of(const Propagator& propagator, const Edge& edge, Position provider) {
  return {.root = edge.root,
          .requirer = edge.requirer == none ? none : propagator.package(edge.requirer),
          .dependency = &propagator.dependency(edge),
          .provider = provider == none ? none : propagator.package(provider)};
}

Error not_enforced(Propagator& propagator, const Problem& problem, const Edge& edge) {
  const Dependency& dependency = propagator.dependency(edge);
  std::string found = "no usable version";
  if (edge.provider != none) {
    const auto& package = propagator.repository().package(propagator.package(edge.provider));
    found = package.name + " " + shortened(package.version.to_string());
  }
  return Error({.code = "requirement-not-enforced",
                .message = "requires " + dependency.name + " " + text_of(dependency),
                .where = Explanation(propagator, problem).requirer(edge),
                .found = std::move(found),
                .needed = dependency.name + " " + text_of(dependency),
                .fix = "none needed while this package is in development",
                .severity = Severity::warning});
}

}}}  // namespace tenon::v0_1::detail
