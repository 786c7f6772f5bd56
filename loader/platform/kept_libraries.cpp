// SPDX-License-Identifier: BSL-1.0
#include "platform/kept_libraries.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

struct Registry {
  sync::Mutex mutex;
  std::vector<KeptLibrary> libraries TENON_GUARDED_BY(mutex);
};
Registry& registry() {
  static auto& all = *new Registry;  // outlives every thread
  return all;
}

}  // namespace

void add_kept_libraries(const std::vector<fs::path>& images) {
  Registry& all = registry();
  const auto now = std::chrono::system_clock::now();
  const sync::Lock lock(all.mutex);
  for (const fs::path& path : images) {
    const auto identity = identity_of(path);
    std::error_code failed;
    fs::path file = fs::canonical(path, failed);
    if (!identity || failed) continue;  // its file was removed meanwhile
    all.libraries.push_back({path, std::move(file), *identity, now});
  }
}

bool is_kept(const fs::path& path) {
  Registry& all = registry();
  const sync::Lock lock(all.mutex);
  return std::ranges::find(all.libraries, path, &KeptLibrary::path) != all.libraries.end();
}

std::vector<KeptLibrary> kept_libraries() {
  const sync::Lock lock(registry().mutex);
  return registry().libraries;
}

bool is_replaced(const KeptLibrary& library) {
  const auto now = identity_of(library.path);
  return !now || *now != library.identity;
}

}}}  // namespace tenon::v0_1::platform
