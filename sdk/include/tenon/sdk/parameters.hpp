// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/parameters.hpp: declares the parameters of a plugin once, to read them into a struct
// and to list them in its specification.
//
//   struct Settings {
//     std::string path;
//     Duration delay{};
//   };
//   constexpr auto settings = tenon::sdk::parameters(
//       tenon::sdk::parameter(&Settings::path, "path", "of the file").required(),
//       tenon::sdk::parameter(&Settings::delay, "delay", "before each record").otherwise("1s"));
//
//   settings_ = settings.read(config);                               // in configure
//   specification.source_parameters = settings.specification();      // in specify
#pragma once

#include <tenon/parameter.hpp>
#include <tenon/sdk/config.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tenon::sdk {

/// A value of an enum and the word for it in configurations.
template <class T>
struct Word {
  std::string_view text;
  T value;
};

/// A parameter and the member of S that it is read into: a std::string, a number, a bool, a
/// Duration, an enum with `one_of`, or a type with a specialisation of Parameter. Strings that it
/// is given must outlive it. Each of the functions that return a DeclaredParameter returns a
/// changed copy.
template <class S, class T>
class DeclaredParameter {
 public:
  /// See `parameter`.
  constexpr DeclaredParameter(T S::*member, std::string_view name, std::string_view description)
      : member_(member), name_(name), description_(description) {}

  /// Makes the parameter required.
  constexpr DeclaredParameter required() const {
    DeclaredParameter changed(*this);
    changed.required_ = true;
    return changed;
  }
  /// Sets the default, in the form of a configuration. Without a default the member keeps its
  /// initial value if the parameter is absent.
  constexpr DeclaredParameter otherwise(std::string_view text) const {
    DeclaredParameter changed(*this);
    changed.default_ = text;
    return changed;
  }
  /// Sets an exclusive lower bound, in the form of a configuration, eg: "0"
  constexpr DeclaredParameter greater_than(std::string_view bound) const {
    DeclaredParameter changed(*this);
    changed.above_ = bound;
    return changed;
  }
  /// Sets an exclusive upper bound, in the form of a configuration, eg: "1h"
  constexpr DeclaredParameter less_than(std::string_view bound) const {
    DeclaredParameter changed(*this);
    changed.below_ = bound;
    return changed;
  }
  /// Sets the valid words of an enum. The array must outlive the parameter.
  template <std::size_t count>
  constexpr DeclaredParameter one_of(const Word<T> (&words)[count]) const {
    DeclaredParameter changed(*this);
    changed.words_ = words;
    changed.word_count_ = count;
    return changed;
  }
  /// Declares that the text is the path of a file that exists.
  constexpr DeclaredParameter file() const {
    static_assert(std::is_same_v<T, std::string>, "the path of a file is read into a std::string");
    DeclaredParameter changed(*this);
    changed.file_ = true;
    return changed;
  }

  /// Keeps the value, such as a password, out of messages.
  constexpr DeclaredParameter sensitive() const {
    DeclaredParameter changed(*this);
    changed.sensitive_ = true;
    return changed;
  }

  /// Reads the parameter into its member. Returns an error message; empty on success.
  std::string read(const Config& config, S& into) const {
    std::string given = config.get(name_, "");
    if (given.empty()) given = default_;
    if (given.empty()) return required_ ? text("parameter \"", name_, "\" is required") : "";
    std::optional<T> value = parse(given);
    if (!value) return wrong(given, expected());
    if (is_outside(*value)) return wrong(given, expected_range());
    into.*member_ = *std::move(value);
    return {};
  }

  /// Returns the key of the parameter in the configuration.
  std::string_view name() const { return name_; }

  /// Returns the description of the parameter for a specification.
  ParameterV2 specification() const {
    using Rule = ParameterV2::Rule;
    ParameterV2 parameter;
    parameter.default_value = default_;
    parameter.description = description_;
    parameter.sensitive = sensitive_;
    parameter.type = file_ ? ParameterV2::Type::File : type();
    if (required_) parameter.validations.push_back({Rule::Required, {}});
    if (!above_.empty()) parameter.validations.push_back({Rule::GreaterThan, std::string(above_)});
    if (!below_.empty()) parameter.validations.push_back({Rule::LessThan, std::string(below_)});
    if (word_count_ > 0) parameter.validations.push_back({Rule::Inclusion, word_list()});
    return parameter;
  }

 private:
  static constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

