# SPDX-License-Identifier: BSL-1.0
#
# For authors of plugins. Part of the package tenon, and of the packages that tenon_install_sdk
# makes.

# tenon_add_plugin(TARGET SOURCE... [KINDS TARGET...])
#
# Adds a module in C or C++ for kinds of tenon_add_kinds or of an SDK package; the standard kinds
# need no KINDS. The module exports only its module object, and contains nothing that prevents
# unloading. If tenon is installed, the test TARGET.inspect checks the module with `tenon inspect`,
# which does not run its code, against the specs of the kinds. With several KINDS, there is a test
# TARGET.inspect.KINDS for each.
function(tenon_add_plugin target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "KINDS")
  add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE tenon::sdk)
  foreach(kinds IN LISTS arg_KINDS)
    get_target_property(include ${kinds} TENON_INCLUDE)
    target_include_directories(${target} PRIVATE "${include}")
    if(TARGET ${kinds}_headers)
      add_dependencies(${target} ${kinds}_headers)
    endif()
  endforeach()

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CXX" IN_LIST languages)
    target_compile_features(${target} PRIVATE cxx_std_17)
  endif()
  set(map "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map")
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
  # clang leaves the functions of a sanitizer undefined in libraries.
  get_directory_property(options COMPILE_OPTIONS)
  if(NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${options}" MATCHES "-fsanitize=")
    target_link_options(${target} PRIVATE "LINKER:--no-undefined")
  endif()
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS "${map}")
  if(TARGET tenon::command)
    set(inspect tenon::command inspect "$<TARGET_FILE:${target}>")
    list(LENGTH arg_KINDS count)
    if(count EQUAL 0)
      add_test(NAME ${target}.inspect COMMAND ${inspect})
    endif()
    foreach(kinds IN LISTS arg_KINDS)
      set(name ${target}.inspect)
      if(count GREATER 1)
        string(APPEND name ".${kinds}")
      endif()
      get_target_property(specs ${kinds} TENON_SPECS)
      add_test(NAME ${name} COMMAND ${inspect} --specs "${specs}")
    endforeach()
  endif()
endfunction()

# tenon_add_plugin_test(TARGET SOURCE... PLUGIN TARGET [KINDS TARGET...])
#
# Adds a program in C++20 that tests a plugin of tenon_add_plugin, and a test of the same name. It
# gets the path of the module as the macro PLUGIN, and links tenon::testing and the host's part of
# the kinds; without KINDS that of the standard kinds. Link GTest::gtest_main to it, or write a main:
#
#   tenon::Host host(tenon::sdk::testing::options(PLUGIN));
#
# Needs an installed tenon and the language CXX. The kinds of an SDK package are generated again for
# hosts, as KINDS_host. Steps between versions that the program has written by hand fail there.
#
# Link tenon::conformance to run the conformance kit, too. It contains the standard kinds, so KINDS
# must not contain others of them, nor their types.
function(tenon_add_plugin_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PLUGIN" "KINDS")
  if(NOT arg_PLUGIN OR NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "usage: tenon_add_plugin_test(TARGET SOURCE... PLUGIN TARGET [KINDS TARGET...])")
  endif()
  if(NOT TARGET tenon::testing)
    message(FATAL_ERROR "tenon_add_plugin_test needs an installed tenon, which was not found. "
      "Call find_package(tenon), or find the SDK package with COMPONENTS testing.")
  endif()
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  target_compile_definitions(${target} PRIVATE "PLUGIN=\"$<TARGET_FILE:${arg_PLUGIN}>\"")
  add_dependencies(${target} ${arg_PLUGIN})
  if(NOT arg_KINDS)
    target_link_libraries(${target} PRIVATE tenon::kinds)
  endif()
  foreach(kinds IN LISTS arg_KINDS)
    get_target_property(type ${kinds} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      set(host ${kinds}_host)
      if(NOT TARGET ${host})
        get_target_property(specs ${kinds} TENON_SPECS)
        tenon_add_kinds(${host} DIR "${specs}")
        get_target_property(include ${host} TENON_INCLUDE)
        target_sources(${host} PRIVATE "${include}/../${host}_missing_steps.cpp")
      endif()
      set(kinds ${host})
    endif()
    target_link_libraries(${target} PRIVATE ${kinds})
  endforeach()
  target_link_libraries(${target} PRIVATE tenon::testing)
  add_test(NAME ${target} COMMAND ${target})
endfunction()
