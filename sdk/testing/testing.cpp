// SPDX-License-Identifier: BSL-1.0
#include <tenon/sdk/testing.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace tenon::sdk::testing {
namespace {

class Content : public HostReader {
 public:
  Content(std::string text, std::size_t piece, bool fails)
      : text_(std::move(text)), piece_(std::max<std::size_t>(piece, 1)), fails_(fails) {}

  tenon::Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    const std::size_t size = std::min({into.size(), piece_, text_.size() - at_});
    if (size == 0 && fails_) {
      return Error({.status = TENON_DATA_LOSS, .message = "the end of the content is lost"});
    }
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), size, into.begin());
    at_ += size;
    return size;
  }

 private:
  const std::string text_;
  const std::size_t piece_;
  const bool fails_;
  std::size_t at_ = 0;
};

class Written : public HostWriter {
 public:
  explicit Written(std::string& committed) : committed_(committed) {}

  tenon::Result<void> write(Call&, BytesView from) override {
    text_ += from.text();
    return {};
  }
  tenon::Result<void> commit(Call&) override {
    committed_ = text_;
    return {};
  }

 private:
  std::string& committed_;
  std::string text_;
};

}  // namespace

HostOptions options(const std::filesystem::path& module) {
  HostOptions options{.app = "tenon-conformance", .plugin_path = {module}};
  options.check_calls = true;
  return options;
}

tenon::Reader reader(std::string content, std::size_t piece) {
  return std::make_unique<Content>(std::move(content), piece, false);
}

tenon::Reader failing_reader(std::string content) {
  return std::make_unique<Content>(std::move(content), std::string::npos, true);
}

tenon::Writer writer(std::string& committed) {
  return std::make_unique<Written>(committed);
}

tenon::Result<std::string> read_all(tenon::Reader stream) {
  std::string text;
  std::array<std::uint8_t, 4096> buffer{};
  for (;;) {
    const tenon::Result<std::size_t> size = stream.read(buffer);
    if (!size) return size.error();
    if (*size == 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), *size);
  }
}

}  // namespace tenon::sdk::testing
