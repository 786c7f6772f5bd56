// SPDX-License-Identifier: BSL-1.0
//
// The fixture of the tests of tenon-pipeline, with the plugin test.example/actor.
#pragma once

#include <tenon/pipeline_position_json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests {

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::string numbers(int read, int written, int acknowledged) {
  return "records: read " + std::to_string(read) + ", written " + std::to_string(written) +
         ", acknowledged " + std::to_string(acknowledged) + "\n";
}

/// Returns the numbers from `first` to `last` as texts.
inline Lines positions(int first, int last) {
  Lines lines;
  for (int i = first; i <= last; ++i) lines.push_back(std::to_string(i));
  return lines;
}

/// Returns the entry of a plugin in a pipeline file. `members` are those of its config.
inline std::string plugin(const std::string& reference, const std::string& members) {
  return "{\"plugin\": \"" + reference + "\", \"config\": {" + members + "}}";
}

/// Returns whether a program has taken all signals to it. Equal signals that are pending at the
/// same time are one.
inline bool has_taken_signals(const Child& child) {
  const std::string status = read_file("/proc/" + std::to_string(child.pid()) + "/status");
  return status.find("\nShdPnd:\t0000000000000000\n") != std::string::npos;
}

/// Returns the first occurrence of each line.
inline Lines without_repetitions(const Lines& all) {
  Lines lines;
  std::set<std::string> seen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(lines),
               [&](const std::string& line) { return seen.insert(line).second; });
  return lines;
}

class Pipeline : public testing::Test {
 protected:
  Pipeline() { world.place(ACTOR_1, "actor.so"); }

  void write_pipeline(const std::string& source, const std::string& destinations) {
    world.write("pipeline.json", "{\"name\": \"test\", \"source\": " + source +
                                     ", \"destinations\": [" + destinations +
                                     "], \"position\": \"state/position.json\"}");
  }
  /// Writes a pipeline from the source to the destination of test.example/actor.
  void write_actors(const std::string& source, const std::string& destination = {}) {
    const auto with = [](const std::string& always, const std::string& members) {
      return plugin("test.example/actor", members.empty() ? always : always + ", " + members);
    };
    write_pipeline(with("\"journal\": \"journal\"", source),
                   with("\"journal\": \"journal\", \"written\": \"written\"", destination));
  }

  Child start() { return world.start({TENON_PIPELINE, "run", "pipeline.json"}); }
  Outcome run() { return start().wait(); }
  /// Starts a run that restarts modules when their files change.
  Child start_watching() {
    return world.start({TENON_PIPELINE, "run", "--watch", "pipeline.json"});
  }
  /// Replaces test.example/actor, the given time since such a run was started, and waits until the
  /// program has reported that. Edition 2.0.0 comes first.
  void replace_actor(const Child& child, std::size_t time) {
    world.place(time % 2 == 1 ? ACTOR_2 : ACTOR_1, "actor.so");
    ASSERT_TRUE(eventually([&] { return lines_of(child.err()).size() == time; }));
  }

  Lines written() { return lines_of(world.read("written")); }
  Lines journal() { return lines_of(world.read("journal")); }
  bool wrote(std::size_t count) {
    return eventually([&] { return written().size() >= count; });
  }

  /// Writes a file that only this user may use.
  void write_private(const std::string& file, const std::string& content) {
    using std::filesystem::perms;
    std::filesystem::permissions(world.write(file, content),
                                 perms::owner_read | perms::owner_write);
  }
  /// Returns the stored position, which is always text here, or an empty text if there is none.
  std::string position() {
    const auto state = tenon::read_pipeline_position(world.read("state/position.json"));
    if (!state || !state->position) return {};
    return std::string(tenon::BytesView(*state->position).text());
  }

  World world{"tenon"};
};

}  // namespace tenon::tests
