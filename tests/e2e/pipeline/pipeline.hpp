// SPDX-License-Identifier: BSL-1.0
//
// tenon-pipeline in a temporary folder, with a plugin that a test tells how to behave.
#pragma once

#include "framework/world.hpp"

#include <tenon/pipeline_position_json.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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

/// "1", "2", ... to the last.
inline Lines positions(int first, int last) {
  Lines lines;
  for (int i = first; i <= last; i++) lines.push_back(std::to_string(i));
  return lines;
}

/// A config as it stands in a pipeline file, from its members.
inline std::string plugin(const std::string& reference, const std::string& members) {
  return "{\"plugin\": \"" + reference + "\", \"config\": {" + members + "}}";
}

class Pipeline : public testing::Test {
 protected:
  Pipeline() { world.place(ACTOR_1, "actor.so"); }

  void write_pipeline(const std::string& source, const std::string& destinations) {
    world.write("pipeline.json", "{\"name\": \"test\", \"source\": " + source +
                                     ", \"destinations\": [" + destinations +
                                     "], \"position\": \"state/position.json\"}");
  }
  /// From the test's source to the test's destination.
  void write_actors(const std::string& source, const std::string& destination = {}) {
    const auto with = [](const std::string& always, const std::string& members) {
      return plugin("test.example/actor", members.empty() ? always : always + ", " + members);
    };
    write_pipeline(with("\"journal\": \"journal\"", source),
                   with("\"journal\": \"journal\", \"written\": \"written\"", destination));
  }

  Child start() { return world.start({TENON_PIPELINE, "run", "pipeline.json"}); }
  Outcome run() { return start().wait(); }

  Lines written() { return lines_of(world.read("written")); }
  Lines journal() { return lines_of(world.read("journal")); }
  bool wrote(std::size_t count) {
    return eventually([&] { return written().size() >= count; });
  }

  /// The position that is durable; empty where there is none. Every position here is a text.
  std::string position() {
    const auto state = tenon::read_pipeline_position(world.read("state/position.json"));
    if (!state || !state->position) return {};
    return std::string(tenon::BytesView(*state->position).text());
  }

  World world{"tenon"};
};

}  // namespace tenon::tests
