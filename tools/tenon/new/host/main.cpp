// Prints the payloads of the records of a source: sample PLUGIN [PARAMETER=VALUE]...
// Without arguments, lists the sources.
#include <tenon/host.hpp>
#include <tenon/source.hpp>

#include <cstddef>
#include <iostream>
#include <optional>
#include <string>

#include "builtins.hpp"

namespace {

void list_sources(const tenon::Host& host) {
  for (const tenon::PluginInfo& plugin : host.plugins<tenon::Source>()) {  // loads nothing
    std::cout << plugin.name() << '\n';
  }
}

/// Returns the parameters among the arguments.
tenon::TextMap parameters(int count, char** arguments) {
  tenon::TextMap config;
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = argument.find('=');
    config[argument.substr(0, equals)] =
        equals == std::string::npos ? "" : argument.substr(equals + 1);
  }
  return config;
}

tenon::Result<void> print_records(tenon::Handle<tenon::Source>& source) {
  if (auto opened = source->open(std::nullopt); !opened) return opened;
  for (;;) {
    const auto batch = source->read_batch(100, std::nullopt);
    if (!batch && batch.error().code() == "out-of-range") break;
    if (!batch) return batch.error();
    for (const tenon::RecordV2& record : *batch) {
      if (!record.payload.after) continue;
      std::cout << tenon::BytesView(*record.payload.after).text() << '\n';
    }
  }
  return source.supports("teardown") ? source->teardown() : tenon::Result<void>();
}

}  // namespace

int main(int count, char** arguments) {
  tenon::Host host({.app = "sample", .builtins = builtins()});
  for (const tenon::Error& problem : host.problems()) std::cerr << problem.to_string() << '\n';
  if (count < 2) {
    list_sources(host);
    return 0;
  }
  auto source = host.create<tenon::Source>(arguments[1], parameters(count, arguments));
  const tenon::Result<void> done = source ? print_records(*source) : source.error();
  if (!done) std::cerr << done.error().to_string() << '\n';
  return done ? 0 : 1;
}
