// SPDX-License-Identifier: BSL-1.0
//
// Manifests of version 1 and 2. What the author says besides is one object in a list in version 1;
// version 2 has it as it is, and what has a meaning in fields as well.
//
// What one version says and the other cannot is in the bag: of version 1 the list, where there is
// more to it than the object; of version 2 the details where they are no such object, and each
// field that does not come out of them as it was.
#include <tenon/manifest_steps.hpp>

#include <algorithm>
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
// Not "details": there version 2 has any JSON, which is taken as it comes.
constexpr BagField list_1{"details.list", "1", "list<json>"};
constexpr BagField details_2{"details", "2", "json"};

/// Calls `visit(key in the details, field in the bag, member)` for each detail that has a meaning.
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
}

/// The number of the version that a manifest says: 1 and 2 change places.
const std::int32_t* other_version(Conversion& conversion, const std::int32_t* version) {
  if (version == nullptr || (*version != 1 && *version != 2)) return version;
  return conversion.make<std::int32_t>(3 - *version);
}

bool is_padding(const StoredJson& element) {
  return text_of(element.text) == nothing;
}

/// The first element that is no padding, or the size of the list.
std::size_t place_of_object(const Details& list) {
  std::size_t i = 0;
  while (i < list.size() && is_padding(list[i])) i++;
  return i;
}

/// The list with something else in a place; behind its end, where that is the place.
Details with(Conversion& conversion, const Details& list, std::size_t place,
             const StoredJson& element) {
  const std::size_t count = std::max(list.size(), place + 1);
  auto* elements = conversion.make_array<StoredJson>(count);
  for (std::size_t i = 0; i < list.size(); i++) elements[i] = list[i];
  elements[place] = element;
  return {{elements, count, sizeof(StoredJson)}};
}

// -- The details as fields ----------------------------------------------------

/// Requirements: where the author names no versions, any is good.
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

/// What the author says of the state besides means nothing here.
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

/// Reads the details that have a meaning. False: the parser has the error.
bool read_details(Conversion& conversion, const json::Reader& object, ManifestV2Storage& to) {
  json::Fields fields(object);
  // The parser does not live as long as the manifest.
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

/// Details as an object; nothing where they are none.
std::optional<json::Reader> object_of(json::Parser& parser, const StoredJson* details) {
  if (details == nullptr || !text_of(details->text).starts_with('{')) return std::nullopt;
  const Result<json::Reader> root = parser.parse(text_of(details->text));
  return root ? std::optional(*root) : std::nullopt;
}

/// Sets the details and the fields that they say from the list of version 1.
bool set_details(Conversion& conversion, const Details* list, ManifestV2Storage& to) {
  const std::size_t place = list != nullptr ? place_of_object(*list) : 0;
  if (list == nullptr || place == list->size()) return true;
  to.details = &(*list)[place];
  constexpr std::size_t usual = 65536;
  static thread_local json::Parser kept;
  std::optional<json::Parser> own;  // whose memory goes again
  json::Parser& parser = to.details->text.size > usual ? own.emplace() : kept;
  const auto object = object_of(parser, to.details);
  if (!object || read_details(conversion, *object, to)) return true;
  return conversion.fail("details[" + std::to_string(place) + "]", parser.take_error());
}

/// What version 2 cannot say of the list: all of it but the object, which is {} there.
const Details* rest_of(Conversion& conversion, const Details* list) {
  if (list == nullptr || !conversion.keeps()) return nullptr;
  const std::size_t place = place_of_object(*list);
  if (place == list->size()) return list;
  if (list->size() == 1) return nullptr;
  return conversion.make(with(conversion, *list, place, {{"{}", 2}}));
}

// -- Fields that the details do not say ---------------------------------------

template <class Form>
bool same(const Form* a, const Form* b) {
  if (a == nullptr || b == nullptr || a == b) return a == b;
  json::Writer one;
  json::Writer other;
  write_stored(one, *a);
  write_stored(other, *b);
  return one.view() == other.view();
}

/// Keeps a field in the bag, also that it is absent.
template <class Form>
void keep(Conversion& conversion, Bag& bag, const BagField& name, const Form* field) {
  push(conversion, bag, name, version_2, field);
  if (field == nullptr) push_absence(conversion, bag, name);
}

/// Takes a field out of the bag, where it was kept.
template <class Form>
bool restore(Conversion& conversion, Bag& bag, const BagField& name, const Form*& field) {
  if (!pull_absence(conversion, bag, name.name, version_2)) {
    return pull(conversion, bag, name.name, name.type, version_2, field);
  }
  field = nullptr;
  return true;
}

/// The details, with the fields of the manifest where those say something else.
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

/// The details that version 1 has of a manifest of version 2; nullptr: none.
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
  const std::size_t place = place_of_object(list);
  if (details != nullptr) {
    to.details = conversion.make(with(conversion, list, place, *details));
  } else if (place < list.size()) {
    to.details = conversion.make(with(conversion, list, place, {{"null", 4}}));
  }

  // What the way up would not find as it is here.
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
