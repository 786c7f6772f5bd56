// SPDX-License-Identifier: BSL-1.0
//
// unloading-host LIBRARY DIRECTORY [FUNCTION]: uses a library with a host, and unloads it: first on
// the main thread, then while a thread that has called a plugin still runs. The program itself does
// not use tenon. Prints after each unloading whether the code of the loader is still mapped, and
// finally whether repeated use leaves memory allocated. If FUNCTION is given, it hangs, and only
// the main thread uses the library.
#include <dlfcn.h>
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <thread>

namespace {

std::string library;

void use(void* image, const char* directory, const char* hanging) {
  using Use = const char* (*)(const char*, const char*);
  const char* failed = reinterpret_cast<Use>(dlsym(image, "use_counter"))(directory, hanging);
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

/// Uses and unloads the library several times. Returns how many bytes each use leaves allocated.
std::size_t left_by_use(const char* directory) {
  constexpr std::size_t uses = 20;
  const std::size_t before = mallinfo2().uordblks;
  for (std::size_t i = 0; i < uses; ++i) {
    void* image = load();
    use(image, directory, "");
    dlclose(image);
  }
  const std::size_t after = mallinfo2().uordblks;
  return after > before ? (after - before) / uses : 0;
}

}  // namespace

int main(int count, char** arguments) {
  library = arguments[1];
  const char* directory = arguments[2];
  const bool hangs = count > 3;
  void* image = load();
  use(image, directory, hangs ? arguments[3] : "");
  unload(image, "used by the main thread");
  if (hangs) return 0;

  image = load();
  std::promise<void> used;
  std::promise<void> unloaded;
  std::thread user([&] {
    use(image, directory, "");
    used.set_value();
    unloaded.get_future().wait();
  });
  used.get_future().wait();
  unload(image, "used by another thread");
  unloaded.set_value();
  user.join();
  left_by_use(directory);  // caches of the allocator and the system's loader grow at first
  std::cout << "used repeatedly: " << (left_by_use(directory) < 512 ? "freed" : "leaked")
            << std::endl;
  std::_Exit(0);  // without a leak check: a few objects outlive every thread
}
