// SPDX-License-Identifier: BSL-1.0
#include "host/module_finder.hpp"

#include <chrono>
#include <mutex>
#include <utility>

#include "catalog/search_path.hpp"

namespace tenon::inline v0_1::detail {

Result<void> ModuleFinder::watch(FileWatcher::Callback changed) {
  auto watcher = FileWatcher::start(std::move(changed));
  if (!watcher) return std::move(watcher).error();
  watcher_ = std::move(*watcher);
  return {};
}

bool ModuleFinder::stop_watching(FileWatcher::Clock::time_point deadline) noexcept {
  std::unique_ptr<FileWatcher> ended;  // stopped without the lock, since that waits for a callback
  {
    const std::lock_guard lock(scanning_);
    ended = std::move(watcher_);
  }
  return ended == nullptr || ended->stop(deadline);
}

std::vector<Event> ModuleFinder::rescan(const CatalogStore::MakeModule& make) {
  const std::lock_guard lock(scanning_);
  Scan found = scan(search_paths(options_.app, options_.plugin_path), known_files_,
                    std::chrono::system_clock::now());
  watch_all(found);
  std::vector<Event> released = catalog_.list(std::move(found.modules), std::move(found.skipped),
                                              make, std::move(found.broken));
  forget_unlisted();
  return released;
}

void ModuleFinder::watch_all(Scan& found) {
  if (watcher_ == nullptr) return;
  for (const FoundModule& module : found.modules) {
    if (auto added = watcher_->add(module.file); !added) {
      found.skipped.push_back(added.error().graded(ErrorGrade::warning));
    }
  }
}

/// Stops watching files whose modules are no longer in the catalog.
void ModuleFinder::forget_unlisted() {
  if (watcher_ == nullptr) return;
  const auto catalog = catalog_.current();
  watcher_->remove_if([&](const auto& file) { return catalog->module_of(file) == nullptr; });
}

}  // namespace tenon::inline v0_1::detail
