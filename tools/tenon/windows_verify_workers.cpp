// SPDX-License-Identifier: BSL-1.0
#include <tenon/mutex.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "conformance/windows_child.hpp"
#include "platform/program.hpp"
#include "platform/windows/system.hpp"
#include "verify_workers.hpp"

namespace tenon::command {
namespace {

namespace conformance = sdk::conformance;

/// Of a process that Ctrl+C has ended.
constexpr UINT status_of_interruption = 0xC000013A;  // STATUS_CONTROL_C_EXIT

/// The request to stop. Its handler runs on a thread of the system.
struct StopRequest {
  platform::Handle event{CreateEventW(nullptr, TRUE, FALSE, nullptr)};
  std::atomic<int> number = 0;
};

/// It is not destroyed, because the handler may run until the process ends.
StopRequest& stop_request() {
  static auto& request = *new StopRequest;
  return request;
}

BOOL WINAPI on_request(DWORD event) {
  const bool may_go_on = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  stop_request().number = event == CTRL_C_EVENT ? SIGINT : SIGTERM;
  SetEvent(stop_request().event.get());
  // The system ends the process when the handler returns from one of the others.
  if (!may_go_on) Sleep(INFINITE);
  return TRUE;
}

/// The threads that run modules in child processes of their own.
class Workers {
 public:
  explicit Workers(const VerifyWork& work) : work_(work) {
    SetConsoleCtrlHandler(on_request, TRUE);
  }
  ~Workers() { SetConsoleCtrlHandler(on_request, FALSE); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int run() {
    const std::size_t most = std::max(std::thread::hardware_concurrency(), 1U);
    std::vector<std::thread> threads;
    while (threads.size() < std::min(most, work_.count)) {
      threads.emplace_back([this] { run_modules(); });
    }
    for (std::thread& thread : threads) thread.join();
    const sync::Lock lock(mutex_);
    if (!failure_.empty()) throw std::runtime_error(failure_);
    return stop_request().number;
  }

 private:
  void run_modules() {
    try {
      for (std::size_t module = 0; (module = next_++) < work_.count;) run_module(module);
    } catch (const conformance::Stopped&) {
    } catch (const std::exception& error) {
      const sync::Lock lock(mutex_);
      failure_ = error.what();
      SetEvent(stop_request().event.get());
    }
  }

  void run_module(std::size_t module) {
    const auto print = [&](std::string line) {
      line.pop_back();
      const sync::Lock lock(mutex_);
      work_.printed(module, line);
    };
    const conformance::ChildSeries series(module, print, stop_request().event.get());
    work_.run(module, [&](const conformance::Result& result) {
      const sync::Lock lock(mutex_);
      work_.case_ended(module, result.verdict, result.reason);
    });
    const sync::Lock lock(mutex_);
    work_.module_ended(module);
  }

  const VerifyWork& work_;
  std::atomic<std::size_t> next_ = 0;
  sync::Mutex mutex_;  // for one call of `work_` at a time
  std::string failure_ TENON_GUARDED_BY(mutex_);
};

}  // namespace

int run_in_processes(const VerifyWork& work) {
  if (const auto module = conformance::ChildSeries::of_this_process()) {
    {
      const conformance::ChildSeries series(*module);
      work.run(*module, [](const conformance::Result&) {});
    }
    platform::end_process(0);  // its cases are others than those of the parent
  }
  return Workers(work).run();
}

void end_by(int) {
  TerminateProcess(GetCurrentProcess(), status_of_interruption);
}

}  // namespace tenon::command
