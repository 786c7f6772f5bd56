// SPDX-License-Identifier: BSL-1.0
//
// Each version of a kind is a trait, whose methods take views or owned values and return owned
// values. A function for each slot of the vtable converts between them and the structs of the ABI,
// which are in the module `raw`.
//
// Methods have the fields with which the version was released: a field that is added later must not
// change the signature of a method.
#include "gen/emit/emit_rust.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/writer.hpp"
#include "gen/model/layout.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

constexpr std::size_t step = 4;

// -- Names --------------------------------------------------------------------

/// Returns a name of a spec as an identifier.
std::string identifier(const std::string& name) {
  static const std::set<std::string_view> keywords = {
      "abstract", "as",     "async",   "await",  "become",  "box",      "break", "const",
      "continue", "do",     "dyn",     "else",   "enum",    "extern",   "false", "final",
      "fn",       "for",    "gen",     "if",     "impl",    "in",       "let",   "loop",
      "macro",    "match",  "mod",     "move",   "mut",     "override", "priv",  "pub",
      "ref",      "return", "static",  "struct", "trait",   "true",     "try",   "type",
      "typeof",   "unsafe", "unsized", "use",    "virtual", "where",    "while", "yield"};
  static const std::set<std::string_view> never = {"self", "super", "crate"};
  if (never.count(name) != 0) return name + "_";
  return keywords.count(name) != 0 ? "r#" + name : name;
}

/// Returns the name of a parameter, which is none of the variables of generated functions.
std::string parameter(const Field& field) {
  static const std::set<std::string_view> used = {"call", "instance", "request", "response",
                                                  "result"};
  return used.count(field.name) != 0 ? field.name + "_" : identifier(field.name);
}

/// Returns the variants of an enum.
std::vector<std::string> variants(const Enum& enumeration) {
  std::vector<std::string> names;
  for (const std::string& value : enumeration.values) {
    const std::string name = camel_case(value);
    names.push_back(name == "Self" ? "Self_" : name);
  }
  return names;
}

/// Returns the path of an enum, struct or document from a module of a domain.
std::string path_of(const std::string& cpp_name, const std::string& module = {}) {
  const std::size_t colons = cpp_name.find("::");
  return "super::" + identifier(cpp_name.substr(0, colons)) + "::" + module + local_name(cpp_name);
}

std::string path_of(const Type& type, const std::string& module = {}) {
  if (type.shape == Shape::structure) return path_of(type.structure->cpp_name, module);
  return path_of(cpp_name(*type.document), module);
}

// -- Types --------------------------------------------------------------------

bool is_text(const Type& type) {
  return type.shape == Shape::string || type.shape == Shape::json;
}

/// Returns the type of a number or bool; empty for other types.
std::string_view number(Shape shape) {
  switch (shape) {
    case Shape::boolean:
      return "bool";
    case Shape::int8:
      return "i8";
    case Shape::int16:
      return "i16";
    case Shape::int32:
      return "i32";
    case Shape::int64:
    case Shape::duration:
    case Shape::timestamp:
      return "i64";
    case Shape::uint8:
      return "u8";
    case Shape::uint16:
      return "u16";
    case Shape::uint32:
      return "u32";
    case Shape::uint64:
      return "u64";
    case Shape::float32:
      return "f32";
    case Shape::float64:
      return "f64";
    default:
      return {};
  }
}

/// Returns the type that owns a value.
std::string owned(const Type& type) {
  switch (type.shape) {
    case Shape::string:
    case Shape::json:
      return "String";
    case Shape::bytes:
    case Shape::buffer:
      return "Vec<u8>";
    case Shape::reader:
      return "::tenon::Reader";
    case Shape::writer:
      return "::tenon::Writer";
    case Shape::list:
      return "Vec<" + owned(*type.element) + ">";
    case Shape::map:
      return "::std::collections::BTreeMap<String, " + owned(*type.element) + ">";
    case Shape::optional:
      return "Option<" + owned(*type.element) + ">";
    case Shape::enumeration:
      return path_of(type.enumeration->cpp_name);
    case Shape::structure:
    case Shape::document:
      return path_of(type);
    default:
      return std::string(number(type.shape));
  }
}

