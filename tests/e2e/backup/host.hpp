// SPDX-License-Identifier: BSL-1.0
//
// The fixture of the tests of tenon-backup: writes configurations and items, and runs commands.
#pragma once

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns an item. `more` are its members after the metadata.
inline std::string item(const std::string& kind, const std::string& space, const std::string& name,
                        const std::string& more = {}) {
  const std::string in = space.empty() ? "" : ",\"namespace\":\"" + space + "\"";
  return R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":")" + name + "\"" + in +
         "}" + (more.empty() ? "" : "," + more) + "}";
}

inline std::string labelled(const std::string& space, const std::string& name,
                            const std::string& label, const std::string& value) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","namespace":")" + space + R"(","labels":{")" + label + R"(":")" + value + R"("}}})";
}

/// Returns the member of an item that controls one action, eg: of "backup-a".
inline std::string told(const std::string& role, const std::string& words) {
  return "\"do-" + role + "\":\"" + words + "\"";
}

inline std::string list_of(const Lines& items) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",") + items[i];
  return text + "]}";
}

class Backup : public testing::Test {
 protected:
  Backup() {
    fs::create_directory(world.root() / "store");
    configure();
  }

  /// Writes the configuration. `more` are further members.
  void configure(const std::string& more = {}) {
    world.write("tenon-backup.json",
                R"({"store": {"plugin": "filesystem", "config": {"directory": "store"}})" +
                    (more.empty() ? "" : ", " + more) + "}");
  }
  /// Returns the actions of the player for a role, with the members of their configurations.
  static std::string actions(const std::string& role, const std::string& a = {},
                             const std::string& b = {}) {
    const auto use = [](const std::string& letter, const std::string& more) {
      return R"({"plugin": "test.example/)" + letter + R"(", "config": {"journal": "journal")" +
             (more.empty() ? "" : ", " + more) + "}}";
    };
    return "\"" + role + "_actions\": [" + use("b", b) + ", " + use("a", a) + "]";
  }
  /// Installs the player and configures all of its actions, with short intervals.
  void play(const std::string& backup_a = {}, const std::string& delete_a = {}) {
    world.place(PLAYER, "player.so");
    configure(actions("backup", backup_a) + ", " + actions("restore") + ", " +
              actions("delete", delete_a) +
              R"(, "timeouts": {"operation": "200ms", "poll": "1ms"})");
  }

  /// Writes a volume with one file.
  void write_volume() {
    world.write("volumes/v/data", "precious");
    fs::create_directories(world.root() / "snapshots");
  }
  std::string volume(const std::string& name) const {
    return item(
        "PersistentVolume", "", name,
        R"("spec":{"hostPath":{"path":")" + (world.root() / "volumes" / name).string() + "\"}}");
  }
  /// Returns the path in the restored file of a volume.
  fs::path volume_path(const std::string& name) const {
    const auto file = world.read("restored/resources/persistentvolumes/cluster/" + name + ".json");
    return boost::json::parse(file).at("spec").at("hostPath").at("path").as_string().c_str();
  }
  static constexpr const char* snapshotters =
      R"("snapshotters": [{"plugin": "directory", "config": {"volumes": "volumes",)"
      R"( "snapshots": "snapshots"}}])";

  void write_items(const Lines& items) { world.write("items.json", list_of(items)); }
  Outcome run(Lines arguments) {
    arguments.insert(arguments.begin(), TENON_BACKUP);
    return world.run(arguments);
  }
  Outcome create(const std::string& name = "nightly", const Lines& more = {}) {
    Lines arguments{"create", name, "--from", "items.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  Outcome restore(const std::string& to = "restored", const Lines& more = {}) {
    Lines arguments{"restore", "nightly", "--to", to};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  /// Truncates the archives of a backup.
  void damage(const std::string& backup = "nightly") {
    for (const std::string& file : files("store")) {
      if (file.find(backup + "/contents-") == std::string::npos) continue;
      const fs::path path = world.root() / "store" / file;
      fs::resize_file(path, fs::file_size(path) - 9);
    }
  }

  /// Returns the files below a directory, as paths relative to it.
  Lines files(const std::string& directory) {
    Lines found;
    if (!fs::exists(world.root() / directory)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(world.root() / directory)) {
      if (entry.is_regular_file()) {
        found.push_back(entry.path().lexically_relative(world.root() / directory).generic_string());
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  /// Returns the files of a restore, without the common parts of their paths.
  Lines restored(const std::string& directory = "restored") {
    Lines found = files(directory + "/resources");
    for (std::string& path : found) path.resize(path.size() - std::string(".json").size());
    return found;
  }
  Lines journal() { return lines_of(world.read("journal")); }
  /// Returns the lines of the journal that begin with `begin`, without it.
  Lines journal(const std::string& begin) {
    Lines found;
    for (const std::string& line : journal()) {
      if (line.starts_with(begin)) found.push_back(line.substr(begin.size()));
    }
    return found;
  }
  boost::json::object json(const Outcome& outcome) {
    boost::system::error_code error;
    const auto value = boost::json::parse(outcome.out, error);
    EXPECT_FALSE(error) << outcome.out << outcome.err;
    return value.is_object() ? value.get_object() : boost::json::object();
  }

  World world{"tenon"};
};

}  // namespace tenon::tests
