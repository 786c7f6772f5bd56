// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/storage_bag.hpp: moves fields into the bag of a document and back.
#pragma once

#include <tenon/detail/bag.hpp>
#include <tenon/detail/conversion.hpp>
#include <tenon/detail/storage_json.hpp>

#include <concepts>
#include <span>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// The key of a field in a bag: its name, its version, and its type as the spec writes it.
struct BagField {
  std::string_view name;
  std::string_view version;
  std::string_view type;
};

namespace detail {

/// Removes the entries of a field.
inline void drop(Conversion& conversion, Bag& bag, std::string_view name,
                 std::span<const std::string_view> versions) {
  if (bag.empty()) return;
  while (const BagEntry* stale = bag.find(name, versions)) bag.remove(conversion, *stale);
}

}  // namespace detail

/// Puts a field that the target cannot name into the bag, unless it is absent. Removes entries with
/// the same name from `versions`, in which the field has the same type. The value must live as long
/// as the results of the conversion.
template <class Form>
void push(Conversion& conversion, Bag& bag, const BagField& from,
          std::span<const std::string_view> versions, const Form* field) {
  detail::drop(conversion, bag, from.name, versions);
  if (field == nullptr || !conversion.keeps()) return;
  bag.put(conversion, {from.name,
                       from.version,
                       from.type,
                       {},
                       conversion.make(*field),
                       detail::write_erased<Form>});
}

namespace detail {

/// Reads the value of an entry. If it returns false, the conversion has failed.
using ReadEntry = bool (*)(Conversion& conversion, const json::Reader& in, void* value);
TENON_API bool read_entry(Conversion& conversion, const BagEntry& entry, std::string_view type,
                          ReadEntry read, void* value);

/// Returns the value of an entry in `field`, which stays nullptr for null unless that is a value.
/// Returns false if the value has another type.
template <class Form>
bool read_bagged(Conversion& conversion, const BagEntry& entry, std::string_view type,
                 const Form*& field) {
  if (entry.write == write_erased<Form> && entry.type == type) {
    field = static_cast<const Form*>(entry.stored);
    return true;
  }
  const bool is_value = std::same_as<Form, StoredJson> && entry.type == type;
  if (!is_value && entry.stored == nullptr && entry.value == "null") return true;
  auto* made = conversion.make<Form>();
  const auto read = [](Conversion& reading, const json::Reader& in, void* value) {
    return read_value(reading, in, *static_cast<Form*>(value));
  };
  if (!read_entry(conversion, entry, type, read, made)) return false;
  field = made;
  return true;
}

}  // namespace detail

/// Takes a field that the source could not name out of the bag: the entry of a version in which it
/// has the same type or, unless `exact`, an entry of a lenient reader with this name, if its type
/// fits. The field stays absent if there is none. The conversion fails if the entry of one of
/// `versions` has another type, unless a lenient reader kept it.
template <bool exact = false, class Form>
bool pull(Conversion& conversion, Bag& bag, std::string_view name, std::string_view type,
          std::span<const std::string_view> versions, const Form*& field) {
  if (bag.empty()) return true;
  const BagEntry* entry = bag.find(name, versions);
  if (!exact && entry == nullptr) entry = bag.find_unknown(name);
  if (entry == nullptr) return true;
  // A lenient reader also keeps values that do not fit the type in their own version.
  const bool must_fit = entry->type != "json" || type == "json";
  if (!detail::read_bagged(conversion, *entry, type, field)) return !must_fit;
  bag.remove(conversion, *entry);
  return true;
}

/// Reconciles a field that both versions have with the bag. If it is absent, an older program that
/// did not know its name may have put it into the bag, and it is taken out. Otherwise older values
/// are removed from the bag.
template <bool exact = false, class Form>
bool reconcile(Conversion& conversion, Bag& bag, std::string_view name, std::string_view type,
               std::span<const std::string_view> versions, const Form*& field) {
  if (field == nullptr) return pull<exact>(conversion, bag, name, type, versions, field);
  detail::drop(conversion, bag, name, versions);
  return true;
}

/// Records in the bag that a field of that version is absent, for steps that would otherwise give
/// it a value on the way back. The value of the entry is null. For a field of type json, in which
/// null is a value, the type of the entry is "absent".
TENON_API void push_absence(Conversion& conversion, Bag& bag, const BagField& from);

/// Removes such an entry. Returns whether there was one.
TENON_API bool pull_absence(Conversion& conversion, Bag& bag, std::string_view name,
                            std::span<const std::string_view> versions);

}}  // namespace tenon::v0_1
