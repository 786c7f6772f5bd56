// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "platform/windows/system.hpp"
#include "svg.hpp"

namespace tenon::command {
namespace {

using platform::Handle;

Exit without_graphviz() {
  std::cerr << "tenon graph: cannot run dot: " << platform::last_error().message() << "\n"
            << "   needed  the program dot of Graphviz in a directory of PATH\n"
            << "   fix     install Graphviz, or use --format dot or mermaid\n";
  return io_error;
}

/// Returns the path of dot in a directory of PATH, and not in the working directory, as the system
/// would; empty if there is none.
std::filesystem::path find_dot() {
  std::array<wchar_t, 32768> path{};
  const wchar_t* const directories = _wgetenv(L"PATH");
  const DWORD size = SearchPathW(directories != nullptr ? directories : L"", L"dot.exe", nullptr,
                                 static_cast<DWORD>(path.size()), path.data(), nullptr);
  return std::wstring(path.data(), size);
}

}  // namespace

Exit print_svg(const std::string& dot) {
  std::cout.flush();
  const std::filesystem::path program = find_dot();
  if (program.empty()) return without_graphviz();
  HANDLE ends[2];
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  if (CreatePipe(&ends[0], &ends[1], &inherited, 0) == 0) return without_graphviz();
  Handle in(ends[0]);
  Handle out(ends[1]);
  SetHandleInformation(out.get(), HANDLE_FLAG_INHERIT, 0);
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = in.get();
  startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  wchar_t line[] = L"dot -Tsvg";
  PROCESS_INFORMATION process{};
  if (CreateProcessW(program.c_str(), line, nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup,
                     &process) == 0) {
    return without_graphviz();
  }
  const Handle running(process.hProcess);
  CloseHandle(process.hThread);
  in.close();
  static_cast<void>(platform::write_all(out.get(), dot));  // dot may exit before it has read it
  out.close();
  WaitForSingleObject(running.get(), INFINITE);
  DWORD status = 1;
  GetExitCodeProcess(running.get(), &status);
  if (status == 0) return success;
  std::cerr << "tenon graph: dot failed, see its messages above\n";
  return io_error;
}

}  // namespace tenon::command