/// Returns the type of a parameter of a method.
std::string taken(const Type& type) {
  if (is_text(type)) return "&str";
  if (type.shape == Shape::bytes) return "&[u8]";
  if (type.shape == Shape::buffer) return "&mut [u8]";
  return owned(type);
}

/// Returns the type in structs of the ABI, from the module `raw`.
std::string raw(const Type& type) {
  switch (type.shape) {
    case Shape::boolean:
      return "u8";
    case Shape::string:
    case Shape::json:
    case Shape::bytes:
      return "::tenon::abi::Text";
    case Shape::buffer:
      return "::tenon::abi::Buffer";
    case Shape::reader:
      return "*mut ::tenon::abi::Reader";
    case Shape::writer:
      return "*mut ::tenon::abi::Writer";
    case Shape::list:
      return "::tenon::abi::List";
    case Shape::map:
      return "::tenon::abi::Map";
    case Shape::optional:
      return &type_in_c(type) != &type ? raw(*type.element) : "*const " + raw(*type.element);
    case Shape::enumeration:
      return "i32";
    case Shape::structure:
    case Shape::document:
      return "super::" + path_of(type, "raw::");
    default:
      return std::string(number(type.shape));
  }
}

/// Returns whether a type is optional, and its struct in C can state that the value is absent.
bool is_nullable(const Type& type) {
  return type.shape == Shape::optional && &type_in_c(type) != &type;
}

/// Returns the function of the crate that reads or writes a value of this type.
std::string function(const std::string& verb, const Type& type) {
  if (is_nullable(type)) return "::tenon::value::" + verb + "_nullable";
  if (type.shape == Shape::optional) return "::tenon::value::" + verb + "_optional";
  return "::tenon::value::Value::" + verb;
}

/// Returns the expression that reads `from`, a place of the raw type.
std::string read(const Type& type, const std::string& from) {
  const bool is_pointer = type.shape == Shape::optional && !is_nullable(type);
  return function("read", type) + "(" + (is_pointer ? "" : "&") + from + ")?";
}

/// Returns the expression for the raw form of `from`.
std::string write(const Type& type, const std::string& from) {
  if (is_stream(type)) {
    if (type.shape != Shape::optional) return from + ".into_raw()";
    const bool reads = type.element->shape == Shape::reader;
    return std::string(reads ? "::tenon::optional_reader(" : "::tenon::optional_writer(") + from +
           ")";
  }
  return function("write", type) + "(&" + from + ", call)";
}

// -- Structs, enums and documents ---------------------------------------------

std::vector<Field> with_bag(std::vector<Field> fields, bool bag) {
  if (!bag) return fields;
  Type bytes{Shape::bytes};
  Type optional{Shape::optional, std::make_shared<const Type>(bytes)};
  fields.push_back({"bag", optional,
                    "Fields of other versions that this version does not have, as JSON. Copied "
                    "unchanged."});
  return fields;
}

/// The fields with which a version was released.
std::vector<Field> original(const std::vector<Field>& fields) {
  std::vector<Field> kept;
  for (const Field& field : fields) {
    if (field.added.empty()) kept.push_back(field);
  }
  return kept;
}

/// The text of the module of one domain, and of the module `raw` in it.
class Domain {
 public:
  void add(const Version& version) {
    for (const auto& enumeration : version.enums) add(*enumeration);
    for (const auto& structure : version.structs) {
      add_struct(local_name(structure->cpp_name), structure->doc,
                 with_bag(structure->fields, structure->bag), layout_of(*structure));
    }
  }
  void add_document(const DocumentVersion& version) {
    add_struct(local_name(version), version.doc, with_bag(version.fields, true),
               layout_of(version));
  }
  void add_kind(const KindVersion& version);

  /// Appends the module to `out`.
  void write_to(Writer& out, const std::string& name) const {
    out.line();
    out.line("pub mod ", identifier(name), " {");
    out.indented([&] {
      for (const auto& text : text_) text(out);
      out.doc("The structs of the C headers.");
      out.line("#[doc(hidden)]");
      out.line("pub mod raw {");
      out.indented([&] {
        for (const auto& text : raw_) text(out);
      });
      out.line("}");
    });
    out.line("}");
  }

