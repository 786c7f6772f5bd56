// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_meson.hpp"

#include <utility>

namespace tenon::gen {
namespace {

constexpr std::string_view first_line =
    "# Written by tenon-gen meson. Do not edit. For this directory, its options were\n";

constexpr std::string_view rest = R"(
#
# subdir() of this directory defines:
#
#   KINDS          the dependency for hosts: the kinds, and the library of tenon
#   KINDS_plugin   the dependency for plugins: the headers of the kinds, and the flags for modules
#   KINDS_sources  KINDS.cpp, and KINDS_test.cpp, which tests the document types
#   KINDS_dir      this directory, for --specs
#   KINDS_app      where the description of the app is installed, which contains the specs
#   tenon_gen, tenon_bindir, tenon_libdir
#                  the generator, and the directories of the programs and of the library
#
# The target APP-sdk is the directory that authors of plugins need. It needs an installed tenon.
tenon = dependency('tenon')
# pkg-config escapes spaces in the values of variables. As a subproject, tenon provides its programs.
tenon_bindir = tenon.get_variable(pkgconfig: 'bindir', default_value: '/').replace('\\ ', ' ')
tenon_libdir = tenon.get_variable(pkgconfig: 'libdir', default_value: '').replace('\\ ', ' ')
tenon_gen = find_program('tenon-gen', dirs: tenon_bindir)

KINDS_dir = meson.current_source_dir()
KINDS_options = ['--name', 'KINDS'STANDARD]
KINDS_sources = custom_target('KINDS-sources',
  output: ['KINDS.cpp', 'KINDS_test.cpp'],
  depfile: 'KINDS.d',
  command: [tenon_gen, 'build', '--out', '@OUTDIR@', '--depfile', '@DEPFILE@', KINDS_options, KINDS_dir])
# The names of the headers, which are in include/, depend on the specs; the stamp represents them.
KINDS_stamp = custom_target('KINDS-headers',
  input: KINDS_sources[0],
  output: 'KINDS.stamp.hpp',
  command: ['touch', '@OUTPUT@'])
# Meson refuses a directory that does not exist yet, so its path is an argument. Each source includes
# the stamp, which is empty, so that it is compiled again if a spec has changed. Ninja recognizes the
# stamp only by its path from the build directory.
KINDS_headers = declare_dependency(
  compile_args: [
    '-I' + meson.current_build_dir() / 'include',
    '-include', KINDS_stamp.full_path().replace(meson.global_build_root() + '/', ''),
  ],
  dependencies: dependency('tenon-sdk'),
  sources: KINDS_stamp)
# tenon-kinds has the hand-written steps of standard kinds, and of types that the specs use.
KINDS_needs = [KINDS_headers, dependency('tenon-kinds'), tenon]
KINDS = declare_dependency(
  link_whole: static_library('KINDS', KINDS_sources[0], dependencies: KINDS_needs, pic: true),
  dependencies: KINDS_needs)
KINDS_plugin = declare_dependency(
  compile_args: '-fvisibility=hidden',
  dependencies: [KINDS_headers, dependency('tenon-plugin')])

if tenon.type_name() != 'internal' # it contains what is installed
  custom_target('APP-sdk',
    input: KINDS_sources[0],
    output: 'APP-sdk',
    command: [tenon_gen, 'sdk', '--out', '@OUTPUT@', '--app', 'APP', KINDS_options, KINDS_dir],
    build_by_default: true)
endif
KINDS_app = get_option('datadir') / 'APP' / 'tenon'
install_subdir('.',
  install_dir: KINDS_app / 'specs',
  exclude_files: 'meson.build',
  strip_directory: true)
)";

}  // namespace

std::string emit_meson(const MesonFile& file) {
  std::string text(first_line);
  text += "#   --app " + file.app + " --name " + file.name;
  std::string standard;
  for (const std::string& kind : file.standard) {
    text += " --standard " + kind;
    standard += ", '--standard', '" + kind + "'";
  }
  const std::pair<std::string_view, std::string> values[] = {
      {"APP", file.app}, {"KINDS", file.name}, {"STANDARD", standard}};
  std::string_view left = rest;
  while (!left.empty()) {
    std::string_view taken = left.substr(0, 1);
    std::string_view written = taken;
    for (const auto& [name, value] : values) {
      if (!left.starts_with(name)) continue;
      taken = name;
      written = value;
    }
    text += written;
    left.remove_prefix(taken.size());
  }
  return text;
}

bool is_emitted_meson(std::string_view text) {
  return text.starts_with(first_line);
}

}  // namespace tenon::gen
