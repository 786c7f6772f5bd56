// SPDX-License-Identifier: BSL-1.0
#include "store.hpp"

#include <tenon/stored_backup_json.hpp>
#include <tenon/stored_restore_json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>

#include "base/path_error.hpp"
#include "base/test_point.hpp"
#include "common/sha256.hpp"
#include "item_files.hpp"
#include "platform/program.hpp"
#include "selection/label_syntax.hpp"
#include "unpack_archive.hpp"

namespace backup {
namespace {

using tenon::tools::Sha256;

constexpr std::size_t largest_record = std::size_t{256} << 20;
constexpr std::size_t longest_name = 253;  // of a DNS-1123 subdomain

std::string backup_prefix(const std::string& name) {
  return "backups/" + name + "/";
}
std::string record_key(const std::string& name) {
  return backup_prefix(name) + "backup.json";
}
std::string restores_prefix(const std::string& name) {
  return "restores/" + name + "/";
}

std::string restore_key(const std::string& backup, const std::string& restore) {
  return restores_prefix(backup) + restore + ".json";
}

class TextReader : public tenon::HostReader {
 public:
  explicit TextReader(std::string text) : text_(std::move(text)) {}

  tenon::Result<std::size_t> read(tenon::Call&, std::span<std::uint8_t> into) override {
    const std::size_t count = std::min(into.size(), text_.size() - at_);
    if (count != 0) std::memcpy(into.data(), text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  const std::string text_;
  std::size_t at_ = 0;
};

/// Reads an archive, and reports its size.
class CountedReader : public tenon::HostReader {
 public:
  CountedReader(tenon::Reader archive, tenon::Figure bytes)
      : archive_(std::move(archive)), bytes_(std::move(bytes)) {}

  tenon::Result<std::size_t> read(tenon::Call& call, std::span<std::uint8_t> into) override {
    auto count = archive_.read(call, into);
    if (count) bytes_.add(static_cast<double>(*count));
    return count;
  }

 private:
  tenon::Reader archive_;
  tenon::Figure bytes_;
};

/// Reads an archive, and computes its hash.
class HashedReader : public tenon::HostReader {
 public:
  HashedReader(tenon::Reader archive, Sha256& hash) : archive_(std::move(archive)), hash_(hash) {}

  tenon::Result<std::size_t> read(tenon::Call& call, std::span<std::uint8_t> into) override {
    auto count = archive_.read(call, into);
    if (count) hash_.add(into.first(*count));
    return count;
  }

 private:
  tenon::Reader archive_;
  Sha256& hash_;
};

tenon::Error archive_differs(const tenon::StoredBackupV1& record, std::string found) {
  return tenon::Error({.code = "archive-differs",
                       .message = "the archive is not the one that the backup stored",
                       .where = record.contents,
                       .found = "the SHA-256 " + std::move(found),
                       .needed = "the SHA-256 " + record.sha256,
                       .fix = "get the archive from another copy of the store"});
}

tenon::Error too_large(const std::string& key, std::string fix) {
  return tenon::Error({.code = "backup-record-too-large",
                       .where = key,
                       .needed = "at most " + std::to_string(largest_record) + " bytes",
                       .fix = std::move(fix)});
}

tenon::Result<std::string> read_all(tenon::Call& call, tenon::Reader reader,
                                    const std::string& key) {
  std::string text;
  std::vector<std::uint8_t> piece(std::size_t{64} << 10);
  for (;;) {
    const auto count = reader.read(call, piece);
    if (!count) return count.error();
    if (*count == 0) return text;
    if (text.size() + *count > largest_record) {
      return too_large(key, "restore the object from another copy");
    }
    text.append(reinterpret_cast<const char*>(piece.data()), *count);
  }
}

tenon::Error already_exists(const std::string& name) {
  return tenon::Error({.code = "already-exists",
                       .message = "a backup of this name exists",
                       .where = name,
                       .fix = "choose another name, or delete that backup"});
}

tenon::Result<void> check_name(std::string_view name, std::size_t longest) {
  if (name.size() <= longest && tenon::selection::is_domain_name(name)) return {};
  return tenon::Error({.code = "bad-name",
                       .where = std::string(name),
                       .needed = "at most " + std::to_string(longest) +
                                 " lower-case letters, digits, '-' and '.', with a letter or digit "
                                 "on both sides of each '.' and at both ends",
                       .fix = "choose another name"});
}

/// Adds the key of an archive to an error of its content. Errors of the store and of temporary
/// files have a name already.
tenon::Error in_archive(const std::string& key, const tenon::Error& error) {
  if (error.status() != 0 || error.code() == "cannot-write") return error;
  return tenon::Error(
      {.code = std::string(error.code()),
       .message = std::string(error.message()),
       .where = error.where().empty() ? key : key + ": " + std::string(error.where()),
       .found = std::string(error.found()),
       .needed = std::string(error.needed()),
       .fix = std::string(error.fix())});
}

/// Returns the error of a backup that may be stored nevertheless.
tenon::Error unconfirmed(const tenon::StoredBackupV1& record, const tenon::Error& reason) {
  std::string kept;
  for (const tenon::StoredBackupV1Snapshot& snapshot : record.snapshots) {
    kept += (kept.empty() ? "" : ", ") + snapshot.snapshot_id + " of " + snapshot.snapshotter;
  }
  return tenon::Error(
      {.code = "backup-unconfirmed",
       .message = "it is unknown whether the store has the backup, so its snapshots are kept: " +
                  reason.to_string(),
       .where = record.backup.name,
       .found = kept.empty() ? "no snapshots" : "snapshots " + kept,
       .needed = "a store that can be read",
       .fix = "when the store can be reached again, check whether tenon-backup list shows the "
              "backup; if it does not, delete the snapshots with the tools of their volumes, and "
              "run tenon-backup delete " +
              record.backup.name});
}

std::string random_hex() {
  std::random_device device;
  std::string text;
  for (int i = 0; i < 16; ++i) text += "0123456789abcdef"[device() % 16];
  return text;
}

}  // namespace

template <class Body>
auto Store::call(std::string_view method, Body body) {
  return session_->caller.call(plugin_, method, session_->settings.timeouts.store, std::move(body));
}

tenon::Result<Store> Store::open(Session& session) {
  const PluginUse& use = session.settings.store;
  auto plugin = session.create<tenon::ObjectStore>(use.reference, use.config);
  if (!plugin) return std::move(plugin).error();
  return Store(session, *std::move(plugin));
}

tenon::Result<std::vector<std::string>> Store::names() {
  using Prefixes = tenon::Result<tenon::ListView<std::string>>;
  const auto prefixes = call("list_common_prefixes",
                             [bucket = session_->settings.bucket](tenon::ObjectStore& store,
                                                                  tenon::Call& call) -> Prefixes {
                               return store.list_common_prefixes(call, bucket, "backups/", "/");
                             });
  if (!prefixes) return prefixes.error();
  std::vector<std::string> names;
  for (std::string_view prefix : *prefixes) {
    prefix.remove_prefix(std::min(prefix.size(), std::strlen("backups/")));
    if (prefix.ends_with('/')) prefix.remove_suffix(1);
    if (check_name(prefix)) names.emplace_back(prefix);
  }
  std::sort(names.begin(), names.end());
  return names;
}

tenon::Result<tenon::StoredBackupV1> Store::read(const std::string& name) {
  auto text = read_text(record_key(name));
  if (!text && TENON_CODE(text.error().status()) == TENON_NOT_FOUND) {
    return tenon::Error({.code = "not-found",
                         .message = "no backup of this name exists",
                         .where = name,
                         .fix = "choose a name from `tenon-backup list`"});
  }
  if (!text) return std::move(text).error();
  auto record = tenon::read_stored_backup(*text);
  if (record && record->backup.name == name) return record;
  return tenon::Error(
      {.code = "broken-backup-record",
       .message = record ? "the record belongs to another backup" : record.error().to_string(),
       .where = record_key(name),
       .found = record ? record->backup.name : std::string(),
       .needed = record ? name : std::string(),
       .fix =
           "restore this object from another copy of the store; or, to delete the backup without "
           "its snapshots and without executing delete actions, remove this object from the "
           "store and run tenon-backup delete " +
           name});
}

tenon::Result<void> Store::write(const tenon::StoredBackupV1& record) {
  auto text = tenon::store_stored_backup(record, writer);
  if (!text) return std::move(text).error();
  return write_text(record_key(record.backup.name), *std::move(text) + "\n");
}

tenon::Result<void> Store::write(const tenon::StoredRestoreV1& record) {
  auto text = tenon::store_stored_restore(record, writer);
  if (!text) return std::move(text).error();
  return write_text(restore_key(record.restore.backup, record.restore.name),
                    *std::move(text) + "\n");
}

tenon::Result<bool> Store::has(const std::string& key) {
  const auto info = call("object_info", [bucket = session_->settings.bucket, key](
                                            tenon::ObjectStore& store, tenon::Call& call) {
    return store.object_info(call, bucket, key);
  });
  if (info) return true;
  if (TENON_CODE(info.error().status()) == TENON_NOT_FOUND) return false;
  return info.error();
}

tenon::Result<void> Store::check_absent(const std::string& name) {
  const auto exists = has(record_key(name));
  if (!exists) return exists.error();
  return *exists ? already_exists(name) : tenon::Result<void>();
}

tenon::Result<void> Store::check_absent(const std::string& backup, const std::string& restore) {
  if (restore.empty()) return {};
  const auto exists = has(restore_key(backup, restore));
  if (!exists) return exists.error();
  if (!*exists) return {};
  return tenon::Error({.code = "already-exists",
                       .message = "a restore of this name exists",
                       .where = restore,
                       .fix = "choose another name"});
}

tenon::Result<void> Store::add(const tenon::StoredBackupV1& record) {
  const std::string& name = record.backup.name;
  TENON_TEST_POINT("backup: stored");
  if (auto absent = check_absent(name); !absent) {
    withdraw(record);
    return absent;
  }
  TENON_TEST_POINT("backup: absent");
  if (auto written = write(record); !written) {
    return withdraw(record) ? std::move(written).error() : unconfirmed(record, written.error());
  }
  TENON_TEST_POINT("backup: recorded");
  const auto exists = has(record.contents);
  if (!exists) {
    return withdraw(record) ? exists.error() : unconfirmed(record, exists.error());
  }
  const auto written = read(name);
  if (!written && written.error().code() != "not-found") {
    return withdraw(record) ? written.error() : unconfirmed(record, written.error());
  }
  if (written && written->contents != record.contents) {
    if (auto removed = remove_archive(record.contents); !removed) return removed;
    return already_exists(name);
  }
  if (*exists) return {};
  if (auto removed = remove_record(name); !removed) return unconfirmed(record, removed.error());
  return tenon::Error({.status = TENON_ABORTED,
                       .message = "the backup was deleted while it was created",
                       .where = name,
                       .fix = "create the backup again"});
}

/// Removes a backup that could not be added. Its record may exist nevertheless, eg: if only the
/// response of the store was lost. Ignores errors, since the caller reports the first one. Returns
/// whether the store certainly has no record that names the contents.
bool Store::withdraw(const tenon::StoredBackupV1& record) {
  session_->caller.begin_cleanup();  // the run may have been interrupted
  const auto written = read(record.backup.name);
  if (!written && written.error().code() != "not-found") return false;
  const bool is_ours = written && written->contents == record.contents;
  if (is_ours && !remove_record(record.backup.name)) return false;
  static_cast<void>(remove_archive(record.contents));
  return true;
}

tenon::Result<Items> Store::contents(const tenon::StoredBackupV1& record) {
  return session_->caller.call(
      plugin_, "get_object", session_->settings.timeouts.store,
      [bucket = session_->settings.bucket, record,
       bytes = session_->host.figure({.name = "read", .unit = "bytes"})](
          tenon::ObjectStore& store, tenon::Call& call) -> tenon::Result<Items> {
        std::error_code failed;
        const auto directory = tenon::platform::directory_for_temporary_files(failed);
        if (failed) {
          return tenon::detail::cannot_write("the directory for temporary files",
                                             {.attempt = "finding it",
                                              .number = failed.value(),
                                              .instead = "set TMPDIR to another directory"});
        }
        auto reader = store.get_object(call, bucket, record.contents);
        if (!reader) return std::move(reader).error();
        Sha256 hash;
        tenon::Reader counted = std::make_unique<CountedReader>(*std::move(reader), bytes);
        auto items = unpack_archive(std::make_unique<HashedReader>(std::move(counted), hash),
                                    directory, {}, call);
        if (!items) return in_archive(record.contents, items.error());
        const std::string found = hash.digits();
        if (found != record.sha256) return archive_differs(record, found);
        return items;
      });
}

std::function<tenon::Result<void>(tenon::Call&, const std::string&, tenon::Reader)> Store::putter()
    const {
  return [plugin = plugin_, bucket = session_->settings.bucket,
          bytes = session_->host.figure({.name = "written", .unit = "bytes"}),
          seconds = Caller::seconds_in(session_->host, plugin_->info)](
             tenon::Call& call, const std::string& key, tenon::Reader body) mutable {
    const auto begun = std::chrono::steady_clock::now();
    auto stored = plugin->handle->put_object(
        call, bucket, key, std::make_unique<CountedReader>(std::move(body), bytes));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun;
    seconds.add(time.count());
    return stored;
  };
}

tenon::Result<void> Store::remove(const std::string& key) {
  return call("delete_object", [bucket = session_->settings.bucket, key](tenon::ObjectStore& store,
                                                                         tenon::Call& call) {
    return store.delete_object(call, bucket, key);
  });
}

tenon::Result<std::string> Store::read_text(const std::string& key) {
  return call("get_object",
              [bucket = session_->settings.bucket, key](
                  tenon::ObjectStore& store, tenon::Call& call) -> tenon::Result<std::string> {
                auto reader = store.get_object(call, bucket, key);
                if (!reader) return std::move(reader).error();
                return read_all(call, *std::move(reader), key);
              });
}

tenon::Result<void> Store::write_text(const std::string& key, std::string text) {
  if (text.size() > largest_record) return too_large(key, "back up fewer items at once");
  return call("put_object", [bucket = session_->settings.bucket, key, text = std::move(text)](
                                tenon::ObjectStore& store, tenon::Call& call) {
    return store.put_object(call, bucket, key, std::make_unique<TextReader>(text));
  });
}

tenon::Error Store::wrong_page(const std::string& prefix, std::string message) const {
  return tenon::Error({.status = TENON_INTERNAL,
                       .message = std::move(message),
                       .where = prefix,
                       .fix = "report the error to the author of the plugin",
                       .plugin = info().name(),
                       .method = "list_objects"});
}

tenon::Result<std::vector<std::string>> Store::keys(const std::string& prefix) {
  std::vector<std::string> keys;
  for (;;) {
    const auto page = call("list_objects", [bucket = session_->settings.bucket, prefix,
                                            after = keys.empty() ? std::string() : keys.back()](
                                               tenon::ObjectStore& store, tenon::Call& call) {
      return store.list_objects(call, bucket, prefix, after, 0);
    });
    if (!page) return page.error();
    // Without these checks, a store that returns the same page again would be asked for ever.
    if (page->more && page->keys.size() == 0)
      return wrong_page(prefix, "an empty page reports that there are more keys");
    for (const std::string_view key : page->keys) {
      if (!keys.empty() && key <= keys.back()) {
        return wrong_page(prefix, "the keys are out of order: '" + std::string(key) + "' after '" +
                                      keys.back() + "'");
      }
      keys.emplace_back(key);
    }
    if (!page->more) return keys;
  }
}

tenon::Result<std::size_t> Store::remove_all(const std::string& prefix, std::string_view but) {
  const auto found = keys(prefix);
  if (!found) return found.error();
  std::size_t removed = 0;
  for (const std::string& key : *found) {
    if (key == but) continue;
    if (auto done = remove(key); !done) return std::move(done).error();
    ++removed;
  }
  return removed;
}

tenon::Result<void> Store::remove_archive(const std::string& key) {
  return remove(key);
}

tenon::Result<std::size_t> Store::remove_contents(const std::string& name) {
  return remove_all(backup_prefix(name), record_key(name));
}

tenon::Result<std::size_t> Store::remove_restores(const std::string& name) {
  return remove_all(restores_prefix(name), {});
}

tenon::Result<void> Store::remove_record(const std::string& name) {
  return remove(record_key(name));
}

std::string new_contents_key(const std::string& name, Compression compression) {
  return backup_prefix(name) + "contents-" + random_hex() +
         (compression == Compression::zstd ? ".tar.zst" : ".tar.gz");
}

tenon::Result<void> check_name(std::string_view name) {
  return check_name(name, longest_name);
}

tenon::Result<void> check_restore_name(std::string_view name) {
  return check_name(name, longest_restore_name);
}

}  // namespace backup
