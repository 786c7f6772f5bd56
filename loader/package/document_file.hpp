// SPDX-License-Identifier: BSL-1.0
//
// Files with a document of the library that people keep: locks and rules of trust.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The words of a type of such files in messages.
struct DocumentFile {
  std::string_view type;         // eg: "tenon.dev/lock"
  std::string_view name;         // eg: "lock"
  std::string_view broken_code;  // eg: "broken-lock"
  std::string_view fix;
};

/// The maximum size of such a file, in bytes.
inline constexpr std::size_t longest_document_file = 16 << 20;

/// Reads the text of a file. Errors: not-found, cannot-read.
Result<std::string> read_document_file(const std::filesystem::path& file);

/// Returns the error of a document in `file`. `json_path` is the position in it, or empty.
Error broken_document(const DocumentFile& type, const std::filesystem::path& file,
                      std::string_view json_path, std::string found, std::string needed);

/// Converts an error of reading the document to one of the file.
Error unreadable_document(const DocumentFile& type, const std::filesystem::path& file,
                          const Error& error);

/// Returns whether a text has the form of a SHA-256: 64 lowercase hexadecimal digits.
bool is_sha256(std::string_view text);

}}}  // namespace tenon::v0_1::detail
