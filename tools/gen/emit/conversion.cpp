// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/conversion.hpp"

#include <string>
#include <vector>

#include "gen/emit/cpp_literal.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/model/layout.hpp"

namespace tenon::gen {
namespace {

/// Returns the template that converts the elements of lists, maps and optionals.
std::string_view container_conversion(Shape shape) {
  switch (shape) {
    case Shape::list:
      return "tenon::convert_list";
    case Shape::map:
      return "tenon::convert_map";
    default:
      return "tenon::convert_optional";
  }
}

/// A conversion function and its arguments.
struct ConversionCall {
  std::string function;
  std::vector<std::string> arguments;
};

/// The expressions that a conversion uses.
struct Operands {
  std::string call;
  std::string from;
  std::string to;
  int level = 0;  // of nested conversions
};

std::string conversion(const Type& source, const Type& target, const std::string& keep, int level);

ConversionCall conversion_call(const Type& source_type, const Type& target_type,
                               const Operands& operands, const std::string& keep) {
  const Type& source = type_in_c(source_type);
  const Type& target = type_in_c(target_type);
  if (source.shape == Shape::document) {
    return {conversion_name(*source.document, *target.document),
            {operands.call, operands.from, operands.to, keep}};
  }
  const Type& source_element = *source.element;
  const Type& target_element = *target.element;
  return {std::string(container_conversion(source.shape)) + "<" + c_type(source_element) + ", " +
              c_type(target_element) + ">",
          {operands.call, operands.from, operands.to,
           conversion(source_element, target_element, keep, operands.level + 1)}};
}

/// Returns a lambda that converts a value. Its parameters have other names at each level.
std::string conversion(const Type& source, const Type& target, const std::string& keep, int level) {
  const std::string number = std::to_string(level);
  const Operands parameters{"call" + number, "from" + number, "to" + number, level};
  const ConversionCall inner = conversion_call(source, target, parameters, keep);
  std::string arguments;
  for (const std::string& argument : inner.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  return "[](tenon_call* " + parameters.call + ", const auto& " + parameters.from + ", auto& " +
         parameters.to + ") { return " + inner.function + "(" + arguments + "); }";
}

/// Whether the C++ literal is also the raw form.
bool is_number(Shape shape) noexcept {
  return shape <= Shape::float64;
}

/// Whether two types with the same layout have different names in C, eg: structs of two versions.
bool differs_by_name(const Type& source, const Type& target) {
  return c_type(source) != c_type(target) && source.shape != Shape::enumeration;
}

}  // namespace

void emit_assignment(Writer& out, const std::string& to, const Type& target,
                     const std::string& from, const Type& source, TypeMatch match, bool comes_back,
                     const std::vector<std::string>& otherwise) {
  if (match == TypeMatch::convertible) {
    const ConversionCall call =
        conversion_call(source, target, {"call", from, to},
                        comes_back ? "tenon::Keep::everything" : "tenon::Keep::nothing");
    out.list("if (const tenon_status converted = " + call.function + "(", call.arguments, ");");
    out.line("    converted != TENON_OK) {");
    for (const std::string& statement : otherwise) out.line("  ", statement);
    out.line("}");
  } else if (!differs_by_name(source, target)) {
    out.line(to, " = ", from, ";");
  } else if (target.shape == Shape::optional) {
    out.line(to, " = reinterpret_cast<", c_type(target), ">(", from, ");");
  } else {
    out.line("static_assert(sizeof ", to, " == sizeof ", from, ");");
    out.line("std::memcpy(&", to, ", &", from, ", sizeof ", to, ");");
  }
}

void emit_constant(Writer& out, const std::string& to, const Type& target, const JsonValue& value) {
  const std::string literal = cpp_literal(value, target);
  if (is_number(target.shape)) return out.assign(to, literal);
  out.list(to + " = " + value_type(target) + "::raw<tenon::Copy::deep>(", {"call", literal}, ");");
}

}  // namespace tenon::gen
