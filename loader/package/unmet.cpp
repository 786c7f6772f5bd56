// SPDX-License-Identifier: BSL-1.0
#include "package/unmet.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "package/quote.hpp"

namespace tenon::detail {
namespace {

/// One edge on the way from a root to what is not met, and the place of the one before it.
struct Step {
  EdgeId edge;
  std::size_t before;
};

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

class Explanation {
 public:
  Explanation(Candidates& candidates, const Question& question)
      : candidates_(candidates), question_(question) {}

  std::vector<Unmet> unmet();

 private:
  std::vector<std::size_t> find_ends();
  std::vector<Edge> chain_to(std::size_t end);
  Binding binding(const std::vector<Edge>& chain, std::size_t at) const;

  std::string version(Position position) const;
  std::string required(const Edge& edge) const;
  std::string in_words(const std::vector<Edge>& chain) const;
  std::string versions_there(const Edge& edge) const;
  std::string versions_taken(const Edge& edge) const;
  std::string way_out(const std::vector<Edge>& chain);
  std::string_view code(const Edge& edge) const;
  Error error(const std::vector<Edge>& chain);

  Candidates& candidates_;
  const Question& question_;
  std::vector<Step> steps_;
};

std::vector<Unmet> Explanation::unmet() {
  std::vector<Unmet> all;
  std::set<std::string> reported;
  for (const std::size_t end : find_ends()) {
    const auto chain = chain_to(end);
    if (!reported.insert(required(chain.back())).second) continue;
    Unmet unmet = {.chain = {}, .error = error(chain)};
    for (std::size_t i = 0; i < chain.size(); ++i) unmet.chain.push_back(binding(chain, i));
    all.push_back(std::move(unmet));
  }
  return all;
}

// What no version that is there would meet, whatever that version is like. From the roots on in
// breadth, so that the first chain that leads to something is the shortest.
std::vector<std::size_t> Explanation::find_ends() {
  std::vector<std::size_t> ends;
  std::vector<bool> seen(candidates_.repository().size());
  const auto add_steps = [&](Range edges, std::size_t before) {
    for (EdgeId id = edges.begin; id < edges.end; ++id) {
      if (candidates_.edges()[id].unmet) steps_.push_back({.edge = id, .before = before});
    }
  };
  add_steps(candidates_.edges_of_roots(), none);
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const auto taken = candidates_.taken_by(candidates_.edges()[steps_[at].edge]);
    if (taken.empty()) ends.push_back(at);
    for (const Range& range : taken) {
      for (Position position = range.begin; position < range.end; ++position) {
        if (!seen[position]) add_steps(candidates_.edges_of(position), at);
        seen[position] = true;
      }
    }
  }
  return ends;
}

std::vector<Edge> Explanation::chain_to(std::size_t end) {
  std::vector<Edge> chain;
  for (std::size_t at = end; at != none; at = steps_[at].before) {
    chain.push_back(candidates_.edges()[steps_[at].edge]);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

Binding Explanation::binding(const std::vector<Edge>& chain, std::size_t at) const {
  const auto provider = at + 1 < chain.size() ? chain[at + 1].requirer : none;
  return binding_of(candidates_, chain[at], provider);
}

std::string Explanation::version(Position position) const {
  const auto& package = candidates_.repository().package(candidates_.package(position));
  return shortened(package.version.to_string());
}

// "example.io/colour ^2"
std::string Explanation::required(const Edge& edge) const {
  std::vector<std::string> all;
  const auto needs = candidates_.needs(edge);
  for (const Need* need : needs) all.push_back(said(*need));
  return needs[0]->name + " " + joined(all, " and ");
}

// "requires me.example/blur ^1; me.example/blur 1.2.0 requires example.io/colour ^2"
std::string Explanation::in_words(const std::vector<Edge>& chain) const {
  constexpr std::size_t shown_at_an_end = 5;
  std::string words = "requires " + required(chain[0]);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (i == shown_at_an_end && chain.size() > 2 * shown_at_an_end) {
      i = chain.size() - shown_at_an_end;
      words += "; ...";
    }
    words +=
        "; " + requirer_of(candidates_, question_, chain[i]) + " requires " + required(chain[i]);
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
std::string Explanation::way_out(const std::vector<Edge>& chain) {
  for (const Edge& edge : chain) {
    const auto taken = candidates_.taken_by(edge);
    const std::vector<Range> refused(taken.begin(), taken.end());
    const Range versions = candidates_.versions(edge.name);
    for (Position position = versions.begin; position < versions.end; ++position) {
      if (contains(refused, position) || !candidates_.usable(position)) continue;
      return ", or let " + requirer_of(candidates_, question_, edge) + " take " +
             candidates_.need(edge).name + " " + version(position);
    }
  }
  return "";
}

std::string_view Explanation::code(const Edge& edge) const {
  const auto needs = candidates_.needs(edge);
  const auto contradicts = [](const Need* need) { return need->versions.empty(); };
  if (std::any_of(needs.begin(), needs.end(), contradicts)) return "contradictory-requirement";
  const Range versions = candidates_.versions(edge.name);
  if (versions.begin == versions.end) return "package-missing";
  const auto takes_one = [&](const Need* need) {
    return !candidates_.taken_by(*need, edge.name).empty();
  };
  const bool each = std::all_of(needs.begin(), needs.end(), takes_one);
  return each ? "two-versions-needed" : "version-missing";
}

Error Explanation::error(const std::vector<Edge>& chain) {
  const Edge& last = chain.back();
  const auto what = code(last);
  const auto requirer = requirer_of(candidates_, question_, last);
  const std::string name = candidates_.need(last).name;
  std::string found;
  std::string fix = "add a version of " + required(last);
  if (what == "package-missing") {
    found = "no package of the name " + name;
  } else if (what == "version-missing") {
    found = versions_there(last);
  } else if (what == "two-versions-needed") {
    found = versions_taken(last);
    fix = "let one version of " + name + " do for all that " + requirer + " is made of";
  } else {
    found = required(last) + ", which no version can meet";
    fix = "change the requirement of " + requirer;
  }
  return Error({.code = std::string(what),
                .message = in_words(chain),
                .where = requirer_of(candidates_, question_, chain[0]),
                .found = std::move(found),
                .needed = required(last),
                .fix = fix + way_out(chain)});
}

}  // namespace

std::string requirer_of(const Candidates& candidates, const Question& question, const Edge& edge) {
  if (edge.requirer == none) return question.roots[edge.root].name;
  const auto& package = candidates.repository().package(candidates.package(edge.requirer));
  return package.name + " " + shortened(package.version.to_string());
}

Binding binding_of(const Candidates& candidates, const Edge& edge, Position provider) {
  return {.root = edge.root,
          .requirer = edge.requirer == none ? none : candidates.package(edge.requirer),
          .need = &candidates.need(edge),
          .provider = provider == none ? none : candidates.package(provider)};
}

std::vector<Unmet> unmet_needs(Candidates& candidates, const Question& question) {
  return Explanation(candidates, question).unmet();
}

Error not_enforced(const Candidates& candidates, const Question& question, const Edge& edge) {
  const Need& need = candidates.need(edge);
  std::string found = "nothing that is usable";
  if (edge.provider != none) {
    const auto& package = candidates.repository().package(candidates.package(edge.provider));
    found = package.name + " " + shortened(package.version.to_string());
  }
  return Error({.code = "not-enforced",
                .message = "requires " + need.name + " " + said(need),
                .where = requirer_of(candidates, question, edge),
                .found = std::move(found),
                .needed = need.name + " " + said(need),
                .fix = "nothing has to be done while this package is being developed"});
}

}  // namespace tenon::detail
