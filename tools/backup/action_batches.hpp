// SPDX-License-Identifier: BSL-1.0
//
// Passes items through their actions in batches: while the thread of the Caller executes the
// actions for one batch, the run handles the results of the previous batch and reads the next one.
// The order of calls is the same as without batches.
#pragma once

#include <tenon/mutex.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "actions.hpp"
#include "archive_path.hpp"
#include "session.hpp"

namespace backup {

/// The ids of additional items that the run has handled. Thread-safe.
class HandledItems {
 public:
  void add(const std::vector<tenon::ResourceIdV1>& ids) {
    const tenon::sync::Lock lock(mutex_);
    for (const tenon::ResourceIdV1& id : ids) ids_.insert(id_text(id));
  }
  /// Returns whether all of these ids were handled.
  bool contains(const std::vector<tenon::ResourceIdV1>& ids) const {
    const tenon::sync::Lock lock(mutex_);
    return std::all_of(ids.begin(), ids.end(), [&](const auto& id) TENON_REQUIRES(mutex_) {
      return ids_.contains(id_text(id));
    });
  }

 private:
  mutable tenon::sync::Mutex mutex_;
  std::set<std::string> ids_ TENON_GUARDED_BY(mutex_);
};

/// A Policy describes the actions of one kind:
///   Kind                          the kind
///   Item                          an item with `original_id`, `labels`, `text` and the results of
///                                 its actions
///   body(plugin, item)            returns a function of a Call that calls `execute`
///   take(plugin, index, item, r)  adds the Result of `execute` of the action `index` to the item
///   is_finished(item)             whether the remaining actions are skipped
///   is_barrier(item)              whether the run must handle the item before actions are executed
///                                 for the next one
///   needs_preparation(item)       whether the run must prepare the item after all previous items
///                                 were handled
template <class Policy>
class ActionBatches {
 public:
  using Actions = std::vector<Action<typename Policy::Kind>>;
  using Item = typename Policy::Item;

  /// The session must outlive it.
  ActionBatches(Session& session, Actions actions, Policy policy)
      : session_(session),
        shared_(std::make_shared<Shared>(std::move(actions), std::move(policy))) {}

  const Actions& actions() const noexcept { return shared_->actions; }

  /// Passes one item through its actions.
  Item run(Item item) {
    const auto series = std::make_shared<Series>(shared_);
    series->items.push_back(std::move(item));
    session_.caller.finish(start(series));
    return std::move(series->items.front());
  }

  /// Passes items through their actions. `source()` returns the next item, or nothing at the end.
  /// `wanted(item)` returns whether an item must still be processed after the run has handled a
  /// barrier. `prepare(item)` is called with each item that needs preparation. `sink(item)`
  /// receives each item after its actions, and may make calls if the item is a barrier. If the
  /// Caller was cancelled, `sink` receives only the items for which an action was executed; the
  /// last one may lack the results of further actions.
  template <class Source, class Wanted, class Prepare, class Sink>
  void run(Source source, Wanted wanted, Prepare prepare, Sink sink) {
    std::deque<Item> waiting;
    std::size_t most = 1;  // doubles with each batch until there is a barrier
    const auto begin = [&] {
      auto series = std::make_shared<Series>(shared_);
      take_batch(waiting, most, series->items);
      if (!series->items.empty() && shared_->policy.needs_preparation(series->items.front())) {
        prepare(series->items.front());
      }
      return series->items.empty() ? nullptr : start(std::move(series));
    };
    fill(waiting, source);
    for (auto started = begin(); started != nullptr;) {
      fill(waiting, source);
      session_.caller.finish(started);
      std::vector<Item>& items = started->series->items;
      if (session_.caller.cancelled()) {
        for (std::size_t i = 0; i < started->series->seen(); ++i) sink(std::move(items[i]));
        return;
      }
      const std::size_t done = started->series->done();
      const bool is_barrier = shared_->policy.is_barrier(items[done - 1]);
      most = is_barrier ? 1 : std::min(most * 2, max_items);
      const bool prepares_next =
          !waiting.empty() && shared_->policy.needs_preparation(waiting.front());
      auto next = is_barrier || prepares_next ? nullptr : begin();
      for (std::size_t i = 0; i < done; ++i) sink(std::move(items[i]));
      if (is_barrier || prepares_next) {
        waiting.insert(waiting.begin(), std::make_move_iterator(items.begin() + done),
                       std::make_move_iterator(items.end()));
        std::erase_if(waiting, [&](const Item& item) { return !wanted(item); });
        fill(waiting, source);
        next = begin();
      }
      started = std::move(next);
    }
  }

