// SPDX-License-Identifier: BSL-1.0
#include "gen/read/spec_reader.hpp"

#include <algorithm>
#include <utility>

#include "gen/read/field_reader.hpp"

namespace tenon::gen {
namespace {

constexpr std::string_view first_state = "created";

/// Reads one version of a kind.
class KindReader {
 public:
  KindReader(const JsonValue& json, const Documents& documents, Kind& kind, KindVersion& version,
             Diagnostics& diagnostics)
      : spec_(json, "a kind",
              {"kind", "version", "doc", "life", "restart", "properties", "enums", "structs",
               "methods"},
              diagnostics),
        kind_(kind),
        version_(version),
        scope_{version, kind.domain, documents},
        diagnostics_(diagnostics) {}

  void read() {
    version_.doc = spec_.text("doc");
    version_.life = read_life(spec_, false, diagnostics_);
    read_restart();
    read_local_types(spec_, scope_, false, diagnostics_);
    read_properties();
    // Names of other members of the vtable and of the C++ class.
    Names names("method", NameUse::member,
                {"struct_size", "version", "reserved", "base", "kind", "save_state",
                 "restore_state", "suspend", "resume"},
                diagnostics_);
    if (const JsonValue::Array* methods = spec_.array("methods")) {
      for (const JsonValue& method : *methods) read_method(method, names);
      if (methods->empty()) add_no_methods();
    }
    check_states();
  }

 private:
  /// A state in which a method may be called.
  struct StateUse {
    std::string state;
    SourceLocation location;
  };

  void read_restart() {
    const bool session = spec_.optional_word("restart", {"overlap", "session"}) == "session";
    if (kind_.versions.front().get() == &version_) {
      kind_.session = session;
    } else if (kind_.session != session) {
      diagnostics_.add({.location = spec_.location("restart"),
                        .code = "wrong-restart",
                        .message = "this version has another restart mode than version " +
                                   std::to_string(kind_.versions.front()->number),
                        .found = session ? "session" : "overlap",
                        .needed = kind_.session ? "session" : "overlap",
                        .fix = "use the same mode in all versions, or create a new kind"});
    }
  }

  void read_properties() {
    const JsonValue::Object* properties = spec_.optional_object("properties");
    if (properties == nullptr) return;
    Names names("property", NameUse::part, {}, diagnostics_);
    for (const JsonMember& member : *properties) {
      names.add(member.key, member.location);
      Property property{.name = member.key};
      const JsonValue* type = &member.value;
      if (type->text() == nullptr) {
        const ObjectReader object(*type, "a property", {"type", "doc"}, diagnostics_);
        type = object.required("type");
        property.doc = object.optional_text("doc");
      }
      if (type == nullptr) continue;
      if (auto known = read_type(*type, TypeUse::property, scope_, diagnostics_)) {
        property.type = std::move(*known);
        version_.properties.push_back(std::move(property));
      }
    }
  }

  void read_method(const JsonValue& value, Names& names) {
    const ObjectReader object(value, "a method",
                              {"name", "doc", "role", "threading", "required", "blocks", "from",
                               "to", "request", "response"},
                              diagnostics_);
    Method method{.name = object.text("name"), .doc = object.text("doc")};
    method.location = object.location("name");
    if (!method.name.empty()) names.add(method.name, method.location);
    method.configures = !object.optional_word("role", {"configure"}).empty();
    const std::string threading = object.word("threading", {"any", "serial", "main"});
    method.threading = threading == "any"      ? Threading::any
                       : threading == "serial" ? Threading::serial
                                               : Threading::main;
    method.required = object.boolean("required");
    method.blocks = object.optional_text("blocks");
    read_states(object, method);
    method.request = read_message(object, "request", TypeUse::request);
    method.response = read_message(object, "response", TypeUse::response);
    if (method.configures) check_configure(method, object.location("role"));
    version_.methods.push_back(std::move(method));
  }

