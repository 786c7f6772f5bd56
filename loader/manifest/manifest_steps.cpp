// SPDX-License-Identifier: BSL-1.0
//
// Converts manifests between version 1 and 2. In version 1, the details of the author are one
// object in a list. Version 2 has the object itself, and known keys also as fields.
//
// The bag holds what the other version cannot express: of version 1, the list if it has more than
// the object; of version 2, the details if they are not an object, and each field that differs from
// the details.
#include <tenon/manifest_steps.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tenon {
namespace {

using Details = StoredList<StoredJson>;

constexpr std::string_view nothing = "null";

constexpr std::string_view version_1[] = {"1"};
constexpr std::string_view version_2[] = {"2"};
// Not "details", which is any JSON in version 2.
constexpr BagField list_1{"details.list", "1", "list<json>"};
constexpr BagField details_2{"details", "2", "json"};

/// Calls `visit(key in the details, field in the bag, member)` for each known detail.
template <class Visit>
void for_each_detail(Visit&& visit) {
  using Manifest = ManifestV2Storage;
  visit("summary", BagField{"summary", "2", "string"}, &Manifest::summary);
  visit("description", BagField{"description", "2", "string"}, &Manifest::description);
  visit("author", BagField{"author", "2", "string"}, &Manifest::author);
  visit("license", BagField{"license", "2", "string"}, &Manifest::license);
  visit("homepage", BagField{"homepage", "2", "string"}, &Manifest::homepage);
  visit("requires", BagField{"requirements", "2", "map<string>"}, &Manifest::requirements);
  visit("properties", BagField{"properties", "2", "map<map<json>>"}, &Manifest::properties);
  visit("state", BagField{"state", "2", "state"}, &Manifest::state);
  visit("threads", BagField{"threads", "2", "string"}, &Manifest::threads);
  visit("handled", BagField{"handled", "2", "list<string>"}, &Manifest::handled);
}

/// Swaps the version numbers 1 and 2 of a manifest.
const std::int32_t* other_version(Conversion& conversion, const std::int32_t* version) {
  if (version == nullptr || (*version != 1 && *version != 2)) return version;
  return conversion.make<std::int32_t>(3 - *version);
}

bool is_padding(const StoredJson& element) {
  return text_of(element.text) == nothing;
}

/// Returns the index of the first element that is not padding, or the size of the list.
std::size_t index_of_object(const Details& list) {
  std::size_t i = 0;
  while (i < list.size() && is_padding(list[i])) ++i;
  return i;
}

/// Returns the list with another element at an index, which may be the size of the list.
Details with(Conversion& conversion, const Details& list, std::size_t index,
             const StoredJson& element) {
  const std::size_t count = std::max(list.size(), index + 1);
  auto* elements = conversion.make_array<StoredJson>(count);
  for (std::size_t i = 0; i < list.size(); ++i) elements[i] = list[i];
  elements[index] = element;
  return {{elements, count, sizeof(StoredJson)}};
}

// -- The details as fields ----------------------------------------------------

/// Reads requirements. Null accepts any version.
bool read_detail(Conversion& conversion, const json::Reader& in, StoredMap<tenon_string>& map) {
  std::size_t count = 0;
  if (!in.read_object(count)) return false;
  auto* keys = conversion.make_array<tenon_string>(count);
  auto* values = conversion.make_array<tenon_string>(count);
  map.raw = {{keys, count, sizeof(tenon_string)}, {values, count, sizeof(tenon_string)}};
  for (const auto& [key, value] : in.members()) {
    *keys++ = conversion.copy(key);
    tenon_string& text = *values++;
    text = {"", 0};
    if (value.form() != json::Form::null && !read_stored(conversion, value, text)) return false;
  }
  return true;
}

/// Reads the state. Unknown keys are ignored.
bool read_detail(Conversion& conversion, const json::Reader& in, ManifestV2StateStorage& state) {
  std::size_t count = 0;
  if (!in.read_object(count)) return false;
  json::Fields fields(in);
  bool good = true;
  const auto read = [&]<class Form>(std::string_view name, const Form*& field) {
    const json::Reader* found = good ? fields.take(name) : nullptr;
    if (found == nullptr || found->form() == json::Form::null) return;
    auto* made = conversion.make<Form>();
    field = made;
    good = read_stored(conversion, *found, *made);
  };
  ManifestV2StateStorage::for_each_field(state, read);
  return good;
}

template <class Form>
bool read_detail(Conversion& conversion, const json::Reader& in, Form& value) {
  return read_stored(conversion, in, value);
}

/// Reads the known details. Returns false if the parser has an error.
bool read_details(Conversion& conversion, const json::Reader& object, ManifestV2Storage& to) {
  json::Fields fields(object);
  // Copies texts, because the manifest outlives the parser.
  const bool copies = std::exchange(conversion.copies, true);
  bool good = true;
  const auto read = [&]<class Form>(std::string_view key, const BagField&,
                                    const Form* ManifestV2Storage::*field) {
    const json::Reader* found = good ? fields.take(key) : nullptr;
    if (found == nullptr || found->form() == json::Form::null) return;
    auto* made = conversion.make<Form>();
    to.*field = made;
    good = read_detail(conversion, *found, *made);
  };
  for_each_detail(read);
  conversion.copies = copies;
  return good;
}

/// Parses details; returns nothing if they are not an object.
std::optional<json::Reader> object_of(json::Parser& parser, const StoredJson* details) {
  if (details == nullptr || !text_of(details->text).starts_with('{')) return std::nullopt;
  const Result<json::Reader> root = parser.parse(text_of(details->text));
  return root ? std::optional(*root) : std::nullopt;
}

/// Sets the details and their fields from the list of version 1.
bool set_details(Conversion& conversion, const Details* list, ManifestV2Storage& to) {
  const std::size_t index = list != nullptr ? index_of_object(*list) : 0;
  if (list == nullptr || index == list->size()) return true;
  to.details = &(*list)[index];
  json::Parser parser;
  const auto object = object_of(parser, to.details);
  if (!object || read_details(conversion, *object, to)) return true;
  return conversion.fail("details[" + std::to_string(index) + "]", parser.take_error());
}

/// Returns the part of the list that version 2 cannot express: the list with {} for the object.
const Details* rest_of(Conversion& conversion, const Details* list) {
  if (list == nullptr || !conversion.keeps()) return nullptr;
  const std::size_t index = index_of_object(*list);
  if (index == list->size()) return list;
  if (list->size() == 1) return nullptr;
  return conversion.make(with(conversion, *list, index, {{"{}", 2}}));
}

// -- Fields that differ from the details --------------------------------------

template <class Form>
bool same(const Form* a, const Form* b) {
  if (a == nullptr || b == nullptr || a == b) return a == b;
  json::Writer one;
  json::Writer other;
  write_stored(one, *a);
  write_stored(other, *b);
  return one.view() == other.view();
}

/// Stores a field, or its absence, in the bag.
template <class Form>
void keep(Conversion& conversion, Bag& bag, const BagField& name, const Form* field) {
  push(conversion, bag, name, version_2, field);
  if (field == nullptr) push_absence(conversion, bag, name);
}

/// Restores a field from the bag, if it was stored.
template <class Form>
bool restore(Conversion& conversion, Bag& bag, const BagField& name, const Form*& field) {
  if (!pull_absence(conversion, bag, name.name, version_2)) {
    return pull(conversion, bag, name.name, name.type, version_2, field);
  }
  field = nullptr;
  return true;
}

/// Returns the details, in which the fields of the manifest replace keys that differ.
const StoredJson* merged(Conversion& conversion, const std::optional<json::Reader>& object,
                         const ManifestV2Storage& said, const ManifestV2Storage& wanted) {
  json::Writer out;
  out.begin_object();
  const auto stays = [&](std::string_view key) {
    bool good = true;
    for_each_detail([&](std::string_view name, const BagField&, auto field) {
      if (name == key) good = same(said.*field, wanted.*field);
    });
    return good;
  };
  if (object) {
    for (const auto& [key, value] : object->members()) {
      if (!stays(key)) continue;
      out.key(key);
      out.value(value);
    }
  }
  for_each_detail([&](std::string_view key, const BagField&, auto field) {
    if (wanted.*field == nullptr || same(said.*field, wanted.*field)) return;
    out.key(key);
    write_stored(out, *(wanted.*field));
  });
  out.end_object();
  return conversion.make<StoredJson>({conversion.copy(out.view())});
}

/// Computes the details in version 1 of a manifest of version 2; nullptr if there are none.
bool details_of(Conversion& conversion, const ManifestV2Storage& from, const StoredJson*& details) {
  json::Parser parser;
  const auto object = object_of(parser, from.details);
  ManifestV2Storage said;
  if (object && !read_details(conversion, *object, said)) {
    return conversion.fail("details", parser.take_error());
  }
  bool good = true;
  for_each_detail([&](std::string_view, const BagField&, auto field) {
    good = good && same(said.*field, from.*field);
  });
  details = good ? from.details : merged(conversion, object, said, from);
  return true;
}

}  // namespace

