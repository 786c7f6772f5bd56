// SPDX-License-Identifier: BSL-1.0
#include "settings.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace tenon::s3 {

/// A number of bytes.
struct Size {
  std::uint64_t bytes;
};

}  // namespace tenon::s3

namespace tenon::sdk {

template <>
struct Parameter<s3::Size> {
  static std::string expected() { return "a size such as 8388608 or 16MiB"; }
  static std::optional<s3::Size> parse(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const std::uint64_t factor = factor_of(unit);
    if (error != std::errc() || factor == 0 || number > UINT64_MAX / factor) return std::nullopt;
    return s3::Size{number * factor};
  }

 private:
  static std::uint64_t factor_of(std::string_view unit) {
    if (unit.empty()) return 1;
    if (unit == "KiB") return 1 << 10;
    if (unit == "MiB") return 1 << 20;
    if (unit == "GiB") return 1 << 30;
    return 0;
  }
};

}  // namespace tenon::sdk

namespace tenon::s3 {
namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr std::uint64_t min_part_size = 5 * mebibyte;
constexpr std::uint64_t max_part_size = 5120 * mebibyte;

template <class... Parts>
sdk::Failure wrong(std::string_view key, std::string_view value, const Parts&... parts) {
  return sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", key, "\" is \"", value, "\", ",
                      parts...);
}

std::string from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

/// Checks a text for use in a header. It may be secret, so messages do not contain it.
std::string in_header(std::string_view key, std::string value) {
  if (std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c <= '~'; })) {
    return value;
  }
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", key,
                     "\" has characters other than printable ASCII without spaces");
}

std::string required(const sdk::Config& config, std::string_view key, const char* variable) {
  std::string value = in_header(key, config.get<std::string>(key, from_environment(variable)));
  if (!value.empty()) return value;
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", key, "\" is required, or ", variable,
                     " in the environment");
}

Credentials credentials_of(const sdk::Config& config) {
  // A token belongs to one key: with a configured key, the token of the environment is not used.
  const bool own = config.has("access_key_id");
  return {required(config, "access_key_id", "AWS_ACCESS_KEY_ID"),
          required(config, "secret_access_key", "AWS_SECRET_ACCESS_KEY"),
          in_header("session_token",
                    config.get<std::string>("session_token",
                                            own ? "" : from_environment("AWS_SESSION_TOKEN")))};
}

std::string region_of(const sdk::Config& config) {
  std::string region = config.get("region", "us-east-1");
  const auto is_fit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (std::all_of(region.begin(), region.end(), is_fit)) return region;
  throw wrong("region", region, "expected lower-case letters, digits and - as in eu-central-1");
}

/// Splits an address into its parts.
class Address {
 public:
  explicit Address(const std::string& text) : handle_(curl_url(), curl_url_cleanup) {
    if (handle_ == nullptr) throw std::bad_alloc();
    valid_ = curl_url_set(handle_.get(), CURLUPART_URL, text.c_str(), 0) == CURLUE_OK;
  }

  bool valid() const noexcept { return valid_; }
  /// Returns a part, or an empty text if the address has none.
  std::string part(CURLUPart part, unsigned flags = 0) const {
    char* text = nullptr;
    if (curl_url_get(handle_.get(), part, &text, flags) != CURLUE_OK) return {};
    const std::unique_ptr<char, void (*)(void*)> owned(text, curl_free);
    return text;
  }

 private:
  std::unique_ptr<CURLU, void (*)(CURLU*)> handle_;
  bool valid_;
};

Endpoint endpoint_of(const std::string& text) {
  if (text.find('@') != std::string::npos) {  // not in the message: it may contain a password
    throw sdk::Failure(TENON_INVALID_ARGUMENT,
                       "parameter \"endpoint\" has a user, expected only scheme, host and port");
  }
  const Address address(text);
  const std::string scheme = address.part(CURLUPART_SCHEME);
  if (!address.valid() || (scheme != "http" && scheme != "https")) {
    throw wrong("endpoint", text, "expected an address such as https://s3.example.org:9000");
  }
  const bool more = address.part(CURLUPART_PATH) != "/" || !address.part(CURLUPART_QUERY).empty() ||
                    !address.part(CURLUPART_FRAGMENT).empty();
  if (more) throw wrong("endpoint", text, "expected only scheme, host and port");
  const std::string port = address.part(CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
  return {scheme, address.part(CURLUPART_HOST) + (port.empty() ? "" : ":" + port)};
}

std::size_t part_size_of(const sdk::Config& config) {
  const std::uint64_t size = config.get("part_size", Size{16 * mebibyte}).bytes;
  if (size >= min_part_size && size <= max_part_size) return size;
  throw wrong("part_size", std::to_string(size), "expected 5MiB to 5GiB");
}

Duration timeout_of(const sdk::Config& config) {
  const Duration timeout = config.get("timeout", std::chrono::seconds(60));
  if (timeout >= std::chrono::milliseconds(1)) return timeout;
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"timeout\" is less than 1ms");
}

std::string server_of_amazon(const std::string& region) {
  const bool in_china = region.compare(0, 3, "cn-") == 0;
  return sdk::text("https://s3.", region, ".amazonaws.com", in_china ? ".cn" : "");
}

}  // namespace

bool is_unprotected(const Endpoint& endpoint) {
  const std::string_view host = endpoint.host;
  const bool is_local =
      host == "localhost" || host.substr(0, 10) == "localhost:" || host.substr(0, 5) == "[::1]" ||
      (host.substr(0, 4) == "127." && host.find_first_not_of("0123456789.:") == host.npos);
  return endpoint.scheme == "http" && !is_local;
}

Settings::Settings(const sdk::Config& config)
    : region(region_of(config)),
      endpoint(endpoint_of(config.get("endpoint", server_of_amazon(region)))),
      path_style(config.get("path_style", config.has("endpoint"))),
      credentials(credentials_of(config)),
      part_size(part_size_of(config)),
      timeout(timeout_of(config)) {}

}  // namespace tenon::s3
