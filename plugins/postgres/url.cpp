// SPDX-License-Identifier: BSL-1.0
#include "url.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <string_view>

namespace tenon::postgres {
namespace {

struct Free {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, Free>;

Options parse(const std::string& url) {
  char* error = nullptr;
  Options options(PQconninfoParse(url.c_str(), &error));
  PQfreemem(error);  // it may contain a part of the password
  return options;
}

/// Returns the value of an option, or an empty text if it is absent.
std::string_view value_of(const Options& options, std::string_view keyword) {
  for (const PQconninfoOption* option = options.get();
       option != nullptr && option->keyword != nullptr; ++option) {
    if (option->keyword == keyword) return option->val != nullptr ? option->val : "";
  }
  return {};
}

/// Calls `test` with the elements of a list until it returns false. Returns the last result.
template <class Test>
bool all_of_list(std::string_view list, const Test& test) {
  for (;;) {
    const std::string_view one = list.substr(0, list.find(','));
    if (!test(one)) return false;
    if (one.size() == list.size()) return true;
    list.remove_prefix(one.size() + 1);
  }
}

bool is_socket(std::string_view host) {
  return !host.empty() && (host[0] == '/' || host[0] == '@');
}

bool is_host(std::string_view host) {
  return is_socket(host) || std::all_of(host.begin(), host.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("-_.:%").find(c) != std::string_view::npos;
         });
}

bool is_port(std::string_view port) {
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return port.empty() ||
         (error == std::errc() && end == port.data() + port.size() && number > 0 && number < 65536);
}

/// Returns whether a URL has an '@' only where it ends the user and the password, or in its query.
bool has_plain_authority(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const bool is_uri = url.substr(0, 11) == "postgres://" || url.substr(0, 13) == "postgresql://";
  if (!is_uri) return true;
  std::string_view rest = url.substr(scheme + 3);
  const std::size_t end_of_user = rest.find_first_of("@/");
  if (end_of_user != rest.npos && rest[end_of_user] == '@') rest.remove_prefix(end_of_user + 1);
  return rest.substr(0, rest.find('?')).find('@') == rest.npos;
}

bool is_local(std::string_view host) {
  return host.empty() || is_socket(host) || host == "localhost" || host == "::1" ||
         (host.substr(0, 4) == "127." && host.find_first_not_of("0123456789.") == host.npos);
}

}  // namespace

bool is_url(const std::string& url) {
  const Options options = parse(url);
  return options != nullptr && has_plain_authority(url) &&
         all_of_list(value_of(options, "host"), is_host) &&
         all_of_list(value_of(options, "hostaddr"), is_host) &&
         all_of_list(value_of(options, "port"), is_port);
}

bool exposes_password(const std::string& url) {
  const Options options = parse(url);
  const Options defaults(PQconndefaults());  // from the environment
  const auto value = [&](std::string_view keyword) {
    const std::string_view given = value_of(options, keyword);
    return given.empty() ? value_of(defaults, keyword) : given;
  };
  if (value("password").empty() || value("sslmode") == "verify-full") return false;
  if (value("sslrootcert") == "system") return false;  // implies verify-full
  const std::string_view address = value("hostaddr");
  return !all_of_list(address.empty() ? value("host") : address, is_local);
}

}  // namespace tenon::postgres
