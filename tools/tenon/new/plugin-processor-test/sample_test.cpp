// Passes records through the processor in a host. PLUGIN is the path of its module.
#include <tenon/processor.hpp>
#include <tenon/sdk/testing.hpp>

#include <iostream>
#include <string>

namespace {

tenon::RecordV2 record(const std::string& payload) {
  tenon::RecordV2 record;
  record.position = tenon::to_bytes(payload);
  record.payload.after = tenon::to_bytes(payload);
  return record;
}

}  // namespace

int main() {
  tenon::Host host(tenon::sdk::testing::options(PLUGIN));
  auto processor = host.create<tenon::Processor>("me.example/sample", {{"contains", "b"}}).value();
  const auto opened = processor->open();  // which processors need not implement
  if (!opened && opened.error().code() != "unimplemented") opened.value();
  const auto results = processor->process({record("abc"), record("xyz"), record("b")}).value();
  std::string passed;
  for (const auto& result : results) passed += std::to_string(result.records.size());
  if (passed == "101") return 0;
  std::cerr << "found " << passed << ", needed 101\n";
  return 1;
}