 private:
  using Text = std::function<void(Writer&)>;

  void add(const Enum& enumeration);
  void add_struct(const std::string& name, const std::string& doc, const std::vector<Field>& fields,
                  const StructLayout& layout);
  void add_raw(const std::string& name, const std::string& first, const std::vector<Field>& fields,
               std::size_t size);
  void add_messages(const KindVersion& version, const Method& method);

  std::vector<Text> text_{};
  std::vector<Text> raw_{};
};

void Domain::add(const Enum& enumeration) {
  text_.emplace_back([&enumeration](Writer& out) {
    const std::string name = local_name(enumeration.cpp_name);
    const std::vector<std::string> names = variants(enumeration);
    out.doc(enumeration.doc);
    out.line("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]");
    out.line("pub enum ", name, " {");
    out.indented([&] {
      out.line("#[default]");
      for (const std::string& variant : names) out.line(variant, ",");
    });
    out.line("}");
    out.line();
    out.line("unsafe impl ::tenon::value::Value for ", name, " {");
    out.indented([&] {
      out.line("type Raw = i32;");
      out.line("unsafe fn read(raw: &i32) -> ::tenon::Result<Self> {");
      out.indented([&] {
        out.line("Ok(match *raw {");
        out.indented([&] {
          for (std::size_t i = 0; i < names.size(); ++i) out.line(i, " => Self::", names[i], ",");
          out.line("other => return Err(::tenon::value::unknown_value(\"", enumeration.name,
                   "\", other)),");
        });
        out.line("})");
      });
      out.line("}");
      out.line("fn write(&self, _: &::tenon::Call<'_>) -> i32 {");
      out.indented([&] { out.line("*self as i32"); });
      out.line("}");
    });
    out.line("}");
    out.line("impl ::tenon::value::Element for ", name, " {}");
    out.line();
  });
}

void Domain::add_struct(const std::string& name, const std::string& doc,
                        const std::vector<Field>& fields, const StructLayout& layout) {
  text_.emplace_back([=](Writer& out) {
    out.doc(doc);
    out.line("#[derive(Clone, Debug, Default, PartialEq)]");
    out.line("pub struct ", name, " {");
    out.indented([&] {
      for (const Field& field : fields) {
        out.doc(field.doc);
        out.line("pub ", identifier(field.name), ": ", owned(field.type), ",");
      }
    });
    out.line("}");
    out.line();
    out.line("unsafe impl ::tenon::value::Value for ", name, " {");
    out.indented([&] {
      out.line("type Raw = raw::", name, ";");
      out.line("unsafe fn read(raw: &Self::Raw) -> ::tenon::Result<Self> {");
      out.indented([&] {
        out.line("Ok(Self {");
        out.indented([&] {
          for (const Field& field : fields) {
            const std::string member = identifier(field.name);
            out.line(member, ": ", read(field.type, "raw." + member), ",");
          }
        });
        out.line("})");
      });
      out.line("}");
      out.line("fn write(&self, call: &::tenon::Call<'_>) -> Self::Raw {");
      out.indented([&] {
        out.line("raw::", name, " {");
        out.indented([&] {
          for (const Field& field : fields) {
            const std::string member = identifier(field.name);
            out.line(member, ": ", write(field.type, "self." + member), ",");
          }
        });
        out.line("}");
      });
      out.line("}");
    });
    out.line("}");
    out.line("impl ::tenon::value::Element for ", name, " {}");
    out.line();
  });
  add_raw(name, "", fields, layout.whole.size);
}

void Domain::add_raw(const std::string& name, const std::string& first,
                     const std::vector<Field>& fields, std::size_t size) {
  raw_.emplace_back([=](Writer& out) {
    out.line("#[repr(C)]");
    out.line("#[derive(Clone, Copy)]");
    out.line("pub struct ", name, " {");
    out.indented([&] {
      if (!first.empty()) out.line(first);
      for (const Field& field : fields) {
        out.line("pub ", identifier(field.name), ": ", raw(field.type), ",");
      }
    });
    out.line("}");
    out.line("const _: () = assert!(::std::mem::size_of::<", name, ">() == ", size, ");");
  });
}

// -- Kinds --------------------------------------------------------------------

