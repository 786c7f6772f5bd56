// SPDX-License-Identifier: BSL-1.0
#include "framework/world.hpp"

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tenon::tests {

namespace fs = std::filesystem;

namespace {

constexpr const char* inherited[] = {"PATH",         "ASAN_OPTIONS",  "LSAN_OPTIONS",
                                     "TSAN_OPTIONS", "UBSAN_OPTIONS", "SystemRoot"};

std::string variable_of(std::string_view app) {
  std::string variable;
  for (char c : app) {
    variable += c == '-' ? '_' : ('a' <= c && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return variable + "_PLUGIN_PATH";
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

Child::Child(pid_t pid, fs::path out, fs::path err, std::thread terminal)
    : pid_(pid), out_(std::move(out)), err_(std::move(err)), terminal_(std::move(terminal)) {}

std::string Child::out() const {
  return read_file(out_);
}

std::string Child::err() const {
  return read_file(err_);
}

World::World(std::string_view app) {
  do {
    root_ = fs::temp_directory_path() / ("tenon-world-" + std::to_string(std::random_device()()));
  } while (!fs::create_directory(root_));
  fs::permissions(root_, fs::perms::owner_all);
  fs::create_directories(plugins());
  fs::create_directories(root_ / "home");
  for (const char* variable : inherited) {
    if (const char* value = std::getenv(variable)) set(variable, value);
  }
  set("HOME", (root_ / "home").string());
  set(temporary_variable, root_.string());
  set("LC_ALL", "C.UTF-8");
  set(variable_of(app), plugins().string());
}

fs::path World::path(std::string_view relative) const {
  fs::path path = (root_ / module_file(relative)).make_preferred();
  fs::create_directories(path.parent_path());
  return path;
}

fs::path World::write(std::string_view relative, std::string_view content) const {
  fs::path path = this->path(relative);
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
  return path;
}

std::string World::read(std::string_view relative) const {
  return read_file(root_ / module_file(relative));
}

fs::path World::place(const fs::path& module, std::string_view name) const {
  const fs::path from = module.parent_path() / module_file(module.filename().string());
  fs::path to = plugins() / (name.empty() ? from.filename() : fs::path(module_file(name)));
  fs::path beside = root_ / "being-placed";
  fs::copy_file(from, beside, fs::copy_options::overwrite_existing);
  // Windows replaces no file that a host reads.
  std::error_code failed;
  const bool placed = eventually([&] {
    fs::rename(beside, to, failed);
    return failed != std::errc::permission_denied;
  });
  if (!placed || failed) throw fs::filesystem_error("cannot place a module", beside, to, failed);
  return to;
}

void World::set(std::string_view variable, std::string_view value) {
  environment_.insert_or_assign(std::string(variable), std::string(value));
}

Child World::start(const std::vector<std::string>& command) const {
  return start(command, -1);
}

}  // namespace tenon::tests
