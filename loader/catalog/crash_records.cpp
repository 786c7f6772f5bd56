// SPDX-License-Identifier: BSL-1.0
#include "catalog/crash_records.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/path_error.hpp"
#include "base/plain_text.hpp"
#include "base/test_point.hpp"
#include "call/events.hpp"
#include "platform/process.hpp"
#include "platform/replace_file.hpp"
#include "platform/utf8_path.hpp"
#include "trust/sha256.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "record of tenon, version 1\n";
constexpr std::string_view quarantine_prefix = "quarantined-";
constexpr std::size_t max_record_size = 1 << 20;

// The number of LoadRecord::Here of the thread.
constinit thread_local int loads_here = 0;

std::int64_t seconds_now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

/// The number of the device is left out, because it may change when the system starts.
std::string text_of(const platform::FileIdentity& identity) {
  return std::to_string(identity.inode) + " " + std::to_string(identity.size) + " " +
         std::to_string(identity.modified) + " " + std::to_string(identity.changed);
}

/// A record as it is stored.
struct StoredRecord {
  LeftOutModule module;
  std::string identity;  // see text_of
};

std::string to_text(const StoredRecord& record) {
  std::string text(first_line);
  const auto add = [&text](std::string_view key, std::string_view value) {
    text.append(key).append(": ").append(value).append("\n");
  };
  add("package", record.module.package);
  add("version", record.module.version);
  add("file", record.module.file);
  add("identity", record.identity);
  add("time", std::to_string(record.module.time));
  add("quarantine", record.module.quarantine);
  return text;
}

/// Takes the first line of a text, which must be that of a key. Returns false if it is not.
bool take(std::string_view& text, std::string_view key, std::string& value) {
  const std::size_t end = text.find('\n');
  if (end == text.npos || !text.starts_with(key) || text.substr(key.size(), 2) != ": ")
    return false;
  value = escaped_for_display(text.substr(key.size() + 2, end - key.size() - 2));
  text.remove_prefix(end + 1);
  return true;
}

/// Returns nothing if the text is not a complete record.
std::optional<StoredRecord> parse(std::string_view text) {
  if (!text.starts_with(first_line)) return std::nullopt;
  text.remove_prefix(first_line.size());
  StoredRecord record;
  LeftOutModule& module = record.module;
  std::string time;
  const bool complete = take(text, "package", module.package) &&
                        take(text, "version", module.version) && take(text, "file", module.file) &&
                        take(text, "identity", record.identity) && take(text, "time", time) &&
                        take(text, "quarantine", module.quarantine) && text.empty();
  const auto number = std::from_chars(time.data(), time.data() + time.size(), module.time);
  if (!complete || number.ec != std::errc() || number.ptr != time.data() + time.size())
    return std::nullopt;
  return record;
}

StoredRecord record_of(const Manifest& manifest, const fs::path& file,
                       const platform::FileIdentity& identity, const std::string& quarantine) {
  std::error_code ignored;
  const fs::path full = fs::absolute(file, ignored).lexically_normal();
  return {{manifest.name,
           manifest.version.to_string(),
           escaped_for_display(full.string()),
           seconds_now(),
           escaped_for_display(quarantine),
           {}},
          text_of(identity)};
}

Error as_warning(const Error& error) {
  return error.with_severity(Severity::warning);
}

Error broken(const fs::path& record) {
  return Error({.code = "broken-crash-record",
                .where = record.string(),
                .found = "no complete record",
                .needed = "a record as hosts write it",
                .fix = "remove the file",
                .severity = Severity::warning});
}

Result<std::string> read_text(const fs::path& file) {
  const auto open = platform::File::open(file);
  if (!open) return open.error();
  const auto content = open->read_all(max_record_size);
  if (!content) return content.error();
  return std::string(reinterpret_cast<const char*>(content->data()), content->size());
}

/// Reads the records of an app.
class Reader {
 public:
  /// Reads one. Returns false if it is out of date: the module was not loaded yet when the process
  /// died, or its file was replaced.
  bool read(const fs::path& file) {
    const auto text = read_text(file);
    if (!text) {
      if (text.error().code() != "not-found") warnings.push_back(as_warning(text.error()));
      return true;
    }
    if (text->empty()) return false;
    auto record = parse(*text);
    if (!record) {
      warnings.push_back(broken(file));
      return true;
    }
    const auto identity = platform::identity_of(record->module.file);
    if (identity && text_of(*identity) != record->identity) return false;
    record->module.record = file;
    records.push_back(std::move(*record));
    return true;
  }

