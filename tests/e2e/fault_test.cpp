// SPDX-License-Identifier: BSL-1.0
//
// Fault injection into the programs: each of their requests for files fails in turn, in each way.
// BUILDS and MODULES are the directories of the modules of tests/e2e/builds and tests/e2e/modules.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "framework/faulty.hpp"

namespace tenon::tests { namespace {

/// Returns the requests that make files durable.
std::vector<std::string> durable_steps(const std::vector<Request>& requests) {
  constexpr std::string_view names[] = {"create", "write", "sync", "rename"};
  std::vector<std::string> steps;
  for (const Request& request : requests) {
    if (std::ranges::find(names, request.name) == std::end(names)) continue;
    // Names of temporary files are random.
    const bool temporary = request.path.find(".tenon-") != std::string::npos;
    steps.push_back(request.name + " " + (temporary ? "temporary" : request.path));
  }
  return steps;
}

using Steps = std::vector<std::string>;

/// Expects that a command which replaces `file` leaves the old or the complete new content.
void expect_old_or_new(std::vector<std::string> command, const std::string& file,
                       const std::string& old, const std::function<void(World&)>& prepare) {
  std::string whole;
  const auto requests = for_each_fault({
      .prepare =
          [&](World& world) {
            world.write(file, old);
            prepare(world);
          },
      .command = std::move(command),
      .check =
          [&](World& world, const Outcome& run, const Fault&) {
            const std::string content = world.read(file);
            EXPECT_TRUE(content == whole || content == old) << content;
            if (run.exit == 0) {
              EXPECT_EQ(content, whole) << "the run succeeded";
            }
          },
      .check_whole =
          [&](World& world, const Outcome& run) {
            EXPECT_EQ(run.exit, 0) << run.err;
            if (whole.empty()) whole = world.read(file);
            EXPECT_EQ(world.read(file), whole);
          },
  });
  EXPECT_EQ(durable_steps(requests), (Steps{"create temporary", "write temporary", "sync temporary",
                                            "rename " + file, "sync ."}));
}

TEST(Faults, LeaveTheOldOrTheNewLock) {
  expect_old_or_new({TENON, "lock", "-a", "photo"}, "tenon.lock", "the old one",
                    [](World& world) { world.place(MODULES "/colour-1.6.2.so"); });
}

TEST(Faults, LeaveTheOldOrTheNewDocument) {
  expect_old_or_new({TENON, "convert", "--in-place", "record.json"}, "record.json",
                    R"({"type":"tenon.dev/record","version":1,"value":{"payload":"aGk="}})"
                    "\n",
                    [](World&) {});
}

TEST(Faults, LeaveAWholeProjectOrNone) {
  std::size_t whole = 0;
  const auto count = [](const World& world) {
    const auto all = std::filesystem::recursive_directory_iterator(world.root() / "numbers");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  };
  for_each_fault({
      .prepare = [](World&) {},
      .command = {TENON, "new", "plugin", "me.example/numbers"},
      .check =
          [&](World& world, const Outcome& run, const Fault& fault) {
            const bool exists = std::filesystem::exists(world.root() / "numbers");
            // A project is as durable as what an editor writes.
            EXPECT_TRUE(exists || run.exit != 0 || fault.is_after_the_end());
            if (exists) {
              EXPECT_EQ(count(world), whole);
            }
          },
      .check_whole =
          [&](World& world, const Outcome& run) {
            // A run whose result could not be printed has made the project.
            if (run.exit != 0) {
              EXPECT_NE(run.err.find("already exists"), run.err.npos) << run.err;
            }
            if (whole == 0) whole = count(world);
            EXPECT_EQ(count(world), whole);
          },
  });
}

TEST(Faults, LeaveTheOldOrTheNewSettingsOfAnOperator) {
  const std::string whole = "{ \"packages\": { \"example.io/colour\": { \"enabled\": false } } }\n";
  for_each_fault({
      .prepare = [](World& world) { world.place(MODULES "/colour-1.6.2.so"); },
      .command = {TENON, "disable", "-a", "photo", "example.io/colour"},
      .check =
          [&](World& world, const Outcome& run, const Fault&) {
            const std::string content = world.read("home/.config/tenon/photo.json");
            EXPECT_TRUE(content == whole || (content.empty() && run.exit != 0)) << content;
          },
      .check_whole =
          [&](World& world, const Outcome& run) {
            EXPECT_EQ(run.exit, 0) << run.err;
            EXPECT_EQ(world.read("home/.config/tenon/photo.json"), whole);
          },
  });
}

TEST(Faults, LeaveAWholePackageOrNone) {
  const std::string packed = "packages/me.example/clocks/1.2.0/clocks.so";
  const std::string built = BUILDS "/first.so";
  const std::string whole = read_file(built);
  for_each_fault({
      .prepare = [](World&) {},
      .command = {TENON, "pack", "-o", "packages", built},
      .check =
          [&](World& world, const Outcome& run, const Fault& fault) {
            const std::string content = world.read(packed);
            EXPECT_TRUE(content == whole || (content.empty() && run.exit != 0)) << content.size();
            const bool is_left_by_a_kill = content.empty() && fault.ends_the_program();
            if (is_left_by_a_kill) std::filesystem::remove_all(world.root() / "packages");
          },
      .check_whole =
          [&](World& world, const Outcome& run) {
            if (run.exit != 0) {
              EXPECT_NE(run.err.find("already-exists"), run.err.npos) << run.err;
            }
            EXPECT_EQ(world.read(packed), whole);
          },
  });
}

/// A kind with a released version.
const char* const spec =
    R"({"kind": "photo.example/filter", "version": 1, "doc": "Filters.",
        "life": {"released": {"version": "1.0.0", "date": "2026-11-21"}},
        "methods": [{"name": "apply", "doc": "Applies.", "threading": "any"}]})";

