// SPDX-License-Identifier: BSL-1.0
//
// The module and the libraries that it begins and ends.
#include "store.hpp"

#include <sodium.h>

#include <dlfcn.h>

namespace {

/// A thread of libcurl that looks up a name outlives a call that was cancelled. Its code stays
/// therefore, also where nobody but this module uses it.
void keep_curl_loaded() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&curl_global_init), &library) == 0) return;
  void* handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (handle != nullptr) dlclose(handle);
}

void start(tenon::sdk::Call, tenon::sdk::Host) {
  keep_curl_loaded();
  if (sodium_init() < 0) throw tenon::sdk::Failure(TENON_INTERNAL, "libsodium does not start");
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    throw tenon::sdk::Failure(TENON_INTERNAL, "libcurl does not start");
  }
}

void stop() {
  curl_global_cleanup();
}

}  // namespace

TENON_PLUGIN_WITH(tenon::s3::Store, "tenon.dev/s3", TENON_S3_VERSION, start, stop,
                  {"summary": "Objects on a server that speaks S3", "threads": "joined"});