 private:
  static constexpr std::size_t max_items = 256;
  static constexpr std::size_t max_bytes = std::size_t{1} << 20;

  /// An action is given up after so many consecutive calls that did not return. Each of them costs
  /// the whole timeout.
  static constexpr int max_hung = 3;

  struct Shared {
    Shared(Actions actions, Policy policy)
        : actions(std::move(actions)), policy(std::move(policy)), hung(this->actions.size()) {}

    const Actions actions;
    const Policy policy;
    std::vector<int> hung;  // for each action, the last calls that did not return
  };

  /// The calls for a batch.
  class Series {
    using Body = std::invoke_result_t<decltype(&Policy::body), const Policy&,
                                      const PluginPtr<typename Policy::Kind>&, const Item&>;
    using Result = std::invoke_result_t<Body, tenon::Call&>;

   public:
    explicit Series(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

    bool next() {
      for (; item_ < items.size(); ++item_, action_ = 0) {
        const Item& item = items[item_];
        while (action_ < shared_->actions.size() && !shared_->policy.is_finished(item)) {
          const auto& action = shared_->actions[action_++];
          if (shared_->hung[action_ - 1] == max_hung) continue;
          if (action.selector.matches(item.original_id, item.labels)) return true;
        }
        if (!shared_->policy.is_barrier(item)) continue;
        ++item_;
        action_ = 0;
        return false;
      }
      return false;
    }
    const tenon::PluginInfo& plugin() const { return action().plugin->info; }
    auto body() const { return shared_->policy.body(action().plugin, items[item_]); }
    void take(const Result& result) {
      shared_->hung[action_ - 1] = 0;
      add(result);
    }
    void abandon(const tenon::Error& error) {
      add(error);
      if (++shared_->hung[action_ - 1] != max_hung) return;
      add(tenon::Error({.code = "action-given-up",
                        .message = "gave up after " + std::to_string(max_hung) +
                                   " calls that did not return; the action is not executed for "
                                   "further items",
                        .fix = "correct the plugin, or allow more time under \"timeouts\": "
                               "{\"call\": ...}",
                        .plugin = plugin().name(),
                        .method = "execute"}));
    }

    /// The number of items that have passed all their actions.
    std::size_t done() const noexcept { return item_; }
    /// The number of items for which an action was executed.
    std::size_t seen() const noexcept { return item_ + (action_ != 0 ? 1 : 0); }

    std::vector<Item> items;

   private:
    const auto& action() const { return shared_->actions[action_ - 1]; }
    void add(const Result& result) {
      shared_->policy.take(action().plugin, action_ - 1, items[item_], result);
    }

    const std::shared_ptr<Shared> shared_;
    std::size_t item_ = 0;
    std::size_t action_ = 0;  // the next one
  };

  auto start(std::shared_ptr<Series> series) {
    return session_.caller.start(std::move(series), "execute", session_.settings.timeouts.call);
  }

  template <class Source>
  static void fill(std::deque<Item>& waiting, Source& source) {
    std::size_t bytes = 0;
    for (const Item& item : waiting) bytes += item.text.size();
    while (waiting.size() < max_items && bytes < max_bytes) {
      std::optional<Item> item = source();
      if (!item) return;
      bytes += item->text.size();
      waiting.push_back(*std::move(item));
    }
  }

  /// Moves the items of the next batch. An item that needs preparation is a batch of its own.
  void take_batch(std::deque<Item>& waiting, std::size_t most, std::vector<Item>& batch) {
    while (!waiting.empty() && batch.size() < most) {
      const bool is_single = shared_->policy.needs_preparation(waiting.front());
      if (is_single && !batch.empty()) return;
      batch.push_back(std::move(waiting.front()));
      waiting.pop_front();
      if (is_single) return;
    }
  }

  Session& session_;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace backup
