// SPDX-License-Identifier: BSL-1.0
#include "gen/check/generated_names.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

/// Names in generated code, with the things that have them. Reports a name of two things.
class Owners {
 public:
  /// `problem` is what two things with the same name do: "have the same name in C".
  Owners(std::string problem, Diagnostics& diagnostics)
      : problem_(std::move(problem)), diagnostics_(diagnostics) {}

  void add(const std::string& name, const SourceLocation& location, const std::string& what) {
    const auto [at, is_new] = owners_.emplace(name, Owner{location, what});
    if (!is_new) report(name, location, what, at->second);
  }
  /// Reports `what` if another thing has the name.
  void check(const std::string& name, const SourceLocation& location, const std::string& what) {
    const auto at = owners_.find(name);
    if (at != owners_.end()) report(name, location, what, at->second);
  }

 private:
  struct Owner {
    SourceLocation location;
    std::string what;
  };

  void report(const std::string& name, const SourceLocation& location, const std::string& what,
              const Owner& other) {
    diagnostics_.add({.location = location,
                      .code = "name-taken",
                      .message = what + " and " + other.what + " " + problem_,
                      .found = name + ", also of " + other.location.file + ":" +
                               std::to_string(other.location.line),
                      .fix = "rename one of the two"});
  }

  std::string problem_;
  Diagnostics& diagnostics_;
  std::map<std::string, Owner> owners_{};
};

std::string words(const Enum& enumeration) {
  return "the enum '" + enumeration.name + "'";
}
std::string words(const Struct& structure) {
  return "the struct '" + structure.name + "'";
}
std::string words(const Version& version, const Family& family) {
  return family.id + " version " + version.label;
}

/// The names in the generated C headers.
class CNames {
 public:
  explicit CNames(Diagnostics& diagnostics) : names_("have the same name in C", diagnostics) {}

  void add(const KindVersion& version) {
    add_common(version, *version.kind);
    for (const Method& method : version.methods) {
      names_.add(request_name(version, method), method.location,
                 "the request of '" + method.name + "'");
      if (method.response.empty()) continue;
      names_.add(response_name(version, method), method.location,
                 "the response of '" + method.name + "'");
    }
  }
  void add(const DocumentVersion& version) { add_common(version, *version.document); }

 private:
  void add_common(const Version& version, const Family& family) {
    names_.add(version.c_name, version.location, words(version, family));
    for (const auto& enumeration : version.enums) {
      names_.add(enumeration->c_name, enumeration->location, words(*enumeration));
      for (const std::string& value : enumeration->values) {
        names_.add(constant_name(*enumeration, value), enumeration->location,
                   "the value '" + value + "' of '" + enumeration->name + "'");
      }
    }
    for (const auto& structure : version.structs) {
      names_.add(structure->c_name, structure->location, words(*structure));
    }
  }

  Owners names_;
};

/// The names of types in the namespaces and classes of the generated C++ headers. Enums and structs
/// of a version also have short names in its classes.
class CppNames {
 public:
  explicit CppNames(Diagnostics& diagnostics)
      : names_("have the same name in C++", diagnostics), diagnostics_(diagnostics) {}

  void add(const Kind& kind) {
    const std::string name = camel_case(kind.name);
    names_.add(kind.space + "::" + name, kind.latest().location, "the class of " + kind.id);
    for (const KindStep& step : kind.steps) {
      if (!step.adaptable) continue;
      names_.add(kind.space + "::" + name + "From" + step.from->label, step.to->location,
                 "the adapter of " + words(*step.from, kind));
      if (!step.has_hooks()) continue;
      names_.add(kind.space + "::" + name + "Step" + step.from->label, step.to->location,
                 "the hand-written step to " + words(*step.to, kind));
    }
    for (const auto& version : kind.versions) {
      add_types(*version, "");
      check_sdk_class(*version);
    }
    check_host_class(kind.latest());
  }

  void add(const Document& document) {
    const std::string name = document.space + "::" + camel_case(document.name);
    if (!document.latest().removed()) {
      add_with_view(name, document.latest().location, "the newest version of " + document.id);
    }
    for (const DocumentStep& step : document.steps) {
      if (!step.hook) continue;
      names_.add(name + "Step" + step.from->label + "To" + step.to->label, step.to->location,
                 "the hand-written step to " + words(*step.to, document));
    }
    for (const auto& version : document.versions) {
      const std::string versioned = name + "V" + version->label;
      const std::string what = words(*version, document);
      names_.add(versioned + "Storage", version->location, what);
      add_types(*version, "Storage");
      if (version->removed()) continue;
      add_with_view(versioned, version->location, what);
      Owners members("have the same name in C++", diagnostics_);
      members.add(versioned, version->location, "the class of " + what);
      check_short_names(*version, document.space, members, "");
    }
  }

