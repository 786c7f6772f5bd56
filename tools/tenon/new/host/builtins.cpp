#include "builtins.hpp"

#include <tenon/sdk/module.hpp>
#include <tenon/sdk/reading_source.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace {

/// The numbers from 1 to the parameter `last`. The position of a record is its number.
class Numbers : public tenon::sdk::ReadingSource {
 public:
  void configure(const tenon::sdk::Config& config) override { last_ = config.get("last", 3); }

  void open(std::optional<tenon::BytesView> position) override {
    number_ = position ? std::stoi(std::string(position->text())) : 0;
  }

  std::optional<tenon::RecordV2> read() override {
    if (number_ >= last_) return std::nullopt;  // the end of the source
    const std::string number = std::to_string(++number_);
    tenon::RecordV2 record;
    record.position = tenon::to_bytes(number);
    record.payload.after = tenon::to_bytes(number);
    return record;
  }

 private:
  std::int32_t last_ = 0;
  std::int32_t number_ = 0;  // of the last record
};

}  // namespace

std::vector<const tenon_module*> builtins() {
  static const auto builtin =
      tenon::sdk::Builtin("me.example/builtin", "0.1.0").add<Numbers>("me.example/numbers");
  return {builtin.module()};
}
