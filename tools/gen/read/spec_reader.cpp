// SPDX-License-Identifier: BSL-1.0
#include "gen/read/spec_reader.hpp"

#include "gen/read/field_reader.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

constexpr std::string_view first_state = "created";

/// Reads one version of a kind.
class KindReader {
 public:
  KindReader(const JsonValue& json, const Documents& documents, Kind& kind, KindVersion& version,
             Findings& findings)
      : spec_(json, "a kind",
              {"kind", "version", "doc", "life", "restart", "properties", "enums", "structs",
               "methods"},
              findings),
        kind_(kind),
        version_(version),
        scope_{version, kind.domain, documents},
        findings_(findings) {}

  void read() {
    version_.doc = spec_.text("doc");
    version_.life = read_life(spec_, false, findings_);
    read_restart();
    read_local_types(spec_, scope_, false, findings_);
    read_properties();
    // What members of the table, and of the class in C++, are called already.
    Names names("method", NameUse::member,
                {"struct_size", "version", "reserved", "base", "kind", "save_state",
                 "restore_state", "suspend", "resume"},
                findings_);
    if (const JsonValue::Array* methods = spec_.array("methods")) {
      for (const JsonValue& method : *methods) read_method(method, names);
      if (methods->empty()) add_no_methods();
    }
    check_states();
  }

 private:
  /// A state that a method may be called in.
  struct Use {
    std::string state;
    Place place;
  };

  void read_restart() {
    const bool session = spec_.optional_word("restart", {"overlap", "session"}) == "session";
    if (kind_.versions.front().get() == &version_) {
      kind_.session = session;
    } else if (kind_.session != session) {
      findings_.add({.place = spec_.place("restart"),
                     .code = "wrong-restart",
                     .what = "this version restarts in another way than version " +
                             std::to_string(kind_.versions.front()->number),
                     .found = session ? "session" : "overlap",
                     .needed = kind_.session ? "session" : "overlap",
                     .fix = "say the same in all versions, or make a new kind"});
    }
  }

  void read_properties() {
    const JsonValue::Object* properties = spec_.optional_object("properties");
    if (properties == nullptr) return;
    Names names("property", NameUse::part, {}, findings_);
    for (const JsonMember& member : *properties) {
      names.add(member.key, member.place);
      Property property{.name = member.key};
      const JsonValue* type = &member.value;
      if (type->text() == nullptr) {
        const ObjectReader object(*type, "a property", {"type", "doc"}, findings_);
        type = object.required("type");
        property.doc = object.optional_text("doc");
      }
      if (type == nullptr) continue;
      if (auto known = read_type(*type, TypeUse::property, scope_, findings_)) {
        property.type = std::move(*known);
        version_.properties.push_back(std::move(property));
      }
    }
  }

  void read_method(const JsonValue& value, Names& names) {
    const ObjectReader object(value, "a method",
                              {"name", "doc", "role", "threading", "required", "blocks", "from",
                               "to", "request", "response"},
                              findings_);
    Method method{.name = object.text("name"), .doc = object.text("doc")};
    method.place = object.place("name");
    if (!method.name.empty()) names.add(method.name, method.place);
    method.configures = !object.optional_word("role", {"configure"}).empty();
    const std::string threading = object.word("threading", {"any", "serial", "main"});
    method.threading = threading == "any"      ? Threading::any
                       : threading == "serial" ? Threading::serial
                                               : Threading::main;
    method.required = object.flag("required");
    method.blocks = object.optional_text("blocks");
    read_states(object, method);
    method.request = read_message(object, "request");
    method.response = read_message(object, "response");
    if (method.configures) check_configure(method, object.place("role"));
    version_.methods.push_back(std::move(method));
  }

