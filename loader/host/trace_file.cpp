// SPDX-License-Identifier: BSL-1.0
#include "host/trace_file.hpp"

#include <tenon/detail/json.hpp>
#include <tenon/mutex.hpp>

#include <exception>

#include "call/events.hpp"
#include "control/trace_text.hpp"
#include "platform/output_file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::chrono::milliseconds interval(50);

}  // namespace

/// What the thread and the object share. Members without a comment belong to the thread.
struct TraceFile::State {
  State(platform::OutputFile created, std::shared_ptr<CallTrace> traced, std::string app,
        std::shared_ptr<Log> lines)
      : trace(std::move(traced)),
        log(std::move(lines)),
        file(std::move(created)),
        text(trace, std::move(app)) {}

  void run();
  Result<void> write();
  Result<bool> write_some();
  bool wait() TENON_EXCLUDES(mutex);

  const std::shared_ptr<CallTrace> trace;  // any thread
  const std::shared_ptr<Log> log;
  platform::OutputFile file;
  TraceText text;
  bool has_elements = false;
  sync::Mutex mutex;
  sync::ConditionVariable changed;
  bool stopped TENON_GUARDED_BY(mutex) = false;
};

/// Returns whether the trace has to end.
bool TraceFile::State::wait() {
  sync::Lock lock(mutex);
  return changed.wait_for(lock, interval, [this]() TENON_REQUIRES(mutex) { return stopped; });
}

void TraceFile::State::run() {
  Result<void> written;
  try {
    for (bool last = false; written && !last;) {
      last = wait();
      written = write();
    }
    if (written) written = file.write("\n]\n");
  } catch (const std::exception&) {  // out of memory
  }
  trace->end();
  if (!written) log->write(LogLevel::warn, "the trace ends: " + in_one_line(written.error()));
}

/// Appends what was recorded since the last time.
Result<void> TraceFile::State::write() {
  for (;;) {
    const auto written = write_some();
    if (!written) return written.error();
    if (!*written) return {};
  }
}

/// Appends some of it. Returns false if there is nothing.
Result<bool> TraceFile::State::write_some() {
  json::Writer out;
  out.begin_array();
  const std::size_t elements = text.write(out);
  out.end_array();
  if (elements == 0) return false;
  const std::string_view array = out.view();
  std::string lines = has_elements ? ",\n" : "[\n";
  has_elements = true;
  if (auto written = file.write(lines.append(array.substr(1, array.size() - 2))); !written) {
    return written.error();
  }
  return true;
}

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::filesystem::path& path,
                                                     std::string app,
                                                     std::shared_ptr<CallTrace> trace,
                                                     std::shared_ptr<Log> log) {
  auto file = platform::OutputFile::create(path);
  if (!file) return std::move(file).error();
  trace->begin();
  std::unique_ptr<TraceFile> writer(new TraceFile(
      std::make_shared<State>(*std::move(file), std::move(trace), std::move(app), std::move(log))));
  auto started = writer->thread_.start("the trace", [state = writer->state_] { state->run(); });
  if (!started) {
    writer->state_->trace->end();
    return std::move(started).error();
  }
  return writer;
}

TraceFile::~TraceFile() {
  stop(Clock::now());
}

bool TraceFile::stop(Clock::time_point deadline) noexcept {
  {
    const sync::Lock lock(state_->mutex);
    state_->stopped = true;
    state_->changed.notify_all();
  }
  return thread_.end(deadline);
}

}}}  // namespace tenon::v0_1::detail
