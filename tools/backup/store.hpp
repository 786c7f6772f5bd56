// SPDX-License-Identifier: BSL-1.0
//
// Backups in an object store:
//
//   backups/NAME/backup.json        the record; without it there is no backup
//   backups/NAME/contents-ID.tar.*  the archive that the record names
//   restores/NAME/RESTORE.json      records of the restores of a backup
//
// The record is written after the archive and deleted last, so whatever ends a run at whichever
// moment leaves either a whole backup or objects that no record names.
#pragma once

#include "items.hpp"
#include "session.hpp"

#include <tenon/object_store.hpp>
#include <tenon/result.hpp>
#include <tenon/stored_backup.hpp>
#include <tenon/stored_restore.hpp>
#include <tenon/stream.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace backup {

/// Who writes documents, as they record it.
constexpr std::string_view writer = "tenon-backup " TENON_VERSION;

/// Belongs to one thread. Errors are those of the object store, with its name, and where a record
/// is read those of tenon::read_document.
class Store {
 public:
  /// Creates the store that the settings name. The session must outlive it.
  static tenon::Result<Store> open(Session& session);

  const tenon::PluginInfo& info() const noexcept { return plugin_->info; }

  /// Returns the names of backups, and of what unfinished ones left, sorted.
  tenon::Result<std::vector<std::string>> names();
  /// Error: not-found, if there is no record.
  tenon::Result<tenon::StoredBackupV1> read(const std::string& name);
  /// Error: already-exists, if there is a record of that name.
  tenon::Result<void> check_absent(const std::string& name);
  /// Error: already-exists, if there is a record of that restore. An empty name is of none.
  tenon::Result<void> check_absent(const std::string& backup, const std::string& restore);
  /// Writes the record of a backup whose contents are stored. If that fails, the record and the
  /// contents are removed; the contents stay if a record may name them nevertheless. Stores have no
  /// way to write only what is not there: of two runs that add the same name within moments, the
  /// one that writes first may believe that it succeeded. Errors: already-exists; aborted, if
  /// somebody deleted the contents meanwhile.
  tenon::Result<void> add(const tenon::StoredBackupV1& record);
  tenon::Result<void> write(const tenon::StoredBackupV1& record);
  tenon::Result<void> write(const tenon::StoredRestoreV1& record);

  /// Unpacks the contents of a backup, see unpack_archive. Error: not-found.
  tenon::Result<Items> contents(const tenon::StoredBackupV1& record);
  /// Returns a function that writes an object, however long that takes, until its call is
  /// cancelled. It may be called from any thread, also when the Store is gone.
  std::function<tenon::Result<void>(tenon::Call&, const std::string& key, tenon::Reader body)>
  putter() const;
  /// Removes all objects of a backup but its record: archives, also those of unfinished runs.
  /// Returns how many there were.
  tenon::Result<std::size_t> remove_contents(const std::string& name);
  tenon::Result<void> remove_restores(const std::string& name);
  tenon::Result<void> remove_record(const std::string& name);

 private:
  Store(Session& session, PluginPtr<tenon::ObjectStore> plugin)
      : session_(&session), plugin_(std::move(plugin)) {}

  void withdraw(const tenon::StoredBackupV1& record);
  tenon::Result<bool> has(const std::string& key);
  tenon::Result<void> remove(const std::string& key);
  tenon::Result<std::string> read_text(const std::string& key);
  tenon::Result<void> write_text(const std::string& key, std::string text);
  tenon::Result<std::vector<std::string>> keys(const std::string& prefix);
  tenon::Result<std::size_t> remove_all(const std::string& prefix, std::string_view but);

  template <class Body>
  auto call(std::string_view method, Body body);

  Session* session_;
  PluginPtr<tenon::ObjectStore> plugin_;
};

/// Returns the key of a new archive of a backup; no two are the same.
std::string new_contents_key(const std::string& name, Compression compression);

/// Checks the name of a backup or restore: a DNS-1123 subdomain of at most 253 characters.
/// Error: bad-name.
tenon::Result<void> check_name(std::string_view name);

}  // namespace backup
