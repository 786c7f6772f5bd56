// SPDX-License-Identifier: BSL-1.0
//
// Prints how the SDK parses the numbers and durations in its arguments: "-" if it refuses them.
#include <tenon/sdk/config.hpp>

#include <cstdio>
#include <optional>
#include <string_view>

namespace {

void print(std::string_view text) {
  const std::optional<double> number = tenon::sdk::Parameter<double>::parse(text);
  const std::optional<tenon::Duration> span = tenon::sdk::Parameter<tenon::Duration>::parse(text);
  std::printf("%.*s:", static_cast<int>(text.size()), text.data());
  number ? std::printf(" %g", *number) : std::printf(" -");
  span ? std::printf(" %lld ns\n", static_cast<long long>(span->count())) : std::printf(" -\n");
}

}  // namespace

int main(int count, char** texts) {
  print({});
  for (int i = 1; i < count; ++i) print(texts[i]);
}
