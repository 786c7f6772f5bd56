// SPDX-License-Identifier: BSL-1.0
//
// The access control list of a file says who may change it. This library does not read such lists,
// so it reports no file as exposed.
#include "platform/exposure.hpp"

#include "platform/file_status.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

bool has_privileges_of_another_user() noexcept {
  return false;  // Windows has no set-user-ID
}

bool is_privileged() noexcept {
  return false;
}

std::string user_name(std::uint32_t user) {
  return std::to_string(user);
}

std::optional<Exposure> ExposureCheck::of(const std::filesystem::path::string_type&,
                                          const FileAccess&) {
  return std::nullopt;
}

std::optional<Exposure> exposure_of(const std::filesystem::path&, const FileAccess&) {
  return std::nullopt;
}

std::optional<Exposure> exposure_at(const std::filesystem::path&) {
  return std::nullopt;
}

bool may_be_exposed(const FileAccess&) {
  return false;
}

}}}  // namespace tenon::v0_1::platform
