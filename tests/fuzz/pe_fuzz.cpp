// SPDX-License-Identifier: BSL-1.0
//
// The reader of DLLs. An accepted file is consistent: what it exports, calls and relocates lies in
// the image, and the result of one function does not contradict another.
#include <algorithm>
#include <string>

#include "binary/byte_source.hpp"
#include "binary/pe.hpp"
#include "fuzz/fuzzing.hpp"

namespace {

using tenon::fuzzing::require;

template <class T>
void require_valid_error(const tenon::Result<T>& result) {
  if (result) return;
  const tenon::Error& error = result.error();
  require(!error.code().empty() && error.where() == "fuzz" && !error.found().empty());
  require(!error.needed().empty() && !error.fix().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tenon::detail::ModuleBinary;
  tenon::detail::MemorySource source("fuzz", std::as_bytes(std::span(data, size)));
  const auto file = tenon::detail::PeFile::open(source);
  require_valid_error(file);
  if (!file) return 0;
  require(!file->machine().empty() && !file->check_system());

  const auto text = file->manifest_text();
  require_valid_error(text);
  require(!text || (!text->empty() && text->find('\0') == std::string::npos));

  const auto object = file->find_object("tenon_module_v1");
  require_valid_error(object);
  if (object && *object) {
    char last = 0;
    require((*object)->available > 0);
    const auto end = (*object)->address + (*object)->available;
    const auto read = file->read_address(end - 1, last, "the object");
    require(read || read.error().found().ends_with("not readable"));
  }

  const auto imports = file->imports();
  require_valid_error(imports);
  if (imports) {
    std::size_t length = 0;
    for (const auto& import : *imports) {
      length += import.library.size();
      for (const std::string& function : import.functions) length += function.size();
    }
    require(length <= 4 * size);
  }
  require_valid_error(file->thread_callbacks());
  const auto pointers = file->pointers();
  require_valid_error(pointers);
  require(!pointers || std::ranges::is_sorted(*pointers, {}, &ModuleBinary::Pointer::address));
  const auto checked = file->check_tables();
  require_valid_error(checked);
  require(!checked || pointers.has_value());
  return 0;
}
