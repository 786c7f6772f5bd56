// SPDX-License-Identifier: BSL-1.0
//
// Asynchronous operations, which an action continues after its `execute` has returned.
#pragma once

#include <tenon/operation_progress.hpp>
#include <tenon/resource_id.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report.hpp"
#include "session.hpp"

namespace backup {

/// Returns the error of an operation that has failed.
tenon::Error operation_failed(const tenon::PluginInfo& plugin, const std::string& id,
                              std::string_view reason);
/// Returns the error of an operation that has not ended in time.
tenon::Error operation_timed_out(const tenon::PluginInfo& plugin, const std::string& id,
                                 std::chrono::nanoseconds timeout);

/// The items to back up after an operation of `item` has ended.
struct PostOperationItems {
  tenon::ResourceIdV1 item;
  std::vector<tenon::ResourceIdV1> items;
};

/// K is a kind of actions. Run is the document that they receive: of the backup or the restore.
template <class K, class Run>
class Operations {
 public:
  /// The session and the report must outlive the Operations.
  Operations(Session& session, std::shared_ptr<const Run> run, Report& report)
      : session_(session), run_(std::move(run)), report_(report) {}

  /// Adds an operation of `item`. `wait` returns `items` when the operation has ended.
  void add(PluginPtr<K> plugin, std::string id, tenon::ResourceIdV1 item,
           std::vector<tenon::ResourceIdV1> items) {
    open_.push_back({std::move(plugin), std::move(id), std::move(item), std::move(items),
                     std::chrono::steady_clock::now() + session_.settings.timeouts.operation});
  }

  /// Polls until every operation has succeeded or failed. Cancels operations that time out, and all
  /// if the run was interrupted or `gives_up` returns true. Returns the post-operation items.
  std::vector<PostOperationItems> wait(const std::function<bool()>& gives_up) {
    std::vector<PostOperationItems> post;
    for (;;) {
      std::erase_if(open_, [&](Operation& operation) {
        if (!has_ended(operation)) return false;
        post.push_back({std::move(operation.item), std::move(operation.items)});
        return true;
      });
      const bool interrupted = session_.caller.cancelled();
      if (interrupted) session_.caller.begin_cleanup();
      if (interrupted || gives_up()) {
        for (const Operation& operation : open_) cancel(operation);
        open_.clear();
      }
      if (open_.empty()) return post;
      session_.caller.wait(session_.settings.timeouts.poll);
    }
  }

 private:
  struct Operation {
    PluginPtr<K> plugin;
    std::string id;
    tenon::ResourceIdV1 item;
    std::vector<tenon::ResourceIdV1> items;
    std::chrono::steady_clock::time_point deadline;
  };

  bool has_ended(const Operation& operation) {
    if (session_.caller.cancelled()) return false;
    const auto progress =
        session_.caller.call(operation.plugin, "progress", session_.settings.timeouts.call,
                             [id = operation.id, run = run_](K& action, tenon::Call& call) {
                               return action.progress(call, id, *run);
                             });
    if (progress && progress->completed()) {
      if (progress->error()) {
        report_.error(operation_failed(operation.plugin->info, operation.id, *progress->error()),
                      operation.item);
      }
      return true;
    }
    // The call may have failed only because the run was interrupted: `wait` cancels the operation.
    if (!progress && session_.caller.cancelled()) return false;
    if (!progress && !progress.error().retryable()) {
      report_.error(progress.error(), operation.item);
      return true;
    }
    if (std::chrono::steady_clock::now() < operation.deadline) return false;
    report_.error(operation_timed_out(operation.plugin->info, operation.id,
                                      session_.settings.timeouts.operation),
                  operation.item);
    cancel(operation);
    return true;
  }

  void cancel(const Operation& operation) {
    const auto cancelled =
        session_.caller.call(operation.plugin, "cancel", session_.settings.timeouts.call,
                             [id = operation.id, run = run_](K& action, tenon::Call& call) {
                               return action.cancel(call, id, *run);
                             });
    if (!cancelled) report_.error(cancelled.error(), operation.item);
  }

  Session& session_;
  std::shared_ptr<const Run> run_;
  Report& report_;
  std::vector<Operation> open_;
};

}  // namespace backup
