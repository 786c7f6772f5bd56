// SPDX-License-Identifier: BSL-1.0
#include "metrics.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/plain_text.hpp"
#include "control_client.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return valid_utf8(text);
}

/// Writes the families of metrics. The samples of a family must be together.
class Page {
 public:
  explicit Page(const json::object& status) {
    labels_ = label("host", text_of(status, "host")) + "," + label("app", text_of(status, "app"));
  }

  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(help);
    text_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
  }
  void sample(const Labels& labels, const std::string& value, std::string_view suffix = "") {
    text_.append(name_).append(suffix).append("{").append(labels_);
    for (const auto& [key, text] : labels) text_.append(",").append(label(key, text));
    text_.append("} ").append(value).append("\n");
  }
  std::string take() { return std::move(text_); }

 private:
  static std::string label(std::string_view key, std::string_view value) {
    return std::string(key) + "=\"" + escaped(value) + "\"";
  }

  std::string labels_;  // of each sample
  std::string name_;
  std::string text_;
};

struct Family {
  const char* name;
  const char* type;
  const char* help;
  const char* key;
};

constexpr Family of_modules[] = {
    {"tenon_module_loaded", "gauge", "Whether code of the module is loaded.", "loaded"},
    {"tenon_module_generation", "gauge", "Generation number of the loaded code.", "generation"},
    {"tenon_module_instances", "gauge", "Instances of its plugins.", "instances"},
    {"tenon_module_draining_generations", "gauge",
     "Previous generations that calls have not left yet.", "draining"},
    {"tenon_module_still_mapped", "gauge", "Past generations that could not be unloaded.",
     "still_mapped"},
    {"tenon_module_quarantined", "gauge", "Whether it failed too often and is not used.",
     "quarantined"},
    {"tenon_module_restarts_total", "counter", "Restarts that succeeded.", "restarts"},
    {"tenon_module_failed_restarts_total", "counter", "Restarts that failed.", "failed_restarts"},
    {"tenon_module_faults_total", "counter", "Failures that caused a restart.", "faults"},
};

constexpr Family of_methods[] = {
    {"tenon_calls_total", "counter", "Calls of a method.", "calls"},
    {"tenon_call_failures_total", "counter", "Calls that failed.", "failures"},
    {"tenon_calls_in_flight", "gauge", "Calls that have not ended.", "in_flight"},
};

constexpr Family of_clients[] = {
    {"tenon_control_clients_total", "counter", "Control clients that were accepted.", "accepted"},
    {"tenon_control_events_lost_total", "counter", "Events that clients did not get.",
     "events_lost"},
};

std::string value_of(const json::object& object, std::string_view key) {
  return std::to_string(flag_of(object, key) ? 1 : number_of(object, key));
}

void add_modules(Page& page, const json::object& status) {
  const auto modules = objects_of(status, "modules");
  for (const auto& [name, type, help, key] : of_modules) {
    page.begin(name, type, help);
    for (const json::object* module : modules) {
      page.sample({{"package", text_of(*module, "package")},
                   {"version", text_of(*module, "package_version")}},
                  value_of(*module, key));
    }
  }
}

Labels labels_of(const json::object& module, const json::object& method) {
  return {{"package", text_of(module, "package")},
          {"version", text_of(module, "package_version")},
          {"plugin", text_of(method, "plugin")},
          {"method", text_of(method, "method")}};
}

void add_methods(Page& page, const json::object& status) {
  const auto modules = objects_of(status, "modules");
  for (const auto& [name, type, help, key] : of_methods) {
    page.begin(name, type, help);
    for (const json::object* module : modules) {
      for (const json::object* method : objects_of(*module, "methods")) {
        page.sample(labels_of(*module, *method), value_of(*method, key));
      }
    }
  }
}

std::string seconds_text(std::uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9f", static_cast<double>(nanoseconds) / 1e9);
  return text;
}

