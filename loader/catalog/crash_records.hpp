// SPDX-License-Identifier: BSL-1.0
//
// The modules that hosts of an app leave out: those that a process was loading when it died, and
// those that were quarantined. The records are files in the state directory of the app:
//
//   tenon-XXXXXX/N       a module that one host loads now: from before its constructors run until
//                        its first create has returned. If the process dies, the file stays, and
//                        nobody holds the lock of its directory; see platform/private_directory.hpp
//   quarantined-XXXXXXX  a module that is quarantined, until it is released
//
// Records are not synced to the disk: they have to outlive the process, not the system.
#pragma once

#include <tenon/detail/left_out.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/lock_order.hpp"
#include "base/log.hpp"
#include "catalog/scan.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"
#include "platform/private_directory.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The record of a module that is being loaded. The destructor removes it.
class LoadRecord {
 public:
  /// Marks that the calling thread runs code of a module that is being loaded. If it calls exit()
  /// there, the records stay.
  class Here {
   public:
    Here() noexcept;
    ~Here();
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;
  };

  LoadRecord(std::shared_ptr<platform::PrivateDirectory> directory, std::string name) noexcept
      : directory_(std::move(directory)), name_(std::move(name)) {}
  ~LoadRecord();
  LoadRecord(const LoadRecord&) = delete;
  LoadRecord& operator=(const LoadRecord&) = delete;

 private:
  const std::shared_ptr<platform::PrivateDirectory> directory_;
  const std::string name_;
};

/// The records of one host. If a record cannot be written, that is logged once. Thread-safe. No
/// lock may be held when a function is called.
class CrashRecords {
 public:
  CrashRecords(std::string app, std::shared_ptr<Log> log);

  /// Writes the record of a module that is about to be loaded. Returns nullptr on failure.
  std::unique_ptr<LoadRecord> begin(const Manifest& manifest, const std::filesystem::path& file,
                                    const platform::FileIdentity& identity) noexcept;
  /// Writes the record of a module that was quarantined.
  void quarantine(const Manifest& manifest, const std::filesystem::path& file,
                  const platform::FileIdentity& identity, const std::string& reasons) noexcept;
  /// Removes the record of a quarantine of this host, if there is one.
  void release(const std::filesystem::path& file) noexcept;

  /// Moves the modules with records from the modules of a scan to those that are skipped, each with
  /// the error `module-left-out`. Modules that this host itself quarantined stay. Adds warnings for
  /// records that are ignored.
  void leave_out(Scan& found);

 private:
  Result<std::shared_ptr<platform::PrivateDirectory>> own_directory();
  Result<std::unique_ptr<LoadRecord>> write_load(const std::string& text);
  Result<void> write_quarantine(const std::filesystem::path& file, const std::string& identity,
                                const std::string& text);
  std::set<std::filesystem::path> own_records();
  void warn(const Error& error) noexcept;

  const std::string app_;
  const std::filesystem::path directory_;
  const std::shared_ptr<Log> log_;
  std::atomic<bool> warned_{false};
  std::atomic<std::uint64_t> next_{1};  // the name of the next record of a load
  LeafMutex changing_;                  // the records of quarantines change one after the other
  LeafMutex mutex_;
  // Created when the first module is loaded.
  std::shared_ptr<platform::PrivateDirectory> own_ TENON_GUARDED_BY(mutex_);
  // The records of quarantines of this host, by file.
  std::map<std::filesystem::path, std::filesystem::path> quarantined_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
