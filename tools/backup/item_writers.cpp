// SPDX-License-Identifier: BSL-1.0
#include "item_writers.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace backup {
namespace {

constexpr std::size_t items_in_batch = 16;
constexpr std::size_t bytes_in_batch = std::size_t{1} << 20;
/// As many batches may wait or be written at once.
constexpr std::size_t most_batches = 8;
/// A directory is locked while a file gets its name, so more threads would mostly wait.
constexpr unsigned most_threads = 4;
/// Each time this many were written, they are written to the disk, which takes as long as writing
/// them did. Few items are left to the end.
constexpr std::size_t items_in_write_back = 4096;

}  // namespace

ItemWriters::ItemWriters(const RestoredDirectory& directory,
                         std::function<void(const ItemWrite&)> on_written)
    : directory_(directory), on_written_(std::move(on_written)) {}

ItemWriters::~ItemWriters() {
  {
    const Lock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
    write_back_due_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void ItemWriters::add(ItemWrite write) {
  next_bytes_ += write.text.size();
  next_.push_back(std::move(write));
  if (next_.size() < items_in_batch && next_bytes_ < bytes_in_batch) return;
  submit();
  take_results(most_batches);
}

void ItemWriters::finish() {
  submit();
  take_results(0);
}

/// Lets a thread write the items of the next batch.
void ItemWriters::submit() {
  if (next_.empty()) return;
  if (threads_.empty()) start_threads();
  auto batch = std::make_shared<Batch>();
  batch->writes = std::exchange(next_, {});
  next_bytes_ = 0;
  submitted_.push_back(batch);
  const Lock lock(mutex_);
  waiting_.push_back(std::move(batch));
  changed_.notify_all();
}

/// Starts the other threads. Without them, this thread writes everything.
void ItemWriters::start_threads() {
  const unsigned count = std::clamp(std::thread::hardware_concurrency(), 2U, most_threads) - 1;
  try {
    while (threads_.size() < count) threads_.emplace_back([this] { serve(); });
    threads_.emplace_back([this] { write_back(); });
  } catch (const std::system_error&) {
  }
}

void ItemWriters::serve() {
  RestoredDirectory::Place place;
  Lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this]() TENON_REQUIRES(mutex_) { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    write_first(place);
  }
}

void ItemWriters::write_back() {
  Lock lock(mutex_);
  while (true) {
    write_back_due_.wait(lock, [this]() TENON_REQUIRES(mutex_) {
      return ending_ || not_written_back_ >= items_in_write_back;
    });
    if (ending_) return;
    not_written_back_ = 0;
    const tenon::sync::Unlock unlocked(mutex_);
    directory_.write_back();
  }
}

/// Writes the first batch that waits. Releases the mutex meanwhile.
void ItemWriters::write_first(RestoredDirectory::Place& place) {
  const std::shared_ptr<Batch> batch = std::move(waiting_.front());
  waiting_.pop_front();
  {
    const tenon::sync::Unlock unlocked(mutex_);
    try {
      RestoredDirectory::write_several([&] {
        for (ItemWrite& write : batch->writes) {
          write.written = directory_.write(write.id, write.text, write.existing, place);
        }
      });
    } catch (...) {
      batch->exception = std::current_exception();
    }
  }
  batch->done = true;
  not_written_back_ += batch->writes.size();
  if (not_written_back_ >= items_in_write_back) write_back_due_.notify_all();
  changed_.notify_all();
}

/// Takes results until at most `most` batches are left. Writes meanwhile.
void ItemWriters::take_results(std::size_t most) {
  while (!submitted_.empty()) {
    const std::shared_ptr<Batch> first = submitted_.front();
    {
      Lock lock(mutex_);
      while (!first->done && submitted_.size() > most) {
        if (waiting_.empty()) {
          changed_.wait(lock);
        } else {
          write_first(place_);
        }
      }
      if (!first->done) return;
    }
    submitted_.pop_front();
    if (first->exception) std::rethrow_exception(first->exception);
    for (const ItemWrite& write : first->writes) on_written_(write);
  }
}

}  // namespace backup
