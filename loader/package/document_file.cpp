// SPDX-License-Identifier: BSL-1.0
#include "package/document_file.hpp"

#include <utility>

#include "base/quote.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

Result<std::string> read_document_file(const std::filesystem::path& file) {
  const auto opened = platform::File::open(file);
  if (!opened) return opened.error();
  const auto content = opened->read_all(longest_document_file);
  if (!content) return content.error();
  return std::string(reinterpret_cast<const char*>(content->data()), content->size());
}

Error broken_document(const DocumentFile& type, const std::filesystem::path& file,
                      std::string_view json_path, std::string found, std::string needed) {
  if (!json_path.empty())
    found.append("  (")
        .append(type.name)
        .append(": ")
        .append(escaped_for_display(json_path))
        .append(")");
  return Error({.code = std::string(type.broken_code),
                .where = file.string(),
                .found = std::move(found),
                .needed = std::move(needed),
                .fix = std::string(type.fix)});
}

Error unreadable_document(const DocumentFile& type, const std::filesystem::path& file,
                          const Error& error) {
  if (error.code() == "version-too-new") {
    return Error({.code = "version-too-new",
                  .where = file.string(),
                  .found = escaped_for_display(error.found()) + " of " + std::string(error.where()),
                  .needed = std::string(error.needed()),
                  .fix = "use a newer host, or " + std::string(type.fix)});
  }
  if (error.code() == "not-json") {
    return broken_document(type, file.string() + ":" + std::string(error.where()), "",
                           escaped_for_display(error.message()),
                           "a complete " + std::string(type.name) + " file in JSON");
  }
  std::string found = escaped_for_display(error.message());
  if (!error.found().empty()) {
    found += (found.empty() ? "" : ": ") + in_quotes(error.found());
  }
  return broken_document(type, file, error.where(), std::move(found),
                         error.needed().empty() ? "a document of the type " + std::string(type.type)
                                                : std::string(error.needed()));
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}}}  // namespace tenon::v0_1::detail
