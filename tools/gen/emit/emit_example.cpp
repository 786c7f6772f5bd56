// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_example.hpp"

#include <algorithm>
#include <vector>

#include "gen/emit/c_header.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/emit/emit_rust.hpp"
#include "gen/emit/emit_sdk.hpp"
#include "gen/emit/writer.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

/// Returns the methods that an example implements.
std::vector<const Method*> implemented(const KindVersion& version) {
  std::vector<const Method*> methods;
  for (const Method& method : version.methods) {
    if (method.required) methods.push_back(&method);
  }
  const auto first = std::find_if(version.methods.begin(), version.methods.end(),
                                  [](const Method& method) { return !method.configures; });
  if (methods.empty() && first != version.methods.end()) methods.push_back(&*first);
  return methods;
}

/// Writes a function with the prefix of the kind, because a method may be named as a function of
/// the standard library.
void emit_c_function(Writer& out, const KindVersion& version, const Method& method) {
  const std::string response = response_name(version, method);
  bool takes_streams = false;
  out.list("static tenon_status " + version.kind->name + "_" + method.name + "(",
           c_parameters(version, method), ") {");
  out.indented([&] {
    if (method.response.empty()) {
      out.line("(void)call;");
    } else {
      out.line(response, " *response = tenon_allocate_zeroed(call, sizeof *response);");
    }
    out.line("(void)self;");
    for (const Field& field : method.request) {
      if (!is_stream(field.type) || !field.added.empty()) continue;
      if (!takes_streams) {
        out.line("/* A method that succeeds owns the streams of its request. */");
      }
      takes_streams = true;
      const std::string stream = "in->" + field.name;
      out.line(field.type.shape == Shape::optional ? "if (" + stream + " != NULL) " : "", stream,
               "->release(", stream, ");");
    }
    if (!takes_streams) out.line("(void)in;");
    if (!method.response.empty()) {
      out.line("response->struct_size = sizeof *response;");
      out.line("*out = response;");
    }
    out.line("return TENON_OK;");
  });
  out.line("}");
  out.line();
}

}  // namespace

const KindVersion& recommended(const Kind& kind) {
  for (auto version = kind.versions.rbegin(); version != kind.versions.rend(); ++version) {
    if (!(*version)->draft()) return **version;
  }
  return kind.latest();
}

std::string example_in_c(const ExamplePlugin& plugin) {
  const KindVersion& version = recommended(plugin.kind);
  const std::string prefix = version.c_name.substr(0, version.c_name.rfind("_v"));
  std::vector<std::string> members = {upper_case(version.c_name) + "_BASE"};
  Writer out;
  out.line("#include <", version.header, ">");
  out.line();
  for (const Method* method : implemented(version)) {
    emit_c_function(out, version, *method);
    members.push_back("." + method->name + " = " + plugin.kind.name + "_" + method->name);
  }
  out.line("/* Methods that are not listed return `unimplemented`. */");
  out.list("static const " + version.c_name + " vtable = {", members, "};");
  out.line();
  out.line("#define PLUGINS(P) P(", prefix, ", ", version.number, ", \"", plugin.name,
           "\", &vtable)");
  out.line("TENON_MODULE(\"", plugin.name, "\", \"", plugin.version, "\", PLUGINS, {});");
  return out.text();
}

std::string example_in_cpp(const ExamplePlugin& plugin) {
  const KindVersion& version = recommended(plugin.kind);
  std::string text = "#include <" + sdk_header(plugin.kind) +
                     ">\n\nstruct Example : " + plugin.kind.space +
                     "::sdk::" + local_name(version) + " {\n";
  for (const Method* method : implemented(version)) text += sdk_override(version, *method);
  return text + "};\nTENON_PLUGIN(Example, \"" + plugin.name + "\", \"" + plugin.version + "\");\n";
}

std::string example_in_rust(const ExamplePlugin& plugin, const std::string& crate) {
  const KindVersion& version = recommended(plugin.kind);
  const std::string trait =
      crate + "::" + rust_identifier(plugin.kind.space) + "::" + local_name(version);
  std::string text = R"(struct Example;

tenon::implement! {
    impl tenon::Plugin for Example {
        fn create(_call: &tenon::Call<'_>, _name: &str) -> tenon::Result<Self> {
            Ok(Example)
        }
    }
}

// Methods that are not listed return `unimplemented`.
tenon::implement! {
    impl )" + trait + " for Example {\n";
  std::string methods;
  for (const Method* method : implemented(version)) {
    methods += (methods.empty() ? "" : "\n") + rust_override(version, *method, crate);
  }
  return text + methods + R"(    }
}

tenon::module! {
    name: ")" +
         plugin.name + "\",\n    version: \"" + plugin.version + "\",\n    plugins: [\"" +
         plugin.name + "\" => Example as " + trait + R"(],
    // It starts no threads, so it can be unloaded.
    details: r#"{"threads": "joined"}"#,
}
)";
}

std::string example_test(const ExamplePlugin& plugin) {
  return "#include <" + interface_header(plugin.kind) +
         ">\n#include <tenon/sdk/testing.hpp>\n\nint main() {\n"
         "  tenon::Host host(tenon::sdk::testing::options(PLUGIN));\n"
         "  auto example = host.create<" +
         plugin.kind.space + "::" + camel_case(plugin.kind.name) + ">(\"" + plugin.name +
         "\").value();\n  // Call methods of `example`, and compare the results.\n}\n";
}

}  // namespace tenon::gen
