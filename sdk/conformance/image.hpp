// SPDX-License-Identifier: BSL-1.0
//
// Loads a module by the functions of the system alone.
#pragma once

#include <filesystem>
#include <string>

namespace tenon::sdk::conformance {

/// Loads a file. Returns nullptr on failure, with the reason in `error`.
void* load_image(const std::filesystem::path& file, std::string& error);
/// Returns the address of a symbol; nullptr if the image does not export it.
const void* symbol_of(void* image, const char* name) noexcept;
void unload_image(void* image) noexcept;
/// Returns whether an image of the file is loaded.
bool is_mapped(const std::filesystem::path& file) noexcept;

}  // namespace tenon::sdk::conformance