  void read_all(const fs::path& directory) {
    platform::visit_abandoned_files(directory, [this](const fs::path& file) { return read(file); });
    std::vector<platform::DirectoryEntry> entries;
    platform::read_directory(directory, entries);
    for (const platform::DirectoryEntry& entry : entries) {
      if (!entry.name.starts_with(quarantine_prefix)) continue;
      const fs::path file = directory / platform::path_from(entry.name);
      if (read(file)) continue;
      TENON_TEST_POINT("rescan: out of date");
      static_cast<void>(platform::remove(file));
    }
  }

  std::vector<StoredRecord> records;
  std::vector<Error> warnings;
};

Error no_directory(const std::string& app) {
  const bool is_named = !app.empty();
  return Error({.code = "cannot-write",
                .where = "HostOptions::remember_crashes",
                .found = is_named ? "neither $HOME nor $XDG_STATE_HOME, or a process with the "
                                    "privileges of another user"
                                  : "no name of the app",
                .needed = "a directory of the user for records of crashes",
                .fix = is_named ? "set $XDG_STATE_HOME, or do not set the option"
                                : "set HostOptions::app, or do not set the option"});
}

Error left_out(const std::string& app, const LeftOutModule& module, const fs::path& file) {
  const std::string time = time_in_words(module.time);
  const std::string name = module.package + " " + module.version;
  return Error({.code = "module-left-out",
                .where = file.string(),
                .found = module.quarantine.empty()
                             ? name + ": the process that loaded it ended on " + time
                             : name + ": quarantined on " + time + ": " + module.quarantine,
                .needed = "another file, or the consent of the operator",
                .fix = "replace the file, or run tenon release " + shell_word(app) + " " +
                       shell_word(module.package)});
}

}  // namespace

std::string time_in_words(std::int64_t seconds) {
  using namespace std::chrono;
  constexpr std::int64_t most = 253'402'300'799;  // the end of the year 9999
  const sys_seconds time{std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, most))};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d UTC", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()},
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

Result<LeftOutModules> left_out_modules(const std::string& app) {
  const fs::path directory = platform::state_directory(app);
  if (directory.empty()) return no_directory(app);
  if (auto checked = platform::check_user_directory(directory); !checked) return checked.error();
  Reader reader;
  reader.read_all(directory);
  LeftOutModules result{{}, std::move(reader.warnings)};
  for (StoredRecord& record : reader.records) result.modules.push_back(std::move(record.module));
  return result;
}

Result<void> release(const LeftOutModule& module) {
  return platform::remove(module.record);
}

LoadRecord::Here::Here() noexcept {
  ++loads_here;
}
LoadRecord::Here::~Here() {
  --loads_here;
}

LoadRecord::~LoadRecord() {
  if (directory_->is_own()) directory_->remove_file(name_);
}

CrashRecords::CrashRecords(std::string app, std::shared_ptr<Log> log)
    : app_(std::move(app)), directory_(platform::state_directory(app_)), log_(std::move(log)) {}

void CrashRecords::warn(const Error& error) noexcept {
  if (!warned_.exchange(true)) log_->write(LogLevel::warn, in_one_line(error));
}

Result<std::shared_ptr<platform::PrivateDirectory>> CrashRecords::own_directory() {
  const sync::Lock lock(mutex_);
  if (own_ != nullptr && own_->is_usable()) return own_;
  if (directory_.empty()) return no_directory(app_);
  if (auto made = platform::make_user_directory(directory_); !made) return made.error();
  // The thread that calls exit() while another one loads a module is no crash of that module.
  auto own = platform::PrivateDirectory::create(directory_, [] { return loads_here != 0; });
  if (own) own_ = *own;
  return own;
}

Result<std::unique_ptr<LoadRecord>> CrashRecords::write_load(const std::string& text) {
  auto directory = own_directory();
  if (!directory) return std::move(directory).error();
  const std::string name = std::to_string(next_++);
  auto record = std::make_unique<LoadRecord>(*directory, name);
  auto written = (*directory)->create_file(name, std::as_bytes(std::span(text)));
  if (!written) return std::move(written).error();
  return record;
}

