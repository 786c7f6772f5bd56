// SPDX-License-Identifier: BSL-1.0
//
// Backups in an object store:
//
//   backups/NAME/backup.json        the record; without it there is no backup
//   backups/NAME/contents-ID.tar.*  the archive that the record names
//   restores/NAME/RESTORE.json      records of the restores of a backup
//
// The record is written after the archive and deleted last. A run that ends at any moment therefore
// leaves either a complete backup or objects that no record names.
#pragma once

#include <tenon/object_store.hpp>
#include <tenon/result.hpp>
#include <tenon/stored_backup.hpp>
#include <tenon/stored_restore.hpp>
#include <tenon/stream.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "items.hpp"
#include "session.hpp"

namespace backup {

/// The program and version that documents record as their writer.
constexpr std::string_view writer = "tenon-backup " TENON_VERSION;

/// Belongs to one thread. All functions return errors of the object store, with its name. Functions
/// that read a record also return those of tenon::read_document.
class Store {
 public:
  /// Creates the store that the settings name. The session must outlive it.
  static tenon::Result<Store> open(Session& session);

  const tenon::PluginInfo& info() const noexcept { return plugin_->info; }

  /// Returns the names of all backups, including unfinished ones, sorted.
  tenon::Result<std::vector<std::string>> names();
  /// Reads the record of a backup. Error: not-found.
  tenon::Result<tenon::StoredBackupV1> read(const std::string& name);
  /// Error: already-exists if the store has a backup of this name.
  tenon::Result<void> check_absent(const std::string& name);
  /// Error: already-exists if the store has this restore. Does nothing if `restore` is empty.
  tenon::Result<void> check_absent(const std::string& backup, const std::string& restore);
  /// Writes the record of a backup whose contents are stored. On failure, removes the record and
  /// the contents, unless a record might still name the contents. Stores cannot create an object
  /// only if it is absent: if two runs add the same name at nearly the same time, both may report
  /// success. Errors: already-exists; aborted if the contents were deleted meanwhile;
  /// backup-unconfirmed if the store may have the record, so that its snapshots must be kept.
  tenon::Result<void> add(const tenon::StoredBackupV1& record);
  tenon::Result<void> write(const tenon::StoredBackupV1& record);
  tenon::Result<void> write(const tenon::StoredRestoreV1& record);

  /// Unpacks the contents of a backup, see unpack_archive. Errors: not-found; archive-differs if
  /// the archive is not the one of which the record has the hash.
  tenon::Result<Items> contents(const tenon::StoredBackupV1& record);
  /// Returns a function that writes an object. It has no timeout, but its call can be cancelled. It
  /// may be called from any thread, even after the Store was destroyed.
  std::function<tenon::Result<void>(tenon::Call&, const std::string& key, tenon::Reader body)>
  putter() const;
  /// Removes an archive.
  tenon::Result<void> remove_archive(const std::string& key);
  /// Removes all objects of a backup except its record, including archives of unfinished runs.
  /// Returns the number of removed objects.
  tenon::Result<std::size_t> remove_contents(const std::string& name);
  /// Removes the records of the restores of a backup. Returns their number.
  tenon::Result<std::size_t> remove_restores(const std::string& name);
  tenon::Result<void> remove_record(const std::string& name);

 private:
  Store(Session& session, PluginPtr<tenon::ObjectStore> plugin)
      : session_(&session), plugin_(std::move(plugin)) {}

  bool withdraw(const tenon::StoredBackupV1& record);
  tenon::Result<bool> has(const std::string& key);
  tenon::Result<void> remove(const std::string& key);
  tenon::Result<std::string> read_text(const std::string& key);
  tenon::Result<void> write_text(const std::string& key, std::string text);
  /// Returns all keys with a prefix, in order. Error: internal if the pages are out of order.
  tenon::Result<std::vector<std::string>> keys(const std::string& prefix);
  tenon::Error wrong_page(const std::string& prefix, std::string message) const;
  tenon::Result<std::size_t> remove_all(const std::string& prefix, std::string_view but);

  template <class Body>
  auto call(std::string_view method, Body body);

  Session* session_;
  PluginPtr<tenon::ObjectStore> plugin_;
};

/// Returns a unique key for a new archive of a backup.
std::string new_contents_key(const std::string& name, Compression compression);

/// Checks the name of a backup: a DNS-1123 subdomain of at most 253 characters. Error: bad-name.
tenon::Result<void> check_name(std::string_view name);
/// With ".json", the longest file name of most systems.
constexpr std::size_t longest_restore_name = 250;
/// Checks the name of a restore: the same, of at most 250 characters. Error: bad-name.
tenon::Result<void> check_restore_name(std::string_view name);

}  // namespace backup
