// SPDX-License-Identifier: BSL-1.0
#include "catalog/operator_settings.hpp"

#include <tenon/detail/json.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "base/log_level.hpp"
#include "base/plain_text.hpp"
#include "base/quote.hpp"
#include "document/json_parser.hpp"
#include "package/document_file.hpp"
#include "package/name.hpp"
#include "package/repository.hpp"
#include "platform/exposure.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

/// Reads the settings in the text of one file.
class SettingsReader {
 public:
  SettingsReader(std::string_view text, const fs::path& file, OperatorSettings& settings)
      : text_(text), file_(file), settings_(settings) {}

  void read() {
    const Result<json::Reader> document = parser_.parse(text_);
    if (!document) {
      leave_out();
      return broken(file_.string() + ":" + std::string(document.error().where()),
                    escaped_for_display(document.error().message()),
                    "a settings file in JSON, with the keys log_level, order and packages");
    }
    std::size_t count = 0;
    if (!document->read_object(count)) {
      leave_out();
      return wrong(text_);
    }
    for (const auto& [key, value] : document->members()) {
      if (key == "log_level") {
        read_log_level(key, value);
      } else if (key == "order") {
        read_order(key, value);
      } else if (key == "packages") {
        read_packages(key, value);
      } else {
        unknown(key, "log_level, order or packages");
      }
    }
  }

 private:
  void leave_out() {
    settings_.complete = false;
    ignored_ = "correct the file; it is ignored until then";
  }

  void read_log_level(std::string_view key, const json::Reader& value) {
    std::string_view name;
    if (!value.read(name)) return wrong(key);
    const auto level = parse_log_level(name);
    if (!level) return broken(place(key), in_quotes(name), std::string(all_log_levels));
    settings_.log_level = level;
  }

  void read_order(std::string_view key, const json::Reader& value) {
    std::size_t count = 0;
    if (!value.read_array(count)) return wrong(key);
    std::vector<std::string> order;
    for (const json::Reader element : value.elements()) {
      std::string_view name;
      if (!element.read(name)) return wrong(key);
      if (!check_name(name)) return;
      order.emplace_back(name);
    }
    settings_.order = std::move(order);
  }

  void read_packages(std::string_view key, const json::Reader& value) {
    std::size_t count = 0;
    if (!value.read_object(count)) return wrong(key);
    for (const auto& [name, package] : value.members()) {
      if (check_name(name)) read_package(name, package);
    }
  }

  void read_package(std::string_view name, const json::Reader& value) {
    std::size_t count = 0;
    if (!value.read_object(count)) return wrong(name);
    PackageSettings& package = settings_.packages[std::string(name)];
    for (const auto& [key, setting] : value.members()) {
      if (key == "enabled") {
        bool enabled = false;
        if (!setting.read(enabled)) {
          wrong(key);
          continue;
        }
        package.enabled = enabled;
        package.enabled_by = file_;
      } else if (key == "version") {
        read_version(key, setting, package);
      } else {
        unknown(key, "enabled or version");
      }
    }
  }

  /// A version that is null stands for any, whatever a less important file pins.
  void read_version(std::string_view key, const json::Reader& value, PackageSettings& package) {
    std::string_view version;
    if (value.form() != json::Form::null) {
      if (!value.read(version)) return wrong(key);
      const auto parsed = Version::parse(version);
      if (!parsed) {
        return broken(place(key), in_quotes(version) + ": " + std::string(parsed.error().found()),
                      "one version, eg: \"1.2.0\", or null for any");
      }
    }
    package.version = version;
    package.version_by = file_;
  }

  bool check_name(std::string_view name) {
    const std::string_view problem = name_problem(name);
    if (problem.empty()) return true;
    broken(place(name), in_quotes(name) + ", which " + std::string(problem),
           "the name of a package: domain/name");
    return false;
  }

  /// Returns the place of a part of the text, otherwise the file: a text with escapes was copied.
  std::string place(std::string_view part) const {
    const std::less<> before;
    const bool inside =
        !before(part.data(), text_.data()) && before(part.data(), text_.data() + text_.size());
    if (!inside) return file_.string();
    auto at = static_cast<std::size_t>(part.data() - text_.data());
    if (at > 0 && text_[at - 1] == '"') --at;
    return file_.string() + ":" + json::detail::line_and_column(text_, at);
  }

  /// Reports the value that a reader refused last. Splits its message: "expected text, found 7".
  void wrong(std::string_view part) {
    const std::string message(parser_.take_error().message());
    constexpr std::string_view expected = "expected ", found = ", found ";
    const std::size_t middle = message.find(found);
    broken(place(part), escaped_for_display(message.substr(middle + found.size())),
           message.substr(expected.size(), middle - expected.size()));
  }

  void broken(std::string where, std::string found, std::string needed) {
    settings_.problems.push_back(Error({.code = "broken-settings",
                                        .where = std::move(where),
                                        .found = std::move(found),
                                        .needed = std::move(needed),
                                        .fix = ignored_}));
  }

  void unknown(std::string_view key, std::string_view known) {
    settings_.problems.push_back(Error({.code = "unknown-key",
                                        .where = place(key),
                                        .found = in_quotes(key),
                                        .needed = std::string(known),
                                        .fix = "correct or remove the key; it is ignored"})
                                     .with_severity(Severity::warning));
  }

