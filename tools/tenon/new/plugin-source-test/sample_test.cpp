// Reads the source in a host. PLUGIN is the path of its module.
#include <tenon/sdk/testing.hpp>
#include <tenon/source.hpp>

#include <iostream>
#include <optional>
#include <string>

namespace {

/// Returns the payloads of the records after a position, with a blank after each.
std::string records_after(std::optional<tenon::BytesView> position) {
  tenon::Host host(tenon::sdk::testing::options(PLUGIN));
  auto source = host.create<tenon::Source>("me.example/sample", {{"last", "3"}}).value();
  source->open(position).value();
  std::string payloads;
  for (;;) {
    const auto batch = source->read_batch(10, std::nullopt);
    if (!batch && batch.error().code() == "out-of-range") return payloads;  // the end
    for (const tenon::RecordV2& record : batch.value()) {
      payloads += tenon::BytesView(record.payload.after.value()).text();
      payloads += ' ';
    }
  }
}

/// Returns whether two texts are equal. Prints them if they are not.
bool equal(const std::string& found, const std::string& needed) {
  if (found == needed) return true;
  std::cerr << "found \"" << found << "\", needed \"" << needed << "\"\n";
  return false;
}

}  // namespace

int main() {
  const bool reads = equal(records_after(std::nullopt), "1 2 3 ");
  const bool resumes = equal(records_after(tenon::BytesView("2")), "3 ");
  return reads && resumes ? 0 : 1;
}
