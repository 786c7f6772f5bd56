// SPDX-License-Identifier: BSL-1.0
#include "position_store.hpp"

#include "reading/json_source.hpp"
#include "reading/object_reader.hpp"

#include <boost/json.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace pipeline {
namespace {

using tenon::reading::JsonMember;
using tenon::reading::JsonValue;
using tenon::reading::ObjectReader;

constexpr std::string_view type_name = "tenon.dev/pipeline-position";
constexpr int newest_version = 1;
constexpr std::string_view digits = "0123456789abcdef";

// -- As text ------------------------------------------------------------------

std::string to_hex(tenon::BytesView bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) hex += {digits[byte >> 4], digits[byte & 15]};
  return hex;
}

std::optional<tenon::Bytes> from_hex(std::string_view hex) {
  tenon::Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const std::size_t high = digits.find(hex[i]);
    const std::size_t low = i + 1 < hex.size() ? digits.find(hex[i + 1]) : digits.npos;
    if (high == digits.npos || low == digits.npos) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

boost::json::value to_json(const UsedPlugin& used) {
  boost::json::object config;
  for (const auto& [key, value] : used.config) config[key] = value;
  return {{"plugin", used.plugin},
          {"kind_version", used.kind_version},
          {"package", used.package},
          {"package_version", used.package_version},
          {"config", std::move(config)}};
}

std::string to_text(const PipelineState& state) {
  boost::json::array destinations;
  for (const UsedPlugin& used : state.destinations) destinations.push_back(to_json(used));
  boost::json::object document = {
      {"type", type_name},          {"version", newest_version},
      {"pipeline", state.pipeline}, {"position", nullptr},
      {"source", nullptr},          {"destinations", std::move(destinations)}};
  if (state.position) document["position"] = to_hex(*state.position);
  if (state.source) document["source"] = to_json(*state.source);
  return boost::json::serialize(document) + "\n";
}

// -- From text ----------------------------------------------------------------

UsedPlugin read_used(const JsonValue& value, Findings& findings) {
  const ObjectReader object(value, "a plugin",
                            {"plugin", "kind_version", "package", "package_version", "config"},
                            findings);
  UsedPlugin used;
  used.plugin = object.text("plugin");
  used.kind_version = object.number("kind_version").value_or(0);
  used.package = object.text("package");
  used.package_version = object.text("package_version");
  if (const JsonValue::Object* config = object.optional_object("config")) {
    for (const JsonMember& member : *config) {
      if (const std::string* text = member.value.text()) used.config[member.key] = *text;
    }
  }
  return used;
}

std::optional<tenon::Bytes> read_position(const ObjectReader& document, Findings& findings) {
  const JsonValue* value = document.required("position");
  if (value == nullptr || value->is_null()) return std::nullopt;
  auto position = value->text() != nullptr ? from_hex(*value->text()) : std::nullopt;
  if (!position) {
    findings.add({.place = value->place,
                  .code = "wrong-type",
                  .what = "the position is none",
                  .needed = "pairs of the digits 0 to 9 and a to f",
                  .fix = "restore the file, or remove it to begin from the start"});
  }
  return position;
}

PipelineState read_state(const JsonValue& value, Findings& findings) {
  const ObjectReader document(value, "a position",
                              {"type", "version", "pipeline", "position", "source", "destinations"},
                              findings);
  PipelineState state;
  document.word("type", {std::string(type_name)});
  const int version = document.number("version").value_or(newest_version);
  if (version > newest_version) {
    findings.add({.place = document.place("version"),
                  .code = "version-too-new",
                  .what = "a newer tenon-pipeline wrote this position",
                  .found = "version " + std::to_string(version),
                  .needed = "version " + std::to_string(newest_version),
                  .fix = "use that newer one"});
    return state;
  }
  state.pipeline = document.text("pipeline");
  state.position = read_position(document, findings);
  if (const JsonValue* source = document.required("source"); source && !source->is_null()) {
    state.source = read_used(*source, findings);
  }
  if (const JsonValue::Array* destinations = document.array("destinations")) {
    for (const JsonValue& used : *destinations) {
      state.destinations.push_back(read_used(used, findings));
    }
  }
  return state;
}

// -- Files --------------------------------------------------------------------

tenon::Error cannot_write(const std::filesystem::path& path, int error) {
  return tenon::Error({.code = "cannot-write",
                       .message = "the position cannot be kept",
                       .where = path.string(),
                       .found = std::generic_category().message(error),
                       .needed = "a folder with room, in which this user may write",
                       .fix = "make room, or name another place under \"position\""});
}

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  explicit operator bool() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_durably(const std::filesystem::path& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  return file && write_all(file.get(), text) && ::fsync(file.get()) == 0;
}

bool sync_folder(const std::filesystem::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file && ::fsync(file.get()) == 0;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace

UsedPlugin used(const tenon::PluginInfo& plugin, const tenon::TextMap& config) {
  return {plugin.name(), plugin.version(), plugin.package(), plugin.package_version(), config};
}

tenon::Result<PositionStore> PositionStore::open(const std::filesystem::path& path,
                                                 Findings& findings) {
  std::error_code failed;
  std::filesystem::create_directories(folder_of(path), failed);
  if (failed) return cannot_write(path, failed.value());

  // A file of its own: the one with the position is another one after each save.
  const std::string lock_path = path.string() + ".lock";
  Descriptor lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return cannot_write(lock_path, errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return tenon::Error({.code = "in-use",
                         .message = "another process runs this pipeline",
                         .where = path.string(),
                         .fix = "wait for its end, or stop it"});
  }
  PositionStore store(path, lock.release());
  if (!std::filesystem::exists(path)) return store;
  const auto text = read_text_file(path, findings);
  if (!text) return store;
  const auto value = tenon::reading::read_json(*text, path.string(), findings);
  if (value) store.state_ = read_state(*value, findings);
  return store;
}

PositionStore::PositionStore(std::filesystem::path path, int lock) noexcept
    : path_(std::move(path)), lock_(lock) {}

PositionStore::PositionStore(PositionStore&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      state_(std::move(other.state_)) {}

PositionStore::~PositionStore() {
  if (lock_ >= 0) ::close(lock_);
}

tenon::Result<void> PositionStore::save() const {
  const std::filesystem::path fresh = path_.string() + ".new";
  if (write_durably(fresh, to_text(state_)) && ::rename(fresh.c_str(), path_.c_str()) == 0 &&
      sync_folder(folder_of(path_))) {
    return {};
  }
  return cannot_write(path_, errno);
}

}  // namespace pipeline
