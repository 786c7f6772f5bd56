// SPDX-License-Identifier: BSL-1.0
//
// unloading-host LIBRARY FOLDER [FUNCTION]: uses a library with a host, and unloads it: first on
// the main thread, then while a thread that has called a plugin still runs. The program itself does
// not use tenon. Prints after each unloading whether the code of the loader is still mapped. If
// FUNCTION is given, it hangs, and only the main thread uses the library.
#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <thread>

namespace {

std::string library;

void use(void* image, const char* folder, const char* hanging) {
  using Use = const char* (*)(const char*, const char*);
  const char* failed = reinterpret_cast<Use>(dlsym(image, "use_counter"))(folder, hanging);
  if (failed == nullptr) return;
  std::cout << failed << std::endl;
  std::exit(1);
}

void* load() {
  void* image = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image != nullptr) return image;
  std::cout << dlerror() << std::endl;
  std::exit(1);
}

/// Unloads the library and prints whether it, or libtenon, is still mapped.
void unload(void* image, const char* when) {
  dlclose(image);
  std::ifstream maps("/proc/self/maps");
  bool mapped = false;
  for (std::string line; std::getline(maps, line);) {
    mapped |= line.ends_with(library) || line.find("/libtenon.so") != std::string::npos;
  }
  std::cout << when << ": " << (mapped ? "mapped" : "unmapped") << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
  library = arguments[1];
  const char* folder = arguments[2];
  const bool hangs = count > 3;
  void* image = load();
  use(image, folder, hangs ? arguments[3] : "");
  unload(image, "used by the main thread");
  if (hangs) return 0;

  image = load();
  std::promise<void> used;
  std::promise<void> unloaded;
  std::thread user([&] {
    use(image, folder, "");
    used.set_value();
    unloaded.get_future().wait();
  });
  used.get_future().wait();
  unload(image, "used by another thread");
  unloaded.set_value();
  user.join();
  std::_Exit(0);  // without a leak check: the records of threads are never freed
}