  void read_states(const ObjectReader& object, Method& method) {
    method.to = object.optional_text("to");
    if (!method.to.empty()) {
      check_name(method.to, object.location("to"), "state", NameUse::part, diagnostics_);
    }
    const JsonValue::Array* from = object.optional_array("from");
    if (from == nullptr) return;
    Names names("state", NameUse::part, {}, diagnostics_);
    method.from.emplace();
    for (const JsonValue& value : *from) {
      const std::string state = read_text(value, "a state", diagnostics_);
      if (state.empty()) continue;
      names.add(state, value.location);
      method.from->push_back(state);
      uses_.push_back({state, value.location});
    }
    if (!from->empty()) return;
    diagnostics_.add({.location = object.location("from"),
                      .code = "empty-definition",
                      .message = "'" + method.name + "' cannot be called in any state",
                      .fix = "name the states, or remove 'from' to allow any state"});
  }

  std::vector<Field> read_message(const ObjectReader& method, std::string_view key, TypeUse use) {
    const JsonValue::Object* fields = method.optional_object(key);
    if (fields == nullptr) return {};
    std::vector<Field> message = read_fields(*fields, use, {"struct_size"}, scope_, diagnostics_);
    if (use == TypeUse::response && !message.empty() && !message.front().added.empty()) {
      diagnostics_.add({.location = message.front().location,
                        .code = "bad-added",
                        .message = "a response cannot be added to a released method",
                        .needed = "a first field that is not \"added\"",
                        .fix = "write a new version of the kind"});
    }
    return message;
  }

  void check_configure(const Method& method, const SourceLocation& location) {
    const auto is_config = [](const Field& field) {
      return field.name == "config" && to_text(field.type) == "map<string>";
    };
    const bool good = method.request.size() == 1 && is_config(method.request.front());
    if (!good || !method.response.empty()) {
      diagnostics_.add({.location = location,
                        .code = "bad-configure",
                        .message = "'" + method.name + "' cannot have the role 'configure'",
                        .needed = "the request {\"config\": \"map<string>\"} and no response",
                        .fix = "give it this request and no response, or remove the role"});
    }
    if (version_.configure() == nullptr) return;
    diagnostics_.add({.location = location,
                      .code = "bad-configure",
                      .message = "two methods have the role 'configure'",
                      .found = "'" + version_.configure()->name + "' has it already",
                      .fix = "remove the role from one of the two"});
  }

  void check_states() {
    std::vector<std::string> known{std::string(first_state)};
    for (const Method& method : version_.methods) {
      if (!method.to.empty()) known.push_back(method.to);
    }
    for (const StateUse& use : uses_) {
      if (std::find(known.begin(), known.end(), use.state) != known.end()) continue;
      diagnostics_.add(
          {.location = use.location,
           .code = "unknown-state",
           .message = "no method leads to the state '" + use.state + "'",
           .needed = enumerate(known),
           .fix = did_you_mean(use.state, known, "add \"to\" to the method that leads to it")});
    }
  }

  void add_no_methods() {
    diagnostics_.add({.location = spec_.location("methods"),
                      .code = "empty-definition",
                      .message = "the kind has no methods",
                      .fix = "add at least one"});
  }

  ObjectReader spec_;
  Kind& kind_;
  KindVersion& version_;
  TypeScope scope_;
  Diagnostics& diagnostics_;
  std::vector<StateUse> uses_{};
};

}  // namespace

void read_kind_version(const JsonValue& spec, const Documents& documents, Kind& kind,
                       KindVersion& version, Diagnostics& diagnostics) {
  KindReader(spec, documents, kind, version, diagnostics).read();
}

void read_document_version(const JsonValue& spec, const Documents& documents,
                           DocumentVersion& version, Diagnostics& diagnostics) {
  const ObjectReader object(spec, "a document type",
                            {"type", "version", "doc", "life", "enums", "structs", "fields"},
                            diagnostics);
  TypeScope scope{version, version.document->domain, documents};
  version.doc = object.text("doc");
  version.life = read_life(object, true, diagnostics);
  read_local_types(object, scope, true, diagnostics);
  object.required("fields");
  if (const JsonValue::Object* fields = object.optional_object("fields")) {
    version.fields =
        read_fields(*fields, TypeUse::value, {"bag", "for_each_field", "raw"}, scope, diagnostics);
  }
}

}  // namespace tenon::gen