  const std::string_view text_;
  const fs::path& file_;
  OperatorSettings& settings_;
  json::Parser parser_;
  std::string ignored_ = "correct the value; it is ignored until then";
};

/// Returns the text of a file that only trusted users may change.
Result<std::string> read_trusted(const fs::path& file) {
  const auto opened = platform::File::open(file);
  if (!opened) return opened.error();
  if (const auto exposure = platform::exposure_of(file, opened->access())) {
    return Error(
        {.code = "untrusted-owner",
         .where = file.string(),
         .found = exposure->found + (exposure->path != file ? ", " + exposure->path.string() : ""),
         .needed = "settings that only root and this user may change; they are ignored",
         .fix = exposure->fix});
  }
  const auto content = opened->read_all(longest_document_file);
  if (!content) return content.error();
  return std::string(reinterpret_cast<const char*>(content->data()), content->size());
}

void add_file(const fs::path& file, OperatorSettings& settings) {
  const auto text = read_trusted(file);
  if (text) {
    settings.files.insert(settings.files.begin(), file);
    return add_settings(*text, file, settings);
  }
  if (text.error().code() == "not-found") return;
  settings.complete = settings.complete && text.error().code() == "untrusted-owner";
  settings.problems.push_back(text.error().with_severity(Severity::warning));
}

/// Returns how the command `tenon` changes a setting.
std::string command(std::string_view name, const std::string& app, std::string_view package) {
  return "run tenon " + std::string(name) + " -a " + shell_word(app) + " " + shell_word(package);
}

/// Warns if none of the versions that were found is the pinned one.
void check_pin(const std::string& app, const std::string& package, const PackageSettings& pinned,
               const std::vector<FoundModule>& modules, std::vector<Error>& problems) {
  const auto version = Version::parse(*pinned.version);
  std::vector<std::string> others;
  for (const FoundModule& module : modules) {
    if (module.manifest->name != package) continue;
    if (total_order(module.manifest->version, *version) == 0) return;
    others.push_back(module.manifest->version.to_string());
  }
  if (others.empty()) return;
  problems.push_back(Error({.code = "version-refused",
                            .where = pinned.version_by.string(),
                            .found = package + " " + some_of(others, 10),
                            .needed = display_name(package, *version) + ", which this file pins",
                            .fix = "install that version, or " + command("unpin", app, package)})
                         .with_severity(Severity::warning));
}

}  // namespace

void add_settings(std::string_view text, const fs::path& file, OperatorSettings& settings) {
  SettingsReader(text, file, settings).read();
}

OperatorSettings read_settings(const platform::SettingsFiles& files) {
  OperatorSettings settings;
  for (auto file = files.system.rbegin(); file != files.system.rend(); ++file)
    add_file(*file, settings);
  if (!files.user.empty()) add_file(files.user, settings);
  return settings;
}

OperatorSettings operator_settings(const std::string& app) {
  return read_settings(platform::settings_files(app));
}

OperatorSettings system_settings(const std::string& app) {
  return read_settings({.user = {}, .system = platform::settings_files(app).system});
}

fs::path user_settings_file(const std::string& app) {
  return platform::settings_files(app).user;
}

std::optional<Error> refusal_by(const OperatorSettings& settings, const std::string& app,
                                std::string_view package, const Version& version,
                                const platform::PathText& file) {
  const auto named = settings.packages.find(package);
  if (named == settings.packages.end()) return std::nullopt;
  const PackageSettings& of_package = named->second;
  if (of_package.is_disabled()) {
    return Error({.code = "disabled",
                  .where = fs::path(file).string(),
                  .found = display_name(package, version) + ", which " +
                           of_package.enabled_by.string() + " switches off",
                  .needed = "a package that is switched on",
                  .fix = command("enable", app, package)});
  }
  if (!of_package.is_pinned() ||
      total_order(version, Version::parse(*of_package.version).value()) == 0)
    return std::nullopt;
  return Error({.code = "version-refused",
                .where = fs::path(file).string(),
                .found = display_name(package, version),
                .needed = "version " + *of_package.version + ", which " +
                          of_package.version_by.string() + " pins",
                .fix = "install that version, or " + command("unpin", app, package)});
}

void apply(const OperatorSettings& settings, const std::string& app, Scan& found) {
  std::ranges::copy(settings.problems, std::back_inserter(found.skipped));
  for (const auto& [name, package] : settings.packages) {
    if (package.is_pinned() && !package.is_disabled())
      check_pin(app, name, package, found.modules, found.skipped);
  }
  std::erase_if(found.modules, [&](const FoundModule& module) {
    const Manifest& manifest = *module.manifest;
    auto refused = refusal_by(settings, app, manifest.name, manifest.version, module.file);
    if (!refused) return false;
    found.skipped.push_back(refused->with_severity(Severity::note));
    const BrokenModule broken{std::move(*refused), manifest.version};
    found.broken.emplace(manifest.name, broken);
    for (const Provided& plugin : manifest.provides) found.broken.emplace(plugin.name, broken);
    return true;
  });
  if (settings.order.empty()) return;
  std::ranges::stable_sort(found.modules, {}, [&](const FoundModule& module) {
    return std::ranges::find(settings.order, module.manifest->name) - settings.order.begin();
  });
}

}}}  // namespace tenon::v0_1::detail