/// The names of one method of a version.
struct MethodNames {
  std::string method;    // "read_batch"
  std::string function;  // of its slot: "tenon_source_v2_read_batch"
  std::string request;   // "SourceV2ReadBatchRequest"; empty without fields
  std::string response;  // empty without a response
  std::string result;    // "()", the type of the only field, or "SourceV2StopResult"
  std::vector<Field> taken;
  std::vector<Field> given;

  MethodNames(const KindVersion& version, const Method& of)
      : method(identifier(of.name)),
        function(version.c_name + "_" + of.name),
        taken(original(of.request)),
        given(original(of.response)) {
    const std::string name = local_name(version) + camel_case(of.name);
    if (!taken.empty()) request = name + "Request";
    if (!of.response.empty()) response = name + "Response";
    result = given.empty() ? "()" : given.size() == 1 ? owned(given.front().type) : name + "Result";
  }

  /// The type of the slot; the structs are in `module`.
  std::string slot(const std::string& module) const {
    const std::string in = request.empty() ? "::std::ffi::c_void" : module + request;
    if (response.empty()) return "::tenon::abi::Method<" + in + ">";
    return "::tenon::abi::Query<" + in + ", " + module + response + ">";
  }
};

void Domain::add_messages(const KindVersion& version, const Method& method) {
  const MethodNames names(version, method);
  const std::string first = "pub struct_size: usize,";
  if (!names.request.empty()) {
    add_raw(names.request, first, names.taken, layout_of_message(names.taken).whole.size);
  }
  if (!names.response.empty()) {
    add_raw(names.response, first, names.given, layout_of_message(names.given).whole.size);
  }
}

std::string rules(const Method& method) {
  static constexpr std::string_view threading[] = {"any thread", "one call at a time",
                                                   "main thread"};
  std::string text(threading[static_cast<std::size_t>(method.threading)]);
  if (!method.blocks.empty()) text += ", blocks until " + method.blocks;
  return " (" + text + ")";
}

std::vector<std::string> parameters(const Method& method, const MethodNames& names) {
  std::vector<std::string> texts = {"&self", "call: &::tenon::Call<'_>"};
  for (const Field& field : names.taken) {
    texts.push_back(parameter(field) + ": " +
                    (method.configures ? "&::tenon::Config" : taken(field.type)));
  }
  return texts;
}

void emit_method(Writer& out, const Method& method, const MethodNames& names) {
  out.doc(method.doc + rules(method));
  for (const Field& field : names.taken) {
    if (!field.doc.empty()) out.doc(field.name + ": " + field.doc);
  }
  if (names.given.size() == 1 && !names.given.front().doc.empty()) {
    out.doc("Returns " + names.given.front().name + ": " + names.given.front().doc);
  }
  const std::string end = ") -> ::tenon::Result<" + names.result + ">";
  out.list("fn " + names.method + "(", parameters(method, names),
           end + (method.required ? ";" : " {"));
  if (method.required) return;
  out.indented([&] {
    std::vector<std::string> unused = {"call"};
    for (const Field& field : names.taken) unused.push_back(parameter(field));
    const bool several = unused.size() > 1;
    out.list(several ? "let _ = (" : "let _ = ", unused, several ? ");" : ";");
    out.line("Err(::tenon::Error::unimplemented(\"", method.name, "\"))");
  });
  out.line("}");
}

void emit_slot(Writer& out, const std::string& trait, const Method& method,
               const MethodNames& names) {
  const std::string some = "Some(" + names.function + "::<Self>)";
  if (method.required) return out.line(names.method, ": ", some, ",");
  out.line(names.method, ": if ::tenon::abi::contains(<Self as ", trait, ">::METHODS, \"",
           names.method, "\") {");
  out.indented([&] { out.line(some); });
  out.line("} else {");
  out.indented([&] { out.line("None"); });
  out.line("},");
}

