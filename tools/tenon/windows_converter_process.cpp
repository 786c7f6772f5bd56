// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "converter_process.hpp"
#include "platform/windows/system.hpp"

namespace tenon::command {
namespace {

using platform::Handle;
using Clock = std::chrono::steady_clock;

/// A new pipe to or from a program.
struct ProgramPipe {
  Handle own;  // overlapped, so that its operations can be cancelled
  Handle of_program;
};

/// `access`: of the own end, PIPE_ACCESS_OUTBOUND or PIPE_ACCESS_INBOUND. Returns no handles, with
/// the error of the system, if it cannot be created.
ProgramPipe new_pipe(DWORD access) {
  constexpr DWORD size = 65536;
  const std::wstring name = L"\\\\.\\pipe\\tenon-converter-" + platform::random_name();
  ProgramPipe pipe;
  pipe.own = Handle(
      CreateNamedPipeW(name.c_str(), access | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                       PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, size, size, 0, nullptr));
  if (!pipe.own) return pipe;
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const DWORD other = access == PIPE_ACCESS_OUTBOUND ? GENERIC_READ : GENERIC_WRITE;
  pipe.of_program =
      Handle(CreateFileW(name.c_str(), other, 0, &inherited, OPEN_EXISTING, 0, nullptr));
  return pipe;
}

DWORD milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<DWORD>(std::max<decltype(left)>(left, 0));
}

enum class Transfer { done, failed, late };

/// Waits for an operation of an own end that has begun, or has failed, and cancels it at `end`.
Transfer complete(HANDLE pipe, OVERLAPPED& operation, bool begun, Clock::time_point end,
                  DWORD& size) {
  if (!begun && GetLastError() != ERROR_IO_PENDING) return Transfer::failed;
  if (WaitForSingleObject(operation.hEvent, milliseconds_until(end)) != WAIT_OBJECT_0) {
    CancelIo(pipe);
    GetOverlappedResult(pipe, &operation, &size, TRUE);
    return Transfer::late;
  }
  return GetOverlappedResult(pipe, &operation, &size, FALSE) != 0 ? Transfer::done
                                                                  : Transfer::failed;
}

std::string describe_exit(DWORD status) {
  constexpr DWORD error = 0xC0000000;  // the severity in the codes of the system
  if ((status & error) != error) return "it exited with status " + std::to_string(status);
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08lx", static_cast<unsigned long>(status));
  return "it crashed with the exception " + std::string(text.data());
}

}  // namespace

struct ConverterProcess::System {
  Handle process;
  Handle to_program;
  Handle from_program;
  Handle event{CreateEventW(nullptr, TRUE, FALSE, nullptr)};
  std::vector<char> memory = std::vector<char>(65536);
};

ConverterProcess::ConverterProcess(std::chrono::milliseconds limit)
    : limit_(limit), system_(std::make_unique<System>()) {}

ConverterProcess::~ConverterProcess() {
  stop();
}

std::string ConverterProcess::start(const std::filesystem::path& program) {
  const auto failed = [] { return "it cannot be started: " + platform::last_error().message(); };
  ProgramPipe in = new_pipe(PIPE_ACCESS_OUTBOUND);
  if (!in.of_program) return failed();
  ProgramPipe out = new_pipe(PIPE_ACCESS_INBOUND);
  if (!out.of_program) return failed();
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = in.of_program.get();
  startup.hStdOutput = out.of_program.get();
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  std::wstring line = L"\"" + program.wstring() + L"\"";
  PROCESS_INFORMATION process{};
  if (CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr,
                     &startup, &process) == 0) {
    return failed();
  }
  CloseHandle(process.hThread);
  system_->process = Handle(process.hProcess);
  system_->to_program = std::move(in.own);
  system_->from_program = std::move(out.own);
  return "";
}

std::string ConverterProcess::request(std::string_view line, std::string& response) {
  const auto end = Clock::now() + limit_;
  const HANDLE in = system_->to_program.get();
  const HANDLE out = system_->from_program.get();
  OVERLAPPED operation{};
  operation.hEvent = system_->event.get();
  DWORD size = 0;
  bool begun =
      WriteFile(in, line.data(), static_cast<DWORD>(line.size()), nullptr, &operation) != 0;
  const Transfer sent = complete(in, operation, begun, end, size);
  if (sent == Transfer::late) return time_out();
  if (sent == Transfer::failed) return stop();
  response.clear();
  std::vector<char>& memory = system_->memory;
  while (response.empty() || response.back() != '\n') {
    begun =
        ReadFile(out, memory.data(), static_cast<DWORD>(memory.size()), nullptr, &operation) != 0;
    const Transfer received = complete(out, operation, begun, end, size);
    if (received == Transfer::late) return time_out();
    if (received == Transfer::failed || size == 0) return stop();
    response.append(memory.data(), size);
    if (response.size() > largest_response) return "its response is too large";
  }
  response.pop_back();
  if (response.ends_with('\r')) response.pop_back();  // streams of Windows add it
  return "";
}

std::string ConverterProcess::stop() {
  system_->to_program.close();
  system_->from_program.close();
  if (!system_->process) return "";
  const HANDLE process = system_->process.get();
  if (WaitForSingleObject(process, milliseconds_until(Clock::now() + limit_)) != WAIT_OBJECT_0) {
    kill();
  }
  WaitForSingleObject(process, INFINITE);
  DWORD status = 0;
  GetExitCodeProcess(process, &status);
  system_->process.close();
  return was_killed_ ? "it was killed" : describe_exit(status);
}

std::string ConverterProcess::time_out() {
  kill();
  return "no response within " + std::to_string(limit_.count()) + " ms";
}

void ConverterProcess::kill() {
  TerminateProcess(system_->process.get(), 1);
  was_killed_ = true;
}

}  // namespace tenon::command
