// SPDX-License-Identifier: BSL-1.0
#include "code/exit_report.hpp"

#include <cstdlib>
#include <string_view>

#include "base/fork.hpp"
#include "base/own_library.hpp"
#include "call/thread_records.hpp"
#include "code/generation.hpp"
#include "platform/exit_handlers.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Runs when the process exits, on the thread that called exit.
void check_exit(std::string_view function, const platform::ProcessMark& process) noexcept {
  const auto* generation = static_cast<const Generation*>(innermost_serving());
  if (generation == nullptr || process.inherited()) return;
  const std::string_view plugin = innermost_plugin();
  platform::write_to_standard_error({"tenon: ", plugin.empty() ? generation->package() : plugin,
                                     " called ", function, "; the process ends with status 1\n"});
  std::_Exit(EXIT_FAILURE);
}

struct ExitReport {
  ExitReport() noexcept {
    platform::leave_library_loaded();
    platform::add_exit_handlers([] { check_exit("exit()", the().process); },
                                [] { check_exit("quick_exit()", the().process); });
  }
  static const ExitReport& the() noexcept {
    static const ExitReport report;
    return report;
  }

  const platform::ProcessMark process;
};

}  // namespace

void report_exits() noexcept {
  ExitReport::the();
}

}}}  // namespace tenon::v0_1::detail
