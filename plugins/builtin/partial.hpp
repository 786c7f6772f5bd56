// SPDX-License-Identifier: BSL-1.0
//
// Files and folders that are invisible until they are complete. They are created in the folder
// `.tenon-partial` at the top of a directory, and moved to their final path in one step. The
// creating process holds a lock on each (flock). The leftovers of a killed process are not locked,
// and a later process removes them.
#pragma once

#include <string>

#include "folder.hpp"

namespace tenon::builtin {

/// The name of the folder. It is reserved.
constexpr const char* partial_name = ".tenon-partial";

/// Returns 16 random hexadecimal digits.
std::string random_name();

/// An incomplete file or folder. The destructor removes it unless it was moved.
class Partial {
 public:
  /// Create an empty file, or a folder, that only its owner may open. Throw sdk::Failure.
  static Partial file(const Folder& top);
  static Partial folder(const Folder& top);
  Partial(Partial&&) = default;
  Partial& operator=(Partial&&) = delete;
  ~Partial();

  /// Returns the descriptor. A file is open for writing.
  int get() const noexcept { return made_.get(); }
  /// Returns the folder that contains it now.
  const Folder& parent() const noexcept { return parent_; }
  const std::string& name() const noexcept { return name_; }
  /// Moves it, replacing a file of this name. Returns false on failure, with the reason in errno.
  /// Makes neither the content nor the move durable.
  bool move_to(const Folder& folder, const std::string& name);

 private:
  using Make = Descriptor (*)(const Folder& parent, const std::string& name);
  static Partial make(const Folder& top, Make make);
  Partial(Folder parent, std::string name, Descriptor made);

  Folder parent_;
  std::string name_;
  Descriptor made_;  // holds the lock
  bool moved_ = false;
};

/// Moves an entry into the folder `partial`, which is `.tenon-partial`, before it is removed, so
/// that it is never visible partly removed. Returns its new name there, or an empty text if there
/// was no such entry. Throws sdk::Failure.
std::string move_away(const Folder& from, const std::string& name, const Folder& partial);

/// Opens `.tenon-partial` of a directory, and creates it if it is missing. Throws sdk::Failure,
/// also if it belongs to another user or others may write to it.
Folder open_partial(const Folder& top);

/// Removes leftovers of killed processes, a bounded number in each call.
void remove_abandoned(const Folder& top);

}  // namespace tenon::builtin
