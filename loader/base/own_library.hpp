// SPDX-License-Identifier: BSL-1.0
//
// The library that contains the loader. A program that has loaded it as part of a library of its
// own may unload it when no host is left.
#pragma once

#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Keeps the library that contains this code loaded while the object exists. Has no effect in code
/// that is linked into the executable. Thread-safe. REQUIRED: no lock is held when it is created or
/// destroyed, because it calls the system's loader.
class LibraryUse {
 public:
  LibraryUse();
  ~LibraryUse();
  LibraryUse(const LibraryUse&) = delete;
  LibraryUse& operator=(const LibraryUse&) = delete;

 private:
  void* handle_ = nullptr;
};

/// Keeps the library loaded until the process exits, because its code may still run when the last
/// host has ended, eg: on a thread that hangs. Thread-safe; takes no lock. REQUIRED: a LibraryUse
/// exists.
void leave_library_loaded() noexcept;

/// Returns whether a LibraryUse exists, or the library is left loaded. Thread-safe; takes no lock.
bool library_in_use() noexcept;

/// A static object that is destroyed when the library is unloaded. It is left when the process
/// exits while the library is in use: a thread that did not call exit() may still use the object.
template <class T>
class LibraryStatic {
 public:
  template <class... Arguments>
  explicit LibraryStatic(Arguments&&... arguments)
      : value_(std::forward<Arguments>(arguments)...) {}
  ~LibraryStatic() {
    if (!library_in_use()) value_.~T();
  }
  LibraryStatic(const LibraryStatic&) = delete;
  LibraryStatic& operator=(const LibraryStatic&) = delete;

  T& operator*() noexcept { return value_; }

 private:
  union {
    T value_;
  };
};

}}}  // namespace tenon::v0_1::platform