TEST(Faults, LeaveTheOldOrTheNewListOfReleasedVersions) {
  const std::string old = "{\"versions\": []}\n";
  std::string whole;
  for_each_fault({
      .prepare =
          [&](World& world) {
            world.write("kinds/filter/v1.json", spec);
            world.write("kinds/released.json", old);
          },
      .command = {TENON_GEN, "release", "kinds"},
      .check =
          [&](World& world, const Outcome& run, const Fault&) {
            const std::string content = world.read("kinds/released.json");
            EXPECT_TRUE(content == whole || (content == old && run.exit != 0)) << content;
          },
      .check_whole =
          [&](World& world, const Outcome& run) {
            EXPECT_EQ(run.exit, 0) << run.err;
            whole = world.read("kinds/released.json");
            EXPECT_NE(whole, old);
          },
  });
}

TEST(Faults, LeaveTheDraftAndItsStepOrNeither) {
  const std::string old = R"({"kind": "photo.example/filter", "steps": []})";
  std::string draft;
  std::string evolution;
  for_each_fault({
      .prepare =
          [&](World& world) {
            world.write("kinds/filter/v1.json", spec);
            world.write("kinds/filter/evolution.json", old);
          },
      .command = {TENON_GEN, "next", "kinds/filter"},
      .check =
          [&](World& world, const Outcome& run, const Fault& fault) {
            const bool exists = std::filesystem::exists(world.root() / "kinds/filter/v2.json");
            EXPECT_EQ(world.read("kinds/filter/v2.json"), exists ? draft : "");
            const std::string content = world.read("kinds/filter/evolution.json");
            EXPECT_TRUE(content == old || content == evolution) << content;
            const bool added = content == evolution;
            // A draft without its step is left only if the program could not remove it.
            EXPECT_TRUE(exists == added || (exists && fault.ends_the_program()));
            EXPECT_TRUE(added || run.exit != 0);
            // The next run is refused while there is a draft.
            std::filesystem::remove(world.root() / "kinds/filter/v2.json");
            world.write("kinds/filter/evolution.json", old);
          },
      .check_whole =
          [&](World& world, const Outcome& run) {
            EXPECT_EQ(run.exit, 0) << run.err;
            draft = world.read("kinds/filter/v2.json");
            evolution = world.read("kinds/filter/evolution.json");
          },
  });
}

/// The destination of a pipeline, and a function that reads which of its numbered records arrived.
struct Target {
  std::string name;
  std::string plugin;
  std::string file;
  std::vector<int> (*numbers)(const World& world);
};

