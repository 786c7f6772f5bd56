// SPDX-License-Identifier: BSL-1.0
//
// The note that contains the manifest of a module: a header with sizes, a name, a text. All formats
// of modules share it; they differ in where it is.
#pragma once

#include <tenon/result.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "binary/byte_source.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The start of the note, before the text.
struct ManifestNote {
  std::uint32_t name_size;  // with its terminator
  std::uint32_t text_size;  // with its terminator
  std::uint32_t type;
  std::array<char, 8> name;  // padded with zeros
};

inline constexpr std::string_view manifest_note_name = "tenon";
inline constexpr std::uint64_t max_manifest_size = 1 << 20;

/// Returns the error of a file without a note in `where`, eg: "a segment of notes".
Error no_manifest(const ByteSource& source, std::string_view where);
Error two_manifests(const ByteSource& source);
Error broken_manifest(const ByteSource& source, std::string_view found);

/// Checks the size of the text with its terminator. Error: broken-manifest.
Result<void> check_manifest_size(const ByteSource& source, std::uint64_t size);
/// Returns the text of `size` bytes without its terminator. REQUIRED: check_manifest_size.
/// Errors: broken-manifest, truncated-file, cannot-read.
Result<std::string> read_manifest(ByteSource& source, std::uint64_t offset, std::uint64_t size);

}}}  // namespace tenon::v0_1::detail