  static constexpr ParameterV2::Type type() {
    if (std::is_same_v<T, bool>) return ParameterV2::Type::Bool;
    if (std::is_integral_v<T>) return ParameterV2::Type::Int;
    if (std::is_floating_point_v<T>) return ParameterV2::Type::Float;
    if (std::is_same_v<T, Duration>) return ParameterV2::Type::Duration;
    return ParameterV2::Type::String;
  }

  std::optional<T> parse(std::string_view given) const {
    if constexpr (std::is_enum_v<T>) {
      for (std::size_t i = 0; i < word_count_; ++i) {
        if (words_[i].text == given) return words_[i].value;
      }
      return std::nullopt;
    } else {
      return Parameter<T>::parse(given);
    }
  }

  std::string wrong(std::string_view given, std::string_view needed) const {
    const std::string found = sensitive_ ? "(hidden)" : text('"', given, '"');
    return text("parameter \"", name_, "\" is ", found, ", expected ", needed);
  }

  std::string expected() const {
    if constexpr (std::is_enum_v<T>) {
      std::string words;
      for (std::size_t i = 0; i < word_count_; ++i) {
        if (i > 0) words += i + 1 < word_count_ ? ", " : " or ";
        words += words_[i].text;
      }
      return words;
    } else {
      return Parameter<T>::expected();
    }
  }

  std::string expected_range() const {
    if (below_.empty()) return text("more than ", above_);
    if (above_.empty()) return text("less than ", below_);
    return text("more than ", above_, " and less than ", below_);
  }

  bool is_outside(const T& value) const {
    if constexpr (is_number) {
      using Bound = std::conditional_t<std::is_integral_v<T>, long double, T>;
      return is_outside<Bound>(static_cast<Bound>(value));
    } else if constexpr (std::is_same_v<T, Duration>) {
      return is_outside<Duration>(value);
    } else {
      return false;
    }
  }
  template <class Bound>
  bool is_outside(Bound value) const {
    const std::optional<Bound> above = Parameter<Bound>::parse(above_);
    const std::optional<Bound> below = Parameter<Bound>::parse(below_);
    // NaN is outside of each bound.
    return (above && !(value > *above)) || (below && !(value < *below));
  }

  std::string word_list() const {
    std::string list;
    for (std::size_t i = 0; i < word_count_; ++i) {
      list += text(i == 0 ? "" : ", ", '"', words_[i].text, '"');
    }
    return text('[', list, ']');
  }

  T S::*member_;
  std::string_view name_;
  std::string_view description_;
  std::string_view default_;
  std::string_view above_;
  std::string_view below_;
  const Word<T>* words_ = nullptr;
  std::size_t word_count_ = 0;
  bool required_ = false;
  bool file_ = false;
  bool sensitive_ = false;
};

/// Declares a parameter: the member that it is read into, its key in the configuration, and a
/// description for users.
template <class S, class T>
constexpr DeclaredParameter<S, T> parameter(T S::*member, std::string_view name,
                                            std::string_view description) {
  return {member, name, description};
}

/// The parameters of a plugin, which are read into an S. Immutable and thread-safe.
template <class S, class... T>
class DeclaredParameters {
 public:
  /// See `parameters`.
  explicit constexpr DeclaredParameters(const DeclaredParameter<S, T>&... parameters)
      : parameters_(parameters...) {}

  /// Reads the configuration into an S and returns it. Throws Failure with TENON_INVALID_ARGUMENT
  /// and a message that lists all invalid parameters.
  S read(const Config& config) const {
    S settings{};
    std::string errors;
    for_each([&](const auto& parameter) {
      const std::string error = parameter.read(config, settings);
      if (!error.empty()) errors += text(errors.empty() ? "" : "; ", error);
    });
    if (!errors.empty()) fail(TENON_INVALID_ARGUMENT, errors);
    return settings;
  }

  /// Returns the descriptions of all parameters for a specification, by key.
  std::map<std::string, ParameterV2, std::less<>> specification() const {
    std::map<std::string, ParameterV2, std::less<>> all;
    for_each(
        [&](const auto& parameter) { all.emplace(parameter.name(), parameter.specification()); });
    return all;
  }

 private:
  template <class Body>
  void for_each(Body body) const {
    std::apply([&](const auto&... parameter) { (body(parameter), ...); }, parameters_);
  }

  std::tuple<DeclaredParameter<S, T>...> parameters_;
};

/// Declares the parameters of a plugin.
template <class S, class... T>
constexpr DeclaredParameters<S, T...> parameters(const DeclaredParameter<S, T>&... all) {
  return DeclaredParameters<S, T...>(all...);
}

}  // namespace tenon::sdk