/// Returns the number between two texts in each line of a file; 0 for other lines.
std::vector<int> numbers_in_lines(const World& world, const char* file, const std::string& before,
                                  const std::string& after) {
  std::vector<int> numbers;
  std::istringstream lines(world.read(file));
  for (std::string line; std::getline(lines, line);) {
    int number = 0;
    for (int i = 1; i <= 20; ++i) {
      if (line == before + std::to_string(i) + after) number = i;
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<int> numbers_in_jsonl(const World& world) {
  return numbers_in_lines(world, "out.jsonl", "{\"n\":", "}");
}

/// Skips the header.
std::vector<int> numbers_in_csv(const World& world) {
  std::vector<int> numbers = numbers_in_lines(world, "out.csv", "", "");
  EXPECT_TRUE(world.read("out.csv").starts_with("n\n"));
  if (!numbers.empty()) numbers.erase(numbers.begin());
  return numbers;
}

/// Reads them with SQLite, which first recovers from a killed program.
std::vector<int> numbers_in_table(const World& world) {
  std::vector<int> numbers;
  sqlite3* database = nullptr;
  sqlite3_stmt* rows = nullptr;
  const std::string path = world.root() / "out.db";
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(database, "SELECT n FROM t ORDER BY n", -1, &rows, nullptr),
            SQLITE_OK);
  while (sqlite3_step(rows) == SQLITE_ROW) numbers.push_back(sqlite3_column_int(rows, 0));
  sqlite3_finalize(rows);
  sqlite3_close(database);
  return numbers;
}

/// Copies a file of twenty lines by a pipeline with a stored position.
class PipelineFaults : public testing::TestWithParam<Target> {
 protected:
  static constexpr int count = 20;

  static void prepare(World& world) {
    std::string lines;
    for (int i = 1; i <= count; ++i) lines += "{\"n\":" + std::to_string(i) + "}\n";
    world.write("in.jsonl", lines);
    world.write("pipeline.json", R"({"name": "copy",
      "source": {"plugin": "file", "config": {"path": "in.jsonl"}},
      "destinations": [{"plugin": ")" +
                                     GetParam().plugin +
                                     R"(}}],
      "position": "state/copy/position.json"})");
  }

  /// Expects all records in order. Unacknowledged records may arrive again.
  static void expect_all(const World& world) {
    int last = 0;
    for (const int number : GetParam().numbers(world)) {
      ASSERT_GE(number, 1) << "not a record";
      ASSERT_LE(number, last + 1) << "a record is missing before " << number;
      last = std::max(last, number);
    }
    EXPECT_EQ(last, count);
  }
};

INSTANTIATE_TEST_SUITE_P(
    To, PipelineFaults,
    testing::Values(
        Target{"Lines", R"(file", "config": {"path": "out.jsonl")", "out.jsonl", numbers_in_jsonl},
        Target{"Csv", R"(file", "config": {"path": "out.csv")", "out.csv", numbers_in_csv},
        Target{"Sqlite", R"(sqlite", "config": {"path": "out.db", "table": "t")", "out.db",
               numbers_in_table}),
    [](const auto& info) { return info.param.name; });

TEST_P(PipelineFaults, LoseNoRecord) {
  const auto requests = for_each_fault({
      .prepare = prepare,
      .command = {TENON_PIPELINE, "run", "pipeline.json"},
      .check =
          [](World& world, const Outcome& run, const Fault&) {
            if (run.exit == 0) expect_all(world);
          },
      .check_whole =
          [](World& world, const Outcome& run) {
            EXPECT_EQ(run.exit, 0) << run.err;
            expect_all(world);
          },
  });
  const Steps steps = durable_steps(requests);
  const auto last = [&](const std::string& step) {
    return std::find(steps.rbegin(), steps.rend(), step);
  };
  ASSERT_NE(last("rename state/copy/position.json"), steps.rend());
  ASSERT_NE(last("sync " + GetParam().file), steps.rend());
  EXPECT_LT(last("rename state/copy/position.json"), last("sync " + GetParam().file))
      << "records become durable before their position";
  // PRAGMA synchronous = FULL: SQLite writes the pages of the journal, then their number.
  const auto written = std::ranges::find(steps, "write out.db");
  if (written == steps.end()) return;
  EXPECT_EQ(std::count(steps.begin(), written, "sync out.db-journal"), 2);
}

/// Backups of forty items. Their records and archives are in one directory.
class BackupFaults : public testing::Test {
 protected:
  static constexpr std::size_t count = 40;

  static void prepare(World& world) {
    std::string items;
    for (std::size_t i = 0; i < count; ++i) {
      items += R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"web","name":"s)" +
               std::to_string(i) + "\"}}\n";
    }
    world.write("items.json", items);
    world.path("store/here");
    world.write("tenon-backup.json",
                R"({"store": {"plugin": "filesystem", "config": {"directory": "store"}}})");
  }

  static Outcome run(World& world, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{TENON_BACKUP};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return world.run(command);
  }
  static Outcome create(World& world) {
    return run(world, {"create", "nightly", "--from", "items.json"});
  }
  static std::size_t files(const std::filesystem::path& directory) {
    std::error_code none;
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, none)) {
      if (entry.is_regular_file()) ++found;
    }
    return found;
  }

  /// Returns the number of items in the listed backup, or 0 if none is listed. Checks that a listed
  /// backup can be restored.
  static std::size_t listed_items(World& world) {
    const Outcome listed = run(world, {"list"});
    EXPECT_EQ(listed.exit, 0) << listed.err;
    if (listed.out.empty()) return 0;
    std::istringstream row(listed.out.substr(listed.out.find("Z - ") + 4));
    std::size_t items = 0;
    std::size_t errors = 0;
    row >> items >> errors;
    EXPECT_EQ(items == count, errors == 0) << listed.out;
    const Outcome restored = run(world, {"restore", "nightly", "--to", "restored"});
    EXPECT_EQ(restored.exit, 0) << restored.err;
    EXPECT_EQ(files(world.root() / "restored"), items);
    std::filesystem::remove_all(world.root() / "restored");
    return items;
  }
  /// Deletes the backup and checks that nothing is left.
  static void remove(World& world) {
    const Outcome removed = run(world, {"delete", "nightly"});
    EXPECT_TRUE(removed.exit == 0 || removed.err.find("[not-found]") != std::string::npos)
        << removed.err;
    EXPECT_EQ(run(world, {"list"}).out, "");
  }
};

TEST_F(BackupFaults, StoreACompleteBackupOrNone) {
  for_each_fault({
      .prepare = prepare,
      .command = {TENON_BACKUP, "create", "nightly", "--from", "items.json"},
      .check =
          [](World& world, const Outcome& outcome, const Fault&) {
            const std::size_t items = listed_items(world);
            if (outcome.exit == 0) {
              EXPECT_EQ(items, count) << "the run succeeded";
            }
            remove(world);
          },
      .check_whole =
          [](World& world, const Outcome& outcome) {
            EXPECT_EQ(outcome.exit, 0) << outcome.err;
            EXPECT_EQ(listed_items(world), count);
          },
      // A record that was written but is not durable counts as not written.
      .always =
          [](const Request& request) {
            return request.name == "sync" && request.path == "store/tenon/backups/nightly";
          },
  });
}

TEST_F(BackupFaults, DeleteABackupOrLeaveItDeletable) {
  for_each_fault({
      .prepare =
          [](World& world) {
            prepare(world);
            EXPECT_EQ(create(world).exit, 0);
          },
      .command = {TENON_BACKUP, "delete", "nightly"},
      .check =
          [](World& world, const Outcome& outcome, const Fault&) {
            const Outcome listed = run(world, {"list"});
            EXPECT_EQ(listed.exit, 0) << listed.err;
            if (outcome.exit == 0) {
              EXPECT_EQ(listed.out, "") << "the run succeeded";
            }
            if (listed.out.empty()) {
              remove(world);
              EXPECT_EQ(create(world).exit, 0);
            }
          },
      .check_whole =
          [](World& world, const Outcome& outcome) {
            EXPECT_EQ(outcome.exit, 0) << outcome.err;
            EXPECT_EQ(files(world.root() / "store"), 0u);
          },
  });
}

TEST_F(BackupFaults, RestoreEachItemCompletelyOrNot) {
  for_each_fault({
      .prepare =
          [](World& world) {
            prepare(world);
            EXPECT_EQ(create(world).exit, 0);
          },
      .command = {TENON_BACKUP, "restore", "nightly", "--to", "out"},
      .check =
          [](World& world, const Outcome& outcome, const Fault&) {
            if (outcome.exit == 0) {
              EXPECT_EQ(files(world.root() / "out"), count);
            }
          },
      .check_whole =
          [](World& world, const Outcome& outcome) {
            EXPECT_EQ(outcome.exit, 0) << outcome.err;
            EXPECT_EQ(outcome.err, "") << "an existing file differs";
            EXPECT_EQ(files(world.root() / "out"), count);
          },
  });
}

}}  // namespace tenon::tests