 private:
  void add_with_view(const std::string& name, const SourceLocation& location,
                     const std::string& what) {
    names_.add(name, location, what);
    names_.add(name + "View", location, "the view of " + what);
  }

  /// `form` is the end of a further name of each type, if any.
  void add_types(const Version& version, const std::string& form) {
    for (const auto& enumeration : version.enums) {
      if (!version.removed()) {
        names_.add(enumeration->cpp_name, enumeration->location, words(*enumeration));
      }
      if (form.empty()) continue;
      names_.add(enumeration->cpp_name + form, enumeration->location, words(*enumeration));
    }
    for (const auto& structure : version.structs) {
      if (!version.removed()) {
        add_with_view(structure->cpp_name, structure->location, words(*structure));
      }
      if (form.empty()) continue;
      names_.add(structure->cpp_name + form, structure->location, words(*structure));
    }
  }

  static std::size_t original_fields(const Method& method) {
    return static_cast<std::size_t>(
        std::count_if(method.response.begin(), method.response.end(),
                      [](const Field& field) { return field.added.empty(); }));
  }

  /// Checks the members of the class for hosts, other than those that are also in the base class.
  void check_host_class(const KindVersion& version) {
    Owners members("have the same name in C++", diagnostics_);
    const std::string scope = version.kind->space + "::";
    members.add(scope + camel_case(version.kind->name), version.location,
                "the class of " + version.kind->id);
    for (const Method& method : version.methods) {
      if (method.response.size() < 2) continue;
      if (original_fields(method) < 2) add_results(scope, method, members);
      members.add(scope + camel_case(method.name) + "View", method.location,
                  "the view of the results of '" + method.name + "'");
    }
    check_short_names(version, version.kind->space, members, "View");
  }

  /// Checks the members of the base class for plugins.
  void check_sdk_class(const KindVersion& version) {
    Owners members("have the same name in C++", diagnostics_);
    const std::string scope = version.kind->space + "::";
    const std::string what = "the class of " + words(version, *version.kind);
    members.add(scope + camel_case(version.kind->name) + "V" + version.label, version.location,
                what);
    for (const char* name : {"Calls", "Interface"}) {
      members.add(scope + name, version.location, "a member of " + what);
    }
    for (const Method& method : version.methods) {
      if (original_fields(method) > 1) add_results(scope, method, members);
      members.add(scope + "raw_" + method.name, method.location,
                  "the raw form of '" + method.name + "'");
    }
    for (const Method& method : version.methods) {
      members.check(scope + method.name, method.location, "the method '" + method.name + "'");
    }
    check_short_names(version, version.kind->space, members, "");
  }

  static void add_results(const std::string& scope, const Method& method, Owners& members) {
    members.add(scope + camel_case(method.name) + "Result", method.location,
                "the results of '" + method.name + "'");
  }

  /// Checks short names against other members. `form` is the end of a further short name of each
  /// struct, if any.
  static void check_short_names(const Version& version, const std::string& space, Owners& members,
                                const std::string& form) {
    const auto check = [&](const auto& type, const std::string& end) {
      members.check(space + "::" + camel_case(type.name) + end, type.location, words(type));
    };
    for (const auto& enumeration : version.enums) check(*enumeration, "");
    for (const auto& structure : version.structs) {
      check(*structure, "");
      if (!form.empty()) check(*structure, form);
    }
  }

  Owners names_;
  Diagnostics& diagnostics_;
};

/// Adds the headers of a family in C++. `ends` are the ends of their names.
void add_headers(const Family& family, const SourceLocation& location,
                 const std::vector<std::string>& ends, Owners& headers) {
  for (const std::string& end : ends) {
    headers.add(family.space + "/" + family.name + end + ".hpp", location, family.id);
  }
}

}  // namespace

void check_names(const Model& model, Diagnostics& diagnostics) {
  CNames c_names(diagnostics);
  CppNames cpp_names(diagnostics);
  Owners headers("have a header of the same name", diagnostics);
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) c_names.add(*version);
    cpp_names.add(*kind);
    add_headers(*kind, kind->latest().location, {"", "_types"}, headers);
  }
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) c_names.add(*version);
    cpp_names.add(*document);
    add_headers(*document, document->latest().location, {"", "_json", "_steps", "_storage"},
                headers);
  }
}

}  // namespace tenon::gen
