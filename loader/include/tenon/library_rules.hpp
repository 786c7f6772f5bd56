// SPDX-License-Identifier: BSL-1.0
//
// tenon/library_rules.hpp: functions of libraries after which the code of a module cannot be
// replaced as usual, because the library keeps something of the module. abi/libraries.md lists the
// rules that every program has.
#pragma once

#include <tenon/detail/export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// What a function of a library prevents.
enum class LibraryEffect : std::uint8_t {
  /// The library keeps pointers to the module: its replaced code stays mapped.
  keeps_code,
  /// The library serves one copy of the module at a time: it is not restarted, but can be unloaded
  /// and loaded again.
  one_copy,
  /// The process can load the module once: it is not restarted, and stays loaded until the host
  /// ends.
  once,
};

/// A rule about modules that import one of some functions. It does not apply to a module that names
/// the library in the detail `handled` of its manifest, nor to functions that a library beside the
/// module defines, because each copy of the module has its own copy of that library.
struct LibraryRule {
  /// For people and for `handled`, eg: "protobuf".
  std::string library;
  /// The names of the functions, as in the symbols of a file, eg: "g_quark_from_static_string". `*`
  /// stands for any text, also for none.
  std::vector<std::string> functions;
  LibraryEffect effect = LibraryEffect::keeps_code;
  /// What happens otherwise, eg: "its table keeps texts of the module".
  std::string reason;
  /// What an author can do about it.
  std::string fix;
  /// The rule does not apply to a module that also imports this function; empty if there is none.
  std::string unless{};
};

/// Adds rules for the libraries of an app's plugins to those that every program has. They apply to
/// all hosts and inspections of the process. REQUIRED: no Host exists yet, and no other thread
/// inspects a module.
TENON_API void add_library_rules(std::vector<LibraryRule> rules);

/// Returns all rules. The result is valid until rules are added.
TENON_API const std::vector<LibraryRule>& library_rules();

}}  // namespace tenon::v0_1