  void read_states(const ObjectReader& object, Method& method) {
    method.to = object.optional_text("to");
    if (!method.to.empty()) {
      check_name(method.to, object.place("to"), "state", NameUse::part, findings_);
    }
    const JsonValue::Array* from = object.optional_array("from");
    if (from == nullptr) return;
    Names names("state", NameUse::part, {}, findings_);
    method.from.emplace();
    for (const JsonValue& value : *from) {
      const std::string state = read_text(value, "a state", findings_);
      if (state.empty()) continue;
      names.add(state, value.place);
      method.from->push_back(state);
      uses_.push_back({state, value.place});
    }
    if (!from->empty()) return;
    findings_.add({.place = object.place("from"),
                   .code = "empty-definition",
                   .what = "'" + method.name + "' may be called in no state at all",
                   .fix = "name the states, or leave 'from' out for any state"});
  }

  std::vector<Field> read_message(const ObjectReader& method, std::string_view key) {
    const JsonValue::Object* fields = method.optional_object(key);
    if (fields == nullptr) return {};
    std::vector<Field> message =
        read_fields(*fields, TypeUse::message, {"struct_size"}, scope_, findings_);
    if (key == "response" && !message.empty() && !message.front().added.empty()) {
      findings_.add({.place = message.front().place,
                     .code = "bad-added",
                     .what = "a method without a response cannot get one later",
                     .needed = "a field that the response had from the beginning",
                     .fix = "write a new version of the kind"});
    }
    return message;
  }

  void check_configure(const Method& method, const Place& place) {
    const auto is_config = [](const Field& field) {
      return field.name == "config" && to_text(field.type) == "map<string>";
    };
    const bool good = method.request.size() == 1 && is_config(method.request.front());
    if (!good || !method.response.empty()) {
      findings_.add({.place = place,
                     .code = "bad-configure",
                     .what = "'" + method.name + "' cannot have the role 'configure'",
                     .needed = "the request {\"config\": \"map<string>\"} and no response",
                     .fix = "give it exactly that, or remove the role"});
    }
    if (version_.configure() == nullptr) return;
    findings_.add({.place = place,
                   .code = "bad-configure",
                   .what = "two methods have the role 'configure'",
                   .found = "'" + version_.configure()->name + "' has it already",
                   .fix = "remove the role from one of the two"});
  }

  void check_states() {
    std::vector<std::string> known{std::string(first_state)};
    for (const Method& method : version_.methods) {
      if (!method.to.empty()) known.push_back(method.to);
    }
    for (const Use& use : uses_) {
      if (std::find(known.begin(), known.end(), use.state) != known.end()) continue;
      findings_.add({.place = use.place,
                     .code = "unknown-state",
                     .what = "no method leads to the state '" + use.state + "'",
                     .needed = enumerate(known),
                     .fix = did_you_mean(use.state, known, "add \"to\" to the method that does")});
    }
  }

  void add_no_methods() {
    findings_.add({.place = spec_.place("methods"),
                   .code = "empty-definition",
                   .what = "the kind has no methods",
                   .fix = "add at least one"});
  }

  ObjectReader spec_;
  Kind& kind_;
  KindVersion& version_;
  TypeScope scope_;
  Findings& findings_;
  std::vector<Use> uses_{};
};

}  // namespace

void read_kind_version(const JsonValue& spec, const Documents& documents, Kind& kind,
                       KindVersion& version, Findings& findings) {
  KindReader(spec, documents, kind, version, findings).read();
}

void read_document_version(const JsonValue& spec, const Documents& documents,
                           DocumentVersion& version, Findings& findings) {
  const ObjectReader object(spec, "a document type",
                            {"type", "version", "doc", "life", "enums", "structs", "fields"},
                            findings);
  const TypeScope scope{version, version.document->domain, documents};
  version.doc = object.text("doc");
  version.life = read_life(object, true, findings);
  read_local_types(object, scope, true, findings);
  object.required("fields");
  if (const JsonValue::Object* fields = object.optional_object("fields")) {
    version.fields = read_fields(*fields, TypeUse::value, {"bag", "raw"}, scope, findings);
  }
}

}  // namespace tenon::gen
