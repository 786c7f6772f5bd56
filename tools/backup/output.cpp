// SPDX-License-Identifier: BSL-1.0
#include "output.hpp"

#include <tenon/backup_json.hpp>
#include <tenon/problem_json.hpp>
#include <tenon/stored_backup_json.hpp>
#include <tenon/stored_restore_json.hpp>

#include <boost/json.hpp>

#include <ctime>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "archive_path.hpp"
#include "base/plain_text.hpp"
#include "common/hidden_values.hpp"

namespace backup {
namespace {

/// Returns a generated document as a JSON value.
template <class Document>
boost::json::value value_of(const Document& document) {
  const auto text = tenon::to_json(document);
  return text ? boost::json::parse(*text) : boost::json::value();
}

std::string phase_text(tenon::BackupV2::Phase phase) {
  std::string text(to_text(phase));
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

boost::json::array values_of(const std::vector<tenon::ProblemV1>& problems) {
  boost::json::array all;
  for (const tenon::ProblemV1& problem : problems) all.push_back(value_of(problem));
  return all;
}

void print_problems(const std::vector<tenon::ProblemV1>& problems) {
  for (const tenon::ProblemV1& problem : problems) {
    std::istringstream lines(to_text(problem));
    for (std::string line; std::getline(lines, line);) {
      std::cout << "  " << tenon::escaped_for_display(line) << "\n";
    }
  }
}

/// Returns a text such as "1 item", "2 items".
std::string counted(std::uint64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

void print_row(const std::string& name, const std::string& phase, const std::string& created,
               const std::string& expires, const std::string& items, const std::string& errors) {
  std::cout << std::left << std::setw(32) << name << " " << std::setw(17) << phase << " "
            << std::setw(20) << created << " " << std::setw(20) << expires << " " << std::right
            << std::setw(8) << items << " " << std::setw(6) << errors << "\n";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all.empty() ? "none" : all;
}

/// Returns a text such as "all", "web, db", "all but old".
std::string selection(const std::vector<std::string>& included,
                      const std::vector<std::string>& excluded) {
  std::string text = included.empty() ? "all" : joined(included);
  if (!excluded.empty()) text += " but " + joined(excluded);
  return text;
}

}  // namespace

std::string to_text(const std::optional<tenon::Timestamp>& time) {
  if (!time) return "-";
  const std::tm parts = tenon::platform::utc_time(
      std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count());
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts);
  return text;
}

void Output::expect(std::string_view key) {
  static_cast<void>(array(key));
}

boost::json::array& Output::array(std::string_view key) {
  boost::json::value& value = json_output_[key];
  return value.is_array() ? value.get_array() : value.emplace_array();
}

void Output::created(const tenon::StoredBackupV1& record) {
  json_output_["backup"] = value_of(record);
  if (json_) return;
  const tenon::BackupV2& backup = record.backup;
  std::cout << "backup " << backup.name << ": " << phase_text(backup.phase) << ", "
            << counted(backup.counts.items, "item") << ", "
            << counted(record.snapshots.size(), "snapshot") << ", "
            << counted(backup.counts.errors, "error") << ", "
            << counted(backup.counts.warnings, "warning") << "\n";
}

void Output::restored(const tenon::StoredRestoreV1& record) {
  json_output_["restore"] = value_of(record);
  if (json_) return;
  std::cout << "restore " << record.restore.name << ": " << counted(record.restored, "item")
            << " restored, " << record.skipped << " skipped, " << counted(record.errors, "error")
            << "\n";
}

void Output::deleted(const std::string& name, const Deletion& deletion,
                     const std::vector<tenon::ProblemV1>& problems) {
  if (json_) {
    boost::json::array executed;
    for (const Deletion::Execution& execution : deletion.executed) {
      executed.push_back({{"action", deletion.actions[execution.action]},
                          {"item", id_text(deletion.input.items.id(execution.item))}});
    }
    array("deletions")
        .push_back({{"name", name},
                    {"deleted", deletion.deleted},
                    {"executed", std::move(executed)},
                    {"problems", values_of(problems)}});
    return;
  }
  std::cout << "backup " << name << (deletion.deleted ? ": deleted" : ": not deleted") << "\n";
  std::vector<std::size_t> counts(deletion.actions.size());
  for (const Deletion::Execution& execution : deletion.executed) ++counts[execution.action];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::cout << "  " << deletion.actions[i] << ": executed for " << counted(counts[i], "item")
              << "\n";
  }
  if (deletion.deleted || deletion.executed.empty()) return;
  std::cout << "  Executed actions are not undone; the next deletion executes them again.\n";
}

void Output::would_expire(const tenon::StoredBackupV1& record) {
  if (json_) {
    array("backups").push_back(value_of(record.backup));
  } else {
    std::cout << "backup " << record.backup.name << ": expired " << to_text(record.backup.expires)
              << "\n";
  }
}

void Output::planned(const std::string& backup, const tenon::ResourceIdV1& id,
                     const std::vector<std::string>& actions) {
  if (json_) {
    array("items").push_back(
        {{"backup", backup}, {"item", id_text(id)}, {"actions", boost::json::value_from(actions)}});
  } else {
    std::cout << tenon::escaped_for_display(id_text(id)) << ": " << joined(actions) << "\n";
  }
}

void Output::listed(const tenon::StoredBackupV1& record) {
  const tenon::BackupV2& backup = record.backup;
  if (json_) {
    array("backups").push_back(value_of(backup));
    return;
  }
  if (!has_head_) print_row("NAME", "PHASE", "CREATED", "EXPIRES", "ITEMS", "ERRORS");
  has_head_ = true;
  print_row(backup.name, phase_text(backup.phase), to_text(backup.created), to_text(backup.expires),
            std::to_string(backup.counts.items), std::to_string(backup.counts.errors));
}

void Output::described(const tenon::StoredBackupV1& record) {
  json_output_["backup"] = value_of(record);
  if (json_) return;
  const tenon::BackupV2& backup = record.backup;
  const tenon::SelectorV1& selector = backup.selector;
  const auto print = [](const std::string& what, const std::string& text) {
    std::cout << std::left << std::setw(12) << what << tenon::escaped_for_display(text) << "\n";
  };
  print("name", backup.name);
  print("phase", phase_text(backup.phase));
  print("created", to_text(backup.created));
  print("ended", to_text(backup.ended));
  print("expires", to_text(backup.expires));
  print("namespaces", selection(selector.included_namespaces, selector.excluded_namespaces));
  print("resources", selection(selector.included_resources, selector.excluded_resources));
  print("labels", selector.label_selector.empty() ? "any" : selector.label_selector);
  print("items", std::to_string(backup.counts.items));
  print("contents", record.contents);
  std::cout << "plugins\n";
  for (const tenon::BackupV2Plugin& plugin : backup.plugins) {
    std::cout << "  "
              << tenon::escaped_for_display(plugin.kind + " " + std::to_string(plugin.kind_version))
              << "  " << tenon::escaped_for_display(plugin.name) << "  "
              << tenon::escaped_for_display(plugin.package + " " + plugin.package_version) << "\n";
  }
  for (const tenon::StoredBackupV1Snapshot& snapshot : record.snapshots) {
    print("snapshot",
          snapshot.item.name + ": " + snapshot.snapshotter + " " + snapshot.snapshot_id);
  }
  print("problems",
        counted(backup.counts.errors, "error") + ", " + counted(backup.counts.warnings, "warning"));
  print_problems(record.problems);
}

void Output::failed(const tenon::Error& error) {
  const auto shown = [](std::string_view text) {
    return tenon::tools::without_hidden_values(text);
  };
  json_output_["error"] = {{"code", error.code()},
                           {"where", shown(error.where())},
                           {"plugin", error.plugin()},
                           {"method", error.method()},
                           {"message", shown(error.message())},
                           {"found", shown(error.found())},
                           {"needed", shown(error.needed())},
                           {"fix", shown(error.fix())}};
}

void Output::problems(const std::vector<tenon::ProblemV1>& problems) {
  if (json_) json_output_["problems"] = values_of(problems);
}

bool Output::finish() {
  if (!json_) return static_cast<bool>(std::cout.flush());
  boost::json::object head{{"tenon-backup", {{"schema", 1}, {"command", command_}}}};
  for (auto& [key, value] : json_output_) head[key] = std::move(value);
  return static_cast<bool>(json_file_->write(boost::json::serialize(head) + "\n"));
}

}  // namespace backup
