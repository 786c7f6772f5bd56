// SPDX-License-Identifier: BSL-1.0
#include "gen/next.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/text_file.hpp"
#include "gen/model/version_name.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {
namespace {

void set(JsonValue& object, const std::string& key, JsonValue value) {
  if (JsonValue* present = object.find(key)) {
    *present = std::move(value);
  } else {
    std::get<JsonValue::Object>(object.data).push_back({key, {}, std::move(value)});
  }
}

/// Removes "added" from the fields of a message.
void drop_added(JsonValue& message) {
  auto* fields = std::get_if<JsonValue::Object>(&message.data);
  if (fields == nullptr) return;
  for (JsonMember& field : *fields) {
    auto* keys = std::get_if<JsonValue::Object>(&field.value.data);
    if (keys == nullptr) continue;
    std::erase_if(*keys, [](const JsonMember& key) { return key.key == "added"; });
  }
}

/// Removes "added" from a spec: a new version has all of its fields from the start. Only requests
/// and responses have such fields.
void drop_all_added(JsonValue& spec) {
  JsonValue* methods = spec.find("methods");
  auto* list = methods != nullptr ? std::get_if<JsonValue::Array>(&methods->data) : nullptr;
  if (list == nullptr) return;
  for (JsonValue& method : *list) {
    for (const char* key : {"request", "response"}) {
      if (JsonValue* message = method.find(key)) drop_added(*message);
    }
  }
}

JsonValue json_of(const VersionName& version) {
  if (version.preview != 0) return {version.label()};
  return {static_cast<std::int64_t>(version.number)};
}

JsonValue make_step(const VersionName& from, const VersionName& to, const char* parts) {
  return {JsonValue::Object{
      {"from", {}, json_of(from)}, {"to", {}, json_of(to)}, {parts, {}, {JsonValue::Object()}}}};
}

struct File {
  std::string path;
  std::string content;
};

/// Writes a new draft and the step to it, or neither. Throws IoError.
void write_draft(const File& draft, const File& evolution) {
  try {
    tools::write_file(draft.path, draft.content);
    tools::write_file(evolution.path, evolution.content);
  } catch (const IoError&) {
    // The step is in place if only the synchronisation of its directory failed.
    if (tools::read_file(evolution.path).text != evolution.content) {
      std::error_code ignored;
      std::filesystem::remove(draft.path, ignored);
    }
    throw;
  }
}

/// Checks that no other file has the path of a new one.
void check_absent(const std::string& path, Diagnostics& diagnostics) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  if (status.type() == std::filesystem::file_type::not_found) return;
  diagnostics.add({.location = {path},
                   .code = "name-taken",
                   .message = "a file with this name exists and is not a spec",
                   .needed = "no such file: the next version is written under this name",
                   .fix = "remove the file, or move it elsewhere"});
}

}  // namespace

std::vector<std::string> create_next_version(const std::string& directory,
                                             Diagnostics& diagnostics) {
  SpecFiles files;
  find_spec_files(directory, false, files, diagnostics);
  if (!diagnostics.empty()) return {};
  const auto here =
      std::find_if(files.directories.begin(), files.directories.end(), [](const auto& found) {
        return !found.versions.empty() &&
               found.versions.front().spec.find('/') == std::string::npos;
      });
  if (here == files.directories.end()) {
    diagnostics.add({.location = {directory},
                     .code = "no-specs",
                     .message = "this directory contains no version",
                     .needed = "v1.json",
                     .fix = "name the directory of one kind or document type"});
    return {};
  }
  const auto release = std::find_if(here->versions.rbegin(), here->versions.rend(),
                                    [](const SpecFile& file) { return file.version.preview == 0; });
  const SpecFile& newest = release != here->versions.rend() ? *release : here->versions.back();
  const JsonValue* life = newest.json.find("life");
  if (life == nullptr || life->object() == nullptr) {
    diagnostics.add({.location = life != nullptr ? life->location : newest.json.location,
                     .code = "two-drafts",
                     .message = "the newest version is a draft",
                     .needed = "at most one draft",
                     .fix = "change this draft, or release it first: set its \"life\" to "
                            "{\"released\": {\"version\": ..., \"date\": ...}}, and run tenon-gen "
                            "release"});
    return {};
  }
  const bool is_kind = newest.json.find("kind") != nullptr;
  const std::string key = is_kind ? "kind" : "type";
  // A preview has the number of the release that follows it.
  const bool preview = newest.version.preview != 0;
  const VersionName next{preview ? newest.version.number : newest.version.number + 1};
  if (!parse_version(next.label())) {
    diagnostics.add({.location = newest.json.location,
                     .code = "wrong-value",
                     .message = "the number of the next version is too large",
                     .found = next.label(),
                     .needed = "a version up to 999999",
                     .fix = "continue with a new kind or document type"});
    return {};
  }
  JsonValue draft = newest.json;
  set(draft, "version", json_of(next));
  set(draft, "life", {std::string("draft")});
  drop_all_added(draft);

  const JsonValue* id = newest.json.find(key);
  JsonValue evolution = here->evolution ? here->evolution->json : JsonValue{JsonValue::Object()};
  if (id != nullptr) set(evolution, key, *id);
  if (evolution.find("steps") == nullptr) set(evolution, "steps", {JsonValue::Array()});
  if (auto* steps = std::get_if<JsonValue::Array>(&evolution.find("steps")->data)) {
    steps->push_back(make_step(newest.version, next, is_kind ? "methods" : "fields"));
  }
  const std::string draft_name = "v" + next.label() + ".json";
  const File new_draft{here->path + "/" + draft_name, to_pretty_json(draft)};
  const File new_evolution{here->path + "/evolution.json", to_pretty_json(evolution)};
  check_absent(new_draft.path, diagnostics);
  if (!here->evolution) check_absent(new_evolution.path, diagnostics);
  if (!diagnostics.empty()) return {};
  write_draft(new_draft, new_evolution);
  return {new_draft.path, new_evolution.path};
}

}  // namespace tenon::gen
