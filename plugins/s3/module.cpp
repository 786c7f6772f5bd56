// SPDX-License-Identifier: BSL-1.0
//
// The module, which initialises its libraries and cleans them up.
#include <dlfcn.h>
#include <sodium.h>

#include "store.hpp"

namespace {

/// Keeps libcurl loaded, even if only this module uses it: its thread that looks up a host name can
/// outlive a cancelled call.
void keep_curl_loaded() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&curl_global_init), &library) == 0) return;
  void* handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (handle != nullptr) dlclose(handle);
}

void start(tenon::sdk::Call, tenon::sdk::Host) {
  keep_curl_loaded();
  if (sodium_init() < 0) throw tenon::sdk::Failure(TENON_INTERNAL, "cannot initialize libsodium");
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    throw tenon::sdk::Failure(TENON_INTERNAL, "cannot initialize libcurl");
  }
}

void stop() {
  curl_global_cleanup();
}

}  // namespace

TENON_PLUGIN_WITH(tenon::s3::Store, "tenon.dev/s3", TENON_S3_VERSION, start, stop,
                  {"summary": "Objects on a server that speaks S3", "threads": "joined"});
