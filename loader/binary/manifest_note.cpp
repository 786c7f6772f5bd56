// SPDX-License-Identifier: BSL-1.0
#include "binary/manifest_note.hpp"

#include <span>

namespace tenon { inline namespace v0_1 { namespace detail {

Error no_manifest(const ByteSource& source, std::string_view where) {
  return source.problem(
      "no-manifest", "a shared library without a tenon note",
      "the note that TENON_MODULE or TENON_PLUGIN writes, in " + std::string(where),
      "if this is a plugin, declare it with one of them; otherwise remove it from the plugin "
      "directory");
}

Error two_manifests(const ByteSource& source) {
  return source.problem("two-manifests", "more than one tenon note", "exactly one",
                        "declare one module per library: list all its plugins in one TENON_MODULE");
}

Error broken_manifest(const ByteSource& source, std::string_view found) {
  return source.problem("broken-manifest", found,
                        "a note with a text of 1 byte to 1 MiB and its terminator",
                        "build the module with TENON_MODULE or TENON_PLUGIN, which write the note");
}

Result<void> check_manifest_size(const ByteSource& source, std::uint64_t size) {
  if (size < 2) return broken_manifest(source, "an empty note");
  if (size > max_manifest_size + 1) return broken_manifest(source, "a note of more than 1 MiB");
  return {};
}

Result<std::string> read_manifest(ByteSource& source, std::uint64_t offset, std::uint64_t size) {
  std::string text(size, '\0');
  auto read = source.read(offset, std::as_writable_bytes(std::span(text)), "the manifest");
  if (!read) return std::move(read).error();
  if (text.find('\0') != text.size() - 1) {
    return broken_manifest(source, "a text whose terminator is missing or not at its end");
  }
  text.pop_back();
  return text;
}

}}}  // namespace tenon::v0_1::detail
