// SPDX-License-Identifier: BSL-1.0
//
// dpkg.cpp: the plugin of dpkg.c in C++ with the SDK, as a source of version 2. It can replace the
// other one: in both, a position is the offset after the package in dpkg's database.
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/reading_source.hpp>
#include <tenon/sdk/specifier.hpp>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using tenon::RecordV2;
using tenon::sdk::Bytes;
using tenon::sdk::BytesView;
using tenon::sdk::Failure;

struct Settings {
  std::string path;
  tenon::sdk::Duration delay{};
};

constexpr auto parameters = tenon::sdk::parameters(
    tenon::sdk::parameter(&Settings::path, "path", "the path of the database")
        .otherwise("/var/lib/dpkg/status")
        .file(),
    tenon::sdk::parameter(&Settings::delay, "delay", "the delay before each record")
        .otherwise("0s"));

/// The fields of a package in the database.
struct Package {
  std::string name, version, architecture, section, status, multi_arch, installed_size;

  std::string* find(std::string_view field) {
    if (field == "Package") return &name;
    if (field == "Version") return &version;
    if (field == "Architecture") return &architecture;
    if (field == "Section") return &section;
    if (field == "Status") return &status;
    if (field == "Multi-Arch") return &multi_arch;
    if (field == "Installed-Size") return &installed_size;
    return nullptr;
  }

  /// Returns whether the package is installed, for example "install ok installed". Other packages
  /// were removed, but their configuration was kept.
  bool installed() const {
    constexpr std::string_view end = " installed";
    return status.size() > end.size() &&
           status.compare(status.size() - end.size(), end.size(), end) == 0;
  }

  /// Returns the name, with the architecture if several architectures of the package can be
  /// installed at the same time.
  std::string key() const { return multi_arch == "same" ? name + ":" + architecture : name; }
};

std::string to_json(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string json = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    } else {
      json += c;
    }
  }
  return json + '"';
}

/// Returns whether a text is a number in JSON, which has no leading zero. No size of a package has
/// 19 digits.
bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 19 && (text.size() == 1 || text[0] != '0') &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string to_json(const Package& package) {
  std::string json = "{\"package\":" + to_json(package.name);
  auto add = [&](const char* member, const std::string& value) {
    if (!value.empty()) json += tenon::sdk::text(",\"", member, "\":", to_json(value));
  };
  add("version", package.version);
  add("architecture", package.architecture);
  add("section", package.section);
  add("status", package.status);
  if (is_number(package.installed_size)) {
    json += ",\"installed_size\":" + package.installed_size;  // in units of 1024 bytes
  }
  return json + '}';
}

class DpkgSource : public tenon::sdk::ReadingSource {
 public:
  void configure(const tenon::sdk::Config& config) override {
    settings_ = parameters.read(config);
    if (settings_.delay < 0ns) {
      throw Failure(TENON_INVALID_ARGUMENT, "parameter \"delay\" is \"", config.get("delay", ""),
                    "\", expected a duration such as 250us, 1ms or 2s");
    }
  }

  void open(std::optional<BytesView> position) override {
    offset_ = position ? parse(*position) : 0;
    file_.open(settings_.path, std::ios::binary);
    if (!file_) throw tenon::sdk::system_failure(errno, "cannot open ", settings_.path);
    if (!seek_package()) {
      throw Failure(TENON_FAILED_PRECONDITION, "no package begins at byte ", offset_, " of ",
                    settings_.path, ": the file has changed");
    }
  }

  void read_some(tenon::sdk::RecordBatch& batch) override {
    call().wait(settings_.delay);
    while (!batch.full()) {
      if (batch.empty()) call().check();
      std::optional<Package> package = next_package();
      if (!package) return;
      if (!package->installed()) continue;
      batch.add(to_record(*package));
      if (settings_.delay > 0ns) return;  // one record for each delay
    }
  }

  void teardown() override { file_.close(); }

 private:
  static std::int64_t parse(BytesView position) {
    std::int64_t offset = 0;
    std::string_view text = position.text();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
    if (error != std::errc() || end != text.data() + text.size() || offset < 0) {
      throw Failure(TENON_INVALID_ARGUMENT, "the position \"", text, "\" is not of this plugin");
    }
    return offset;
  }

  /// Moves to the offset. Returns whether a package can begin there: at the start of the file,
  /// after an empty line, or at the end.
  bool seek_package() {
    if (offset_ == 0) return true;
    char before[2] = {};
    if (!file_.seekg(offset_ - 2) || !file_.read(before, 2)) return false;
    return (before[0] == '\n' && before[1] == '\n') ||
           file_.peek() == std::ifstream::traits_type::eof();
  }

  std::optional<Package> next_package() {
    Package package;
    bool found = false;
    while (std::getline(file_, line_)) {
      offset_ += static_cast<std::int64_t>(line_.size()) + (file_.eof() ? 0 : 1);
      if (line_.empty() && found) break;
      if (line_.empty()) continue;
      found = true;
      std::size_t colon = line_.find(':');
      if (colon == std::string::npos) continue;
      if (std::string* field = package.find(std::string_view(line_).substr(0, colon))) {
        std::size_t value = line_.find_first_not_of(" \t", colon + 1);
        field->assign(value == std::string::npos ? "" : line_.substr(value));
      }
    }
    if (file_.bad()) throw tenon::sdk::system_failure(errno, "cannot read ", settings_.path);
    if (!found) return std::nullopt;
    return package;
  }

  RecordV2 to_record(const Package& package) const {
    if (package.name.empty()) {
      throw Failure(TENON_DATA_LOSS, "a package without a name before byte ", offset_, " of ",
                    settings_.path);
    }
    RecordV2 record;
    record.position = tenon::to_bytes(std::to_string(offset_));
    record.metadata["opencdc.payload.format"] = "json";
    record.key = tenon::to_bytes(package.key());
    record.payload.after = tenon::to_bytes(to_json(package));
    return record;
  }

  Settings settings_;
  std::ifstream file_;
  std::string line_;
  std::int64_t offset_ = 0;  // of the next byte to read
};

class DpkgSpecifier : public tenon::sdk::SpecifierV1 {
 public:
  tenon::Specification specify() override {
    tenon::Specification dpkg;
    dpkg.name = name();
    dpkg.summary = "The packages installed by dpkg";
    dpkg.description = "Reads dpkg's database, one record for each installed package.";
    dpkg.version = "2.0.0";
    dpkg.author = "the tenon project";
    dpkg.source_parameters = parameters.specification();
    return dpkg;
  }
};

}  // namespace

#define PLUGINS(P)                 \
  P(DpkgSource, "example.io/dpkg") \
  P(DpkgSpecifier, "example.io/dpkg")
TENON_PLUGINS("example.io/dpkg", "2.0.0", PLUGINS, {
  "summary": "The packages installed by dpkg",
  "properties": {
    "example.io/dpkg": {
      "source_parameters": {
        "version": 2,
        "value": {
          "delay": {
            "default_value": "0s",
            "description": "the delay before each record",
            "type": "duration"
          },
          "path": {
            "default_value": "/var/lib/dpkg/status",
            "description": "the path of the database",
            "type": "file"
          }
        }
      }
    }
  }
});
