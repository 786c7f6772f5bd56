// SPDX-License-Identifier: BSL-1.0
#include "inspect/missing_methods.hpp"

#include <tenon/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "binary/byte_source.hpp"
#include "binary/module_binary.hpp"
#include "catalog/compatibility.hpp"
#include "catalog/kinds.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// The memory of an image after relocation, as far as the file shows it.
class UnloadedImage {
 public:
  UnloadedImage(const ModuleBinary& file, std::vector<ModuleBinary::Pointer> pointers)
      : file_(file), pointers_(std::move(pointers)) {}

  /// Returns the value of a pointer; 0 if it is NULL.
  Result<std::uint64_t> pointer_at(std::uint64_t address) const {
    const auto found =
        std::ranges::lower_bound(pointers_, address, {}, &ModuleBinary::Pointer::address);
    if (found != pointers_.end() && found->address == address) return found->target;
    return number_at<std::uint64_t>(address);
  }
  template <class T>
  Result<T> number_at(std::uint64_t address) const {
    T number{};
    if (auto read = file_.read_address(address, number, "a vtable"); !read) {
      return std::move(read).error();
    }
    return number;
  }

 private:
  const ModuleBinary& file_;
  const std::vector<ModuleBinary::Pointer> pointers_;  // by address
};

Error missing(const MethodInfo& method, const Provided& plugin, const platform::File& file) {
  return Error({.code = "missing-method",
                .where = file.path(),
                .found = "no " + std::string(method.name) + " in " + title_of(plugin),
                .needed = "every method that the kind requires",
                .fix = "implement " + std::string(method.name)});
}

/// Adds the methods that the vtable at an address lacks.
Result<void> add_missing(const UnloadedImage& image, std::uint64_t table,
                         const KindVersion& version, const Provided& plugin,
                         const platform::File& file, std::vector<Error>& errors) {
  const auto size = image.number_at<std::uint64_t>(table);
  if (!size) return size.error();
  for (const MethodInfo& method : version.methods) {
    if (!method.required) continue;
    bool absent = method.offset >= *size;
    if (!absent) {
      const auto slot = image.pointer_at(table + method.offset);
      if (!slot) return slot.error();
      absent = *slot == 0;
    }
    if (absent) errors.push_back(missing(method, plugin, file));
  }
  return {};
}

}  // namespace

Result<std::vector<Error>> missing_methods(const platform::File& file, const Manifest& manifest) {
  std::vector<Error> errors;
  FileSource source(file);
  const auto opened = open_module_binary(source);
  if (!opened) return opened.error();
  const ModuleBinary& binary = **opened;
  const auto object = binary.find_object("tenon_module_v1");
  if (!object) return object.error();
  if (!*object) return errors;  // the error of the file says so
  auto pointers = binary.pointers();
  if (!pointers) return std::move(pointers).error();
  const UnloadedImage image(binary, std::move(*pointers));

  const std::uint64_t list = (*object)->address + offsetof(tenon_module, registrations);
  const auto entries = image.pointer_at(list + offsetof(tenon_list, data));
  if (!entries) return entries.error();
  const auto count = image.number_at<std::uint64_t>(list + offsetof(tenon_list, count));
  if (!count) return count.error();
  const auto stride = image.number_at<std::uint64_t>(list + offsetof(tenon_list, stride));
  if (!stride) return stride.error();
  for (std::size_t i = 0; i < std::min<std::uint64_t>(*count, manifest.provides.size()); ++i) {
    const Provided& plugin = manifest.provides[i];
    for (const Kind* kind : find_kinds(plugin.kind)) {
      const KindVersion* version = kind->find(plugin.version);
      if (version == nullptr || version->fingerprint != plugin.fingerprint) continue;
      const auto table =
          image.pointer_at(*entries + i * *stride + offsetof(tenon_registration, table));
      if (!table) return table.error();
      if (auto added = add_missing(image, *table, *version, plugin, file, errors); !added) {
        return std::move(added).error();
      }
      break;  // others with this fingerprint require the same methods
    }
  }
  return errors;
}

}}}  // namespace tenon::v0_1::detail