std::string argument(const Method& method, const Field& field) {
  const std::string name = parameter(field);
  const std::string from = "request." + identifier(field.name);
  if (method.configures) return "&::tenon::Config::new(" + read(field.type, from) + ")";
  if (is_text(field.type)) return "::tenon::value::text(" + from + ", \"" + field.name + "\")?";
  if (field.type.shape == Shape::bytes) return from + ".bytes()";
  if (field.type.shape == Shape::buffer) return "::tenon::value::buffer(" + from + ")";
  if (is_stream(field.type)) {
    if (field.type.shape == Shape::optional) return name + ".optional()";
    return name + (field.type.shape == Shape::reader ? ".reader()?" : ".writer()?");
  }
  return read(field.type, from);
}

void emit_response(Writer& out, const MethodNames& names) {
  out.line("*response = call.keep(raw::", names.response, " {");
  out.indented([&] {
    out.line("struct_size: ::std::mem::size_of::<raw::", names.response, ">(),");
    for (const Field& field : names.given) {
      const std::string member = identifier(field.name);
      const std::string value = names.given.size() > 1 ? "result." + member : "result";
      out.line(member, ": ", write(field.type, value), ",");
    }
  });
  out.line("});");
}

void emit_function(Writer& out, const std::string& trait, const Method& method,
                   const MethodNames& names) {
  const bool reads = !names.request.empty();
  std::vector<std::string> parameters = {
      "call: *mut ::tenon::abi::Call", "instance: *mut ::std::ffi::c_void",
      reads ? "request: *const raw::" + names.request : "_request: *const ::std::ffi::c_void"};
  if (!names.response.empty()) {
    parameters.push_back("response: *mut *const raw::" + names.response);
  }
  out.list("unsafe extern \"C\" fn " + names.function + "<P: " + trait + ">(", parameters,
           ") -> i32 {");
  out.indented([&] {
    out.line("::tenon::guarded(call, |call| {");
    out.indented([&] {
      if (reads) out.line("let request = &*request;");
      for (const Field& field : names.taken) {
        if (!is_stream(field.type)) continue;
        out.line("let ", parameter(field), " = ::tenon::Borrowed::new(request.",
                 identifier(field.name), ");");
      }
      std::vector<std::string> arguments = {"&*instance.cast::<P>()", "call"};
      for (const Field& field : names.taken) arguments.push_back(argument(method, field));
      out.list((names.given.empty() ? "" : "let result = ") + trait + "::" + names.method + "(",
               arguments, ")?;");
      for (const Field& field : names.taken) {
        if (is_stream(field.type)) out.line(parameter(field), ".own();");
      }
      if (!names.response.empty()) emit_response(out, names);
      out.line("Ok(())");
    });
    out.line("})");
  });
  out.line("}");
  out.line();
}

void emit_result(Writer& out, const MethodNames& names) {
  if (names.given.size() < 2) return;
  const bool plain = std::none_of(names.given.begin(), names.given.end(),
                                  [](const Field& field) { return is_stream(field.type); });
  out.doc("The result of " + names.method + ".");
  if (plain) out.line("#[derive(Clone, Debug, Default, PartialEq)]");
  out.line("pub struct ", names.result, " {");
  out.indented([&] {
    for (const Field& field : names.given) {
      out.doc(field.doc);
      out.line("pub ", identifier(field.name), ": ", owned(field.type), ",");
    }
  });
  out.line("}");
  out.line();
}

void emit_trait(Writer& out, const KindVersion& version) {
  const std::string trait = local_name(version);
  const std::string number = std::to_string(version.number);
  std::vector<MethodNames> names;
  for (const Method& method : version.methods) names.emplace_back(version, method);

  for (const MethodNames& method : names) emit_result(out, method);
  out.doc(version.doc);
  out.doc("Version " + number + " of " + version.kind->id +
          ". Implement it in `tenon::implement!`.");
  if (version.life.stage == Life::Stage::deprecated) {
    out.doc("Deprecated: " + version.life.message);
  }
  out.line("pub trait ", trait, ": ::tenon::Plugin {");
  out.indented([&] {
    out.doc("The names of the methods. `implement!` sets it.");
    out.line("const METHODS: &'static [&'static str];");
    for (std::size_t i = 0; i < names.size(); ++i) {
      out.line();
      emit_method(out, version.methods[i], names[i]);
    }
    const auto hidden = [&out](const auto&... parts) {
      out.line("#[doc(hidden)]");
      out.line(parts...);
    };
    out.line();
    hidden("const KIND: &'static str = \"", version.kind->id, "\";");
    hidden("const VERSION: i32 = ", number, ";");
    hidden("const FINGERPRINT: u64 = 0x", hex(version.fingerprint), ";");
    hidden("const MANIFEST: &'static str =");
    out.line("    r#\"\"kind\":\"", version.kind->id, "\",\"version\":", number, ",\"spec\":\"",
             hex(version.fingerprint), "\"\"#;");
    hidden("const TABLE: raw::", trait, " = raw::", trait, " {");
    out.indented([&] {
      out.line("struct_size: ::std::mem::size_of::<raw::", trait, ">(),");
      out.line("version: ", number, ",");
      out.line("reserved: 0,");
      out.line("base: &<Self as ::tenon::Plugin>::BASE,");
      for (std::size_t i = 0; i < names.size(); ++i) {
        emit_slot(out, trait, version.methods[i], names[i]);
      }
    });
    out.line("};");
  });
  out.line("}");
  out.line();
  for (std::size_t i = 0; i < names.size(); ++i) {
    emit_function(out, trait, version.methods[i], names[i]);
  }
}

