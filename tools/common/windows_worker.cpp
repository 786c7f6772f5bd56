// SPDX-License-Identifier: BSL-1.0
//
// The system calls the handler for the console on a thread of its own.
#include <tenon/mutex.hpp>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <string>

#include "common/worker.hpp"
#include "platform/program.hpp"
#include "platform/windows/system.hpp"

namespace tenon::tools {
namespace {

/// The name of the program; nullptr if it is not supervised.
constinit std::atomic<const char*> supervised = nullptr;
constinit std::atomic<bool> is_completed = false;

// -- The end of the process ---------------------------------------------------

/// Ends the process with status 1 if something calls exit too early.
void check_completed() {
  const char* const program = supervised;
  if (program == nullptr || is_completed) return;
  const HANDLE errors = GetStdHandle(STD_ERROR_HANDLE);
  static_cast<void>(platform::write_all(errors, program));
  static_cast<void>(platform::write_all(errors,
                                        ": a plugin, or a library that it uses, ended the process "
                                        "before its work was completed\n"));
  platform::end_process(1);
}

// -- Requests of the operator -------------------------------------------------

struct Requests {
  sync::Mutex mutex;
  sync::ConditionVariable changed;
  std::deque<int> unread TENON_GUARDED_BY(mutex);
  int count TENON_GUARDED_BY(mutex) = 0;
};

/// It is not destroyed, because the handler may run until the process ends.
Requests& requests() {
  static auto& all = *new Requests;
  return all;
}

int number_of(DWORD request) noexcept {
  if (request == CTRL_C_EVENT) return SIGINT;
  return request == CTRL_BREAK_EVENT ? SIGBREAK : SIGTERM;
}

BOOL WINAPI on_request(DWORD request) {
  const int number = number_of(request);
  {
    const sync::Lock lock(requests().mutex);
    if (++requests().count > 2) platform::end_process(128 + number);
    requests().unread.push_back(number);
    requests().changed.notify_all();
  }
  // The system ends the process when the handler returns from one of the others.
  if (number == SIGTERM) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

void supervise(const char* program) {
  supervised = program;
  std::atexit(check_completed);
  static_cast<void>(requests());
  SetConsoleCtrlHandler(on_request, TRUE);
}

int completed(int status) noexcept {
  is_completed = true;
  return status;
}

struct SignalReader::State {
  bool ended = false;  // guarded by the mutex of the requests
};

SignalReader::SignalReader() : state_(std::make_unique<State>()) {}

SignalReader::~SignalReader() = default;

std::optional<int> SignalReader::next() {
  Requests& all = requests();
  sync::Lock lock(all.mutex);
  all.changed.wait(
      lock, [&]() TENON_REQUIRES(all.mutex) { return state_->ended || !all.unread.empty(); });
  if (state_->ended) return std::nullopt;
  const int number = all.unread.front();
  all.unread.pop_front();
  return number;
}

void SignalReader::end() noexcept {
  const sync::Lock lock(requests().mutex);
  state_->ended = true;
  requests().changed.notify_all();
}

}  // namespace tenon::tools
