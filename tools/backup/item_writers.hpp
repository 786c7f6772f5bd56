// SPDX-License-Identifier: BSL-1.0
//
// Writes items into a directory on several threads, and has them written to the disk meanwhile:
//
//   ItemWriters writers(directory, [&](const ItemWrite& done) { ... });
//   while (...) writers.add(next());
//   writers.finish();
#pragma once

#include <tenon/mutex.hpp>
#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "restored_directory.hpp"

namespace backup {

/// An item to write, and the result.
struct ItemWrite {
  std::size_t index;       // of the item in the backup
  tenon::ResourceIdV1 id;  // after its actions
  std::string text;
  RestoredDirectory::Existing existing;
  std::optional<std::size_t> source;  // the other item whose file has this id
  tenon::Result<RestoredDirectory::Written> written = RestoredDirectory::Written::unchanged;
};

/// Belongs to one thread, which also writes when it waits for the others.
class ItemWriters {
 public:
  /// `on_written`: called in `add` and `finish` with each item, in the order in which they were
  /// added. REQUIRED: the directory is locked, and outlives this.
  ItemWriters(const RestoredDirectory& directory, std::function<void(const ItemWrite&)> on_written);
  /// After `finish`, all items are written. Otherwise those that no thread has begun are not.
  ~ItemWriters();
  ItemWriters(const ItemWriters&) = delete;
  ItemWriters& operator=(const ItemWriters&) = delete;

  /// Adds an item. Waits while too many are not written. REQUIRED: check_id(write.id).
  void add(ItemWrite write);
  /// Waits until all items are written.
  void finish();

 private:
  using Mutex = tenon::sync::Mutex;
  using Lock = tenon::sync::Lock<Mutex>;

  /// Items that one thread writes, because waking it for each of them takes too long.
  struct Batch {
    std::vector<ItemWrite> writes;
    std::exception_ptr exception;
    bool done = false;
  };
  using Batches = std::deque<std::shared_ptr<Batch>>;

  void start_threads();
  void serve();
  void write_back();
  void submit();
  void take_results(std::size_t most);
  void write_first(RestoredDirectory::Place& place) TENON_REQUIRES(mutex_);

  const RestoredDirectory& directory_;
  const std::function<void(const ItemWrite&)> on_written_;
  RestoredDirectory::Place place_;  // of the thread of this object
  std::vector<ItemWrite> next_;     // the next batch
  std::size_t next_bytes_ = 0;      // of their texts
  Batches submitted_;               // whose results were not taken
  std::vector<std::thread> threads_;
  Mutex mutex_;
  tenon::sync::ConditionVariable changed_;
  tenon::sync::ConditionVariable write_back_due_;
  Batches waiting_ TENON_GUARDED_BY(mutex_);  // of those, the ones that no thread has begun
  std::size_t not_written_back_ TENON_GUARDED_BY(mutex_) = 0;  // items
  bool ending_ TENON_GUARDED_BY(mutex_) = false;
};

}  // namespace backup
