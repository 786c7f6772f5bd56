// SPDX-License-Identifier: BSL-1.0
#include "binary/foreign_format.hpp"

#include <algorithm>
#include <string_view>

#include "base/quote.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view start;
  std::string_view description;
};

constexpr Format formats[] = {
    {"MZ"sv, "a module or program for Windows"sv},
    {"\xcf\xfa\xed\xfe"sv, "a module or program for macOS"sv},
    {"\xce\xfa\xed\xfe"sv, "a module or program for macOS"sv},
    {"\xca\xfe\xba\xbe"sv, "a module or program for macOS, or a Java class"sv},
    {"!<arch>\n"sv, "a static library"sv},
    {"\0asm"sv, "a WebAssembly module"sv},
    {"PK\x03\x04"sv, "a zip archive"sv},
    {"\x1f\x8b"sv, "a gzip archive"sv},
    {"\xfd"
     "7zXZ"sv,
     "an xz archive"sv},
    {"#!"sv, "a script"sv},
};

bool is_text(std::string_view start) {
  return std::all_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : (c == '\n' || c == '\r' || c == '\t' || c == '\f');
  });
}

}  // namespace

std::string describe_format(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  for (const auto& format : formats) {
    if (text.starts_with(format.start)) return std::string(format.description);
  }
  const auto shown = in_quotes(text.substr(0, std::min(text.find('\n'), std::size_t{24})));
  return (is_text(text) ? "a text file that starts with " : "an unknown format that starts with ") +
         shown;
}

}}}  // namespace tenon::v0_1::detail
