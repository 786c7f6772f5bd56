// SPDX-License-Identifier: BSL-1.0
//
// The standard output of commands: text for people, or one JSON object, see backup.md.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>
#include <tenon/stored_backup.hpp>
#include <tenon/stored_restore.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deletion.hpp"
#include "platform/output_file.hpp"
#include "platform/program.hpp"

namespace backup {

/// Prints the results of one command. Belongs to one thread.
class Output {
 public:
  /// If `json`, reserves standard output for the object, because plugins may print to it.
  Output(std::string command, bool json) : command_(std::move(command)), json_(json) {
    if (json) json_file_.emplace(tenon::platform::reserve_standard_output());
  }

  bool json() const noexcept { return json_; }

  /// Adds an empty array unless the array exists.
  void expect(std::string_view key);

  void created(const tenon::StoredBackupV1& record);
  void restored(const tenon::StoredRestoreV1& record);
  void deleted(const std::string& name, const Deletion& deletion,
               const std::vector<tenon::ProblemV1>& problems);
  /// Prints an expired backup, before its items.
  void would_expire(const tenon::StoredBackupV1& record);
  void planned(const std::string& backup, const tenon::ResourceIdV1& id,
               const std::vector<std::string>& actions);
  void listed(const tenon::StoredBackupV1& record);
  void described(const tenon::StoredBackupV1& record);
  void failed(const tenon::Error& error);
  /// Adds the problems of the run to the JSON object. For people, they are printed as they occur.
  void problems(const std::vector<tenon::ProblemV1>& problems);

  /// Prints the JSON object, or the rest of a table. Returns whether everything was written to
  /// standard output.
  bool finish();

 private:
  boost::json::array& array(std::string_view key);

  const std::string command_;
  const bool json_;
  std::optional<tenon::platform::OutputFile> json_file_;
  boost::json::object json_output_;
  bool has_head_ = false;
};

/// Returns a time such as "2027-01-31 04:05:06Z", or "-" if there is none.
std::string to_text(const std::optional<tenon::Timestamp>& time);

}  // namespace backup