void emit_table(Writer& out, const KindVersion& version) {
  out.line("#[repr(C)]");
  out.line("pub struct ", local_name(version), " {");
  out.indented([&] {
    out.line("pub struct_size: usize,");
    out.line("pub version: i32,");
    out.line("pub reserved: i32,");
    out.line("pub base: &'static ::tenon::abi::Base,");
    for (const Method& method : version.methods) {
      const MethodNames names(version, method);
      out.line("pub ", names.method, ": Option<", names.slot(""), ">,");
    }
  });
  out.line("}");
  out.line("const _: () = assert!(::std::mem::size_of::<", local_name(version),
           ">() == ", layout_of_vtable(version).whole.size, ");");
}

void Domain::add_kind(const KindVersion& version) {
  text_.emplace_back([&version](Writer& out) { emit_trait(out, version); });
  for (const Method& method : version.methods) add_messages(version, method);
  raw_.emplace_back([&version](Writer& out) { emit_table(out, version); });
}

/// Returns a type as it is named in other crates than that of the bindings.
std::string outside(std::string type, const std::string& crate) {
  constexpr std::string_view inside = "super::";
  for (std::size_t at = 0; (at = type.find(inside, at)) != type.npos;) {
    type.replace(at, inside.size(), crate + "::");
  }
  return type;
}

}  // namespace

std::string rust_override(const KindVersion& version, const Method& method,
                          const std::string& crate) {
  const MethodNames names(version, method);
  std::vector<std::string> parameters = {"&self", "_call: &tenon::Call<'_>"};
  for (const Field& field : names.taken) {
    parameters.push_back(
        "_" + field.name + ": " +
        (method.configures ? "&tenon::Config" : outside(taken(field.type), crate)));
  }
  std::string result = outside(names.result, crate);
  if (names.given.size() > 1) {
    result.insert(0, crate + "::" + identifier(version.kind->space) + "::");
  }
  const bool streams = std::any_of(names.given.begin(), names.given.end(),
                                   [](const Field& field) { return is_stream(field.type); });
  Writer out(step);
  out.indented([&] {
    out.indented([&] {
      out.list("fn " + names.method + "(", parameters, ") -> tenon::Result<" + result + "> {");
      out.indented([&] {
        if (streams) {
          out.line("Err(tenon::Error::unimplemented(\"", method.name, "\"))");
        } else {
          out.line(names.given.empty() ? "Ok(())" : "Ok(Default::default())");
        }
      });
      out.line("}");
    });
  });
  return out.text();
}

std::string rust_identifier(const std::string& name) {
  return identifier(name);
}

std::string emit_rust(const Model& model) {
  std::map<std::string, Domain> domains;
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) {
      if (version->removed()) continue;
      domains[document->space].add(*version);
      domains[document->space].add_document(*version);
    }
  }
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) {
      domains[kind->space].add(*version);
      domains[kind->space].add_kind(*version);
    }
  }
  Writer out(step);
  out.line("// Generated by tenon-gen. Do not edit.");
  for (const auto& [name, domain] : domains) domain.write_to(out, name);
  return out.text();
}

}  // namespace tenon::gen
