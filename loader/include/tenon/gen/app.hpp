// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/app.hpp: describes a program to other programs, and lets a program take the place of
// another one, as the tenon command does with the option -a.
#pragma once

#include <tenon/gen/document_type.hpp>
#include <tenon/gen/export.hpp>
#include <tenon/gen/kind.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace tenon {

/// Replaces the registered kinds of the process: for programs that inspect the plugins of another
/// program. Plugins of a kind without vtables cannot be created. `kinds` must live as long as the
/// process. REQUIRED: no Host exists yet.
TENON_API void use_kinds(std::vector<const Kind*> kinds);

/// Replaces the registered types of the process: for programs that read the documents of another
/// program. `types` must live as long as the process. REQUIRED: no other thread uses document types
/// yet.
TENON_API void use_document_types(std::vector<const DocumentType*> types);

/// Returns the directories in which data of an app may be installed: of the user, of this machine, of
/// the system, eg: "/usr/share/photo".
TENON_API std::vector<std::filesystem::path> data_folders(const std::string& app);

}  // namespace tenon