/// Each bucket contains the smaller ones. They are the same in each reply: powers of four.
void add_times(Page& page, const json::object& status) {
  page.begin("tenon_call_seconds", "histogram", "How long timed calls took.");
  for (const json::object* module : objects_of(status, "modules")) {
    for (const json::object* method : objects_of(*module, "methods")) {
      const Labels labels = labels_of(*module, *method);
      const auto timed = objects_of(*method, "timed");
      const auto below = [&timed](std::uint64_t bound) {
        std::uint64_t calls = 0;
        for (const json::object* one : timed) {
          if (number_of(*one, "below_ns") <= bound) calls += number_of(*one, "calls");
        }
        return std::to_string(calls);
      };
      const auto bucket = [&](const std::string& bound, const std::string& calls) {
        Labels with_bound = labels;
        with_bound.emplace_back("le", bound);
        page.sample(with_bound, calls, "_bucket");
      };
      for (int power = 8; power <= 32; power += 2) {
        const std::uint64_t bound = std::uint64_t{1} << power;
        bucket(seconds_text(bound), below(bound));
      }
      const std::string all = below(std::numeric_limits<std::uint64_t>::max());
      bucket("+Inf", all);
      page.sample(labels, seconds_text(number_of(*method, "timed_ns")), "_sum");
      page.sample(labels, all, "_count");
    }
  }
}

/// A host may send any text as a name.
std::string metric_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// The figures with the same name are one family.
void add_figures(Page& page, const json::object& status) {
  std::map<std::pair<std::string, bool>, std::vector<const json::object*>> families;
  for (const json::object* figure : objects_of(status, "figures")) {
    std::string name = "tenon_program_" + std::string(text_of(*figure, "name"));
    if (!text_of(*figure, "unit").empty()) name.append("_").append(text_of(*figure, "unit"));
    const bool total = flag_of(*figure, "total");
    families[{metric_name(std::move(name)) + (total ? "_total" : ""), total}].push_back(figure);
  }
  for (const auto& [family, figures] : families) {
    const auto& [name, total] = family;
    page.begin(name, total ? "counter" : "gauge", "Reported by the program.");
    for (const json::object* figure : figures) {
      page.sample({{"part", text_of(*figure, "part")}}, real_text(real_of(*figure, "value")));
    }
  }
}

void add_health(Page& page, const json::object& status) {
  page.begin("tenon_program_works", "gauge", "Whether a part of the program works.");
  for (const json::object* part : objects_of(status, "health")) {
    page.sample({{"part", text_of(*part, "part")}}, value_of(*part, "works"));
  }
}

void add_problems(Page& page, const json::object& status) {
  std::map<std::string_view, std::size_t> counts{{"error", 0}, {"warning", 0}, {"note", 0}};
  for (const json::object* problem : objects_of(status, "problems")) {
    ++counts[text_of(*problem, "severity")];
  }
  page.begin("tenon_problems", "gauge", "Problems with files and packages.");
  for (const auto& [severity, count] : counts) {
    page.sample({{"severity", severity}}, std::to_string(count));
  }
}

void add_clients(Page& page, const json::object& status) {
  const json::object& clients = object_of(status, "clients");
  for (const auto& [name, type, help, key] : of_clients) {
    page.begin(name, type, help);
    page.sample({}, value_of(clients, key));
  }
  page.begin("tenon_control_clients_dropped_total", "counter",
             "Control clients that were refused or dropped.");
  for (const std::string_view reason : {"refused", "foreign", "malformed", "silent", "slow"}) {
    page.sample({{"reason", reason}}, value_of(clients, reason));
  }
}

}  // namespace

std::string metrics_of(const json::object& status) {
  Page page(status);
  const std::string milliseconds = std::to_string(1000 + number_of(status, "uptime_ms") % 1000);
  page.begin("tenon_host_uptime_seconds", "gauge", "Time since the host was created.");
  page.sample({},
              std::to_string(number_of(status, "uptime_ms") / 1000) + "." + milliseconds.substr(1));
  add_modules(page, status);
  add_methods(page, status);
  add_times(page, status);
  add_figures(page, status);
  add_health(page, status);
  add_problems(page, status);
  add_clients(page, status);
  return page.take();
}

}  // namespace tenon::command