std::unique_ptr<LoadRecord> CrashRecords::begin(const Manifest& manifest, const fs::path& file,
                                                const platform::FileIdentity& identity) noexcept {
  try {
    auto record = write_load(to_text(record_of(manifest, file, identity, "")));
    if (record) return std::move(*record);
    warn(record.error());
  } catch (const std::bad_alloc&) {  // the module is loaded without a record
  }
  return nullptr;
}

// The name depends on the identity, so that a process that removes a record which is out of date
// does not remove a newer one that has just replaced it.
Result<void> CrashRecords::write_quarantine(const fs::path& file, const std::string& identity,
                                            const std::string& text) {
  if (directory_.empty()) return no_directory(app_);
  if (auto made = platform::make_user_directory(directory_); !made) return made;
  const std::string name = file.string() + "\n" + identity;
  const std::string hash = sha256(std::as_bytes(std::span(name)));
  const fs::path record = directory_ / (std::string(quarantine_prefix) + hash.substr(0, 16));
  const sync::Lock one_at_a_time(changing_);
  {
    // Before there is a file, because a rescan that finds it asks whether it is of this host.
    const sync::Lock lock(mutex_);
    quarantined_[file] = record;
  }
  const auto written = platform::replace_content(record, text, platform::Attributes::owner_only);
  if (written.failed) {
    return cannot_write(record, {"writing the file", written.failed.value()});
  }
  TENON_TEST_POINT("quarantine: recorded");
  return {};
}

void CrashRecords::quarantine(const Manifest& manifest, const fs::path& file,
                              const platform::FileIdentity& identity,
                              const std::string& reasons) noexcept {
  try {
    auto written = write_quarantine(file, text_of(identity),
                                    to_text(record_of(manifest, file, identity, reasons)));
    if (!written) warn(written.error());
  } catch (const std::bad_alloc&) {  // the quarantine ends with the process
  }
}

void CrashRecords::release(const fs::path& file) noexcept {
  const sync::Lock one_at_a_time(changing_);  // so that the element stays
  const fs::path* record = nullptr;
  {
    const sync::Lock lock(mutex_);
    const auto own = quarantined_.find(file);
    if (own == quarantined_.end()) return;
    record = &own->second;
  }
  if (auto removed = platform::remove(*record); !removed) warn(removed.error());
  TENON_TEST_POINT("release: removed");
  const sync::Lock lock(mutex_);
  quarantined_.erase(file);
}

std::set<fs::path> CrashRecords::own_records() {
  const sync::Lock lock(mutex_);
  std::set<fs::path> records;
  for (const auto& [file, record] : quarantined_) records.insert(record);
  return records;
}

void CrashRecords::leave_out(Scan& found) {
  if (directory_.empty()) return found.skipped.push_back(as_warning(no_directory(app_)));
  if (auto checked = platform::check_user_directory(directory_); !checked)
    return found.skipped.push_back(as_warning(checked.error()));
  // A record that is removed meanwhile was one of them before, one that is written is one after.
  std::set<fs::path> own = own_records();
  TENON_TEST_POINT("rescan: records known");
  Reader reader;
  reader.read_all(directory_);
  TENON_TEST_POINT("rescan: records read");
  own.merge(own_records());
  std::ranges::move(reader.warnings, std::back_inserter(found.skipped));
  std::erase_if(reader.records, [&](const auto& one) { return own.contains(one.module.record); });
  if (reader.records.empty()) return;
  std::erase_if(found.modules, [&](const FoundModule& module) {
    const auto record =
        std::ranges::find(reader.records, text_of(module.identity), &StoredRecord::identity);
    if (record == reader.records.end()) return false;
    BrokenModule broken{left_out(app_, record->module, module.file), module.manifest->version};
    found.skipped.push_back(broken.error);
    found.broken.emplace(module.manifest->name, broken);
    for (const Provided& plugin : module.manifest->provides)
      found.broken.emplace(plugin.name, broken);
    return true;
  });
}

}}}  // namespace tenon::v0_1::detail