bool ManifestStep1To2::up(Conversion& conversion, const ManifestV1Storage& from,
                          ManifestV2Storage& to) {
  to.manifest = other_version(conversion, from.manifest);
  push(conversion, to.bag, list_1, version_1, rest_of(conversion, from.details));
  if (!set_details(conversion, from.details, to)) return false;

  bool good = restore(conversion, to.bag, details_2, to.details);
  for_each_detail([&](std::string_view, const BagField& name, auto field) {
    good = good && restore(conversion, to.bag, name, to.*field);
  });
  return good;
}

bool ManifestStep1To2::down(Conversion& conversion, const ManifestV2Storage& from,
                            ManifestV1Storage& to) {
  to.manifest = other_version(conversion, from.manifest);
  if (!pull(conversion, to.bag, list_1.name, list_1.type, version_1, to.details)) return false;
  const StoredJson* details = nullptr;
  if (!details_of(conversion, from, details)) return false;
  const Details list = to.details != nullptr ? *to.details : Details{};
  const std::size_t index = index_of_object(list);
  if (details != nullptr && !is_padding(*details)) {
    to.details = conversion.make(with(conversion, list, index, *details));
  } else if (index < list.size()) {
    to.details = conversion.make(with(conversion, list, index, {{"null", 4}}));
  }

  // Store the fields that the conversion to version 2 would not restore.

  ManifestV2Storage found;
  if (!set_details(conversion, to.details, found)) return false;
  push<StoredJson>(conversion, to.bag, details_2, version_2, nullptr);
  if (!same(found.details, from.details)) keep(conversion, to.bag, details_2, from.details);
  for_each_detail([&]<class Form>(std::string_view, const BagField& name,
                                  const Form* ManifestV2Storage::*field) {
    push<Form>(conversion, to.bag, name, version_2, nullptr);
    if (!same(found.*field, from.*field)) keep(conversion, to.bag, name, from.*field);
  });
  return true;
}

}  // namespace tenon
