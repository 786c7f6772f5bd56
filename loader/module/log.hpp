// SPDX-License-Identifier: BSL-1.0
//
// What the loader and its plugins log. Goes to the spdlog logger named "tenon" where the program
// has registered one, else to standard error.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::detail {

/// On behalf of the plugin whose code the thread is in. `level` is a TENON_LOG_ number.
void log_from_plugin(std::int32_t level, std::string_view message);
/// On behalf of a module that logs outside of its calls.
void log_from_module(std::string_view module, std::int32_t level, std::string_view message);
/// Of the loader itself.
bool logs_debug() noexcept;
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_fatal(std::string_view message) noexcept;

}  // namespace tenon::detail
