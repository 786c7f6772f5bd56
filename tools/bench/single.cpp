// SPDX-License-Identifier: BSL-1.0
//
// A source of version 1, which returns one record at a time. The configuration sets their number.
#include <tenon/sdk/source.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace {

class Single : public tenon::sdk::SourceV1 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    count_ = config.get<std::int64_t>("count");
  }
  void start(std::optional<tenon::BytesView> position) override {
    made_ = position ? std::stoll(std::string(position->text())) : 0;
  }
  tenon::RecordV1 read() override {
    if (made_ == count_) throw tenon::sdk::Failure(TENON_OUT_OF_RANGE, "no more records");
    tenon::RecordV1 record;
    record.position = tenon::to_bytes(std::to_string(++made_));
    record.payload = payload_;
    return record;
  }
  void stop() override {}
  void teardown() override {}

 private:
  const tenon::Bytes payload_ = tenon::to_bytes(R"({"fill":")" + std::string(89, 'x') + "\"}");
  std::int64_t count_ = 0;
  std::int64_t made_ = 0;
};

}  // namespace

#define PLUGINS(P) P(Single, "bench.example/single")
TENON_PLUGINS("bench.example/single", "1.0.0", PLUGINS);
