// SPDX-License-Identifier: BSL-1.0
#include "binary/library_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "base/own_library.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// The rules of every program. abi/libraries.md lists them.
std::vector<LibraryRule> initial_rules() {
  using enum LibraryEffect;
  constexpr auto key_destructor = "a thread that ends calls the key's destructor in the module";
  constexpr auto types_apart = "put the types into a library of their own";
  constexpr auto by_program = "leave the initialisation to the program";
  constexpr auto runtime = "the runtime cannot be started twice";
  constexpr auto in_a_program = "run it in a program of its own";
  constexpr auto no_end = "do not end it, the process does";
  return {
      {"C library",
       {"pthread_key_create"},
       keeps_code,
       key_destructor,
       "delete each key in stop",
       "pthread_key_delete"},
      {"C library",
       {"tss_create"},
       keeps_code,
       key_destructor,
       "delete each key in stop",
       "tss_delete"},
      {"C library",
       {"on_exit", "at_quick_exit", "__cxa_at_quick_exit"},
       keeps_code,
       "the process calls the module when it ends",
       "do it in stop"},
      {"GLib",
       {"g_type_register_static", "g_type_register_static_simple", "g_type_register_fundamental",
        "g_enum_register_static", "g_flags_register_static", "g_boxed_type_register_static",
        "g_pointer_type_register_static"},
       once,
       "a type can be registered once",
       types_apart},
      {"GLib",
       {"g_quark_from_static_string", "g_intern_static_string"},
       keeps_code,
       "its table keeps pointers to texts of the module",
       "use g_quark_from_string and g_intern_string"},
      {"Boost.Log",
       {"_ZN5boost3log*4core8add_sink*"},
       keeps_code,
       "it calls the sinks of the module",
       "remove each sink in stop",
       "_ZN5boost3log*4core11remove_sink*"},
      {"Qt",
       {"_ZN9QMetaType22registerNormalizedType*", "_ZN9QMetaType12registerType*"},
       keeps_code,
       "its table keeps functions of the module",
       types_apart},
      {"Boost.Serialization",
       {"_ZNK5boost13serialization18extended_type_info12key_register*"},
       one_copy,
       "its table has one entry for each exported class",
       "export the classes in a library of their own"},
      {"gflags",
       {"_ZN*14FlagRegistererC*"},
       one_copy,
       "a second flag of one name ends the process",
       "define no flags in the module"},
      {"glog",
       {"_ZN6google17InitGoogleLogging*"},
       one_copy,
       "a second initialisation ends the process",
       by_program},
      {"MPI", {"MPI_Init", "MPI_Init_thread"}, once, "it can be initialised once", by_program},
      {"spdlog",
       {"_ZN6spdlog*17initialize_logger*", "_ZN6spdlog*15register_logger*",
        "_ZN6spdlog*logger_mtI*", "_ZN6spdlog*logger_stI*"},
       once,
       "a second logger of one name is refused",
       "create loggers without registering them"},
      {"Abseil flags",
       {"_ZN4absl*14flags_internal23RegisterCommandLineFlag*"},
       once,
       "a second flag of one name ends the process",
       "define no flags in the module"},
      {"LLVM",
       {"_ZN4llvm2cl6Option11addArgument*"},
       once,
       "a second option of one name ends the process",
       "define no options in the module"},
      {"protobuf",
       {"_ZN6google8protobuf8internal14AddDescriptors*",
        "_ZN6google8protobuf8internal20AddDescriptorsRunner*",
        "_ZN6google8protobuf14MessageFactory29InternalRegisterGeneratedFile*"},
       once,
       "a second message of one name ends the process",
       "use protobuf-lite, or link it statically"},
      {"R", {"Rf_initEmbeddedR", "Rf_initialize_R"}, once, runtime, in_a_program},
      {"Java", {"JNI_CreateJavaVM"}, once, runtime, in_a_program},
      {"Haskell", {"hs_init*"}, once, runtime, in_a_program},
      {"ECL", {"cl_boot"}, once, runtime, in_a_program},
      {"Chicken", {"CHICKEN_run", "CHICKEN_initialize"}, once, runtime, in_a_program},
      {"Mono", {"mono_jit_init*"}, once, runtime, in_a_program},
      {"Tcl", {"Tcl_Finalize"}, once, "only the thread that began with it can end it", no_end},
      {"Ruby", {"ruby_cleanup"}, once, "only the thread that began with it can end it", no_end},
      {"Perl", {"Perl_sys_term"}, once, "it ends the process", no_end},
  };
}

std::vector<LibraryRule>& rules() {
  static platform::LibraryStatic<std::vector<LibraryRule>> all(initial_rules());
  return *all;
}

/// Returns whether a text has the form of a pattern, in which `*` stands for any text. Never takes
/// longer than the product of the lengths.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t star = std::string_view::npos;  // the last one that was reached
  std::size_t resumed = 0;                    // where the text after that star was last tried
  std::size_t p = 0;
  std::size_t t = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

std::vector<LibraryRule> rules_for(std::span<const std::string_view> imports) {
  const auto import_like = [&](std::string_view pattern) {
    return std::ranges::find_if(imports,
                                [&](std::string_view name) { return matches(pattern, name); });
  };
  std::vector<LibraryRule> found;
  for (const LibraryRule& rule : rules()) {
    if (!rule.unless.empty() && import_like(rule.unless) != imports.end()) continue;
    for (const std::string& pattern : rule.functions) {
      const auto function = import_like(pattern);
      if (function == imports.end()) continue;
      found.push_back(rule);
      found.back().functions = {std::string(*function)};
      break;
    }
  }
  return found;
}

bool has_rule(std::string_view function) {
  return std::ranges::any_of(rules(), [&](const LibraryRule& rule) {
    return std::ranges::any_of(
        rule.functions, [&](const std::string& pattern) { return matches(pattern, function); });
  });
}

}}}  // namespace tenon::v0_1::detail

namespace tenon { inline namespace v0_1 {

void add_library_rules(std::vector<LibraryRule> rules) {
  auto& all = detail::rules();
  all.insert(all.end(), std::move_iterator(rules.begin()), std::move_iterator(rules.end()));
}

const std::vector<LibraryRule>& library_rules() {
  return detail::rules();
}

}}  // namespace tenon::v0_1
