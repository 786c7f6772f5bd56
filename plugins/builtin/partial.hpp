// SPDX-License-Identifier: BSL-1.0
//
// Files and folders that nobody sees before they are complete. They are made in a folder
// `.tenon-partial` at the top of a directory, and moved from there to their place in one step. Each
// is locked (flock) by the process that makes it; what a process left that was killed is not
// locked, and is removed by a later one.
#pragma once

#include "folder.hpp"

#include <string>

namespace tenon::builtin {

/// The name of the folder. Nothing of a user's may have it.
constexpr const char* partial_name = ".tenon-partial";

/// 16 digits that nobody can guess.
std::string random_name();

/// A file or folder that is being made. Removed at its end unless it was moved to its place.
class Partial {
 public:
  /// Makes an empty file, or a folder for its maker alone. Throw sdk::Failure.
  static Partial file(const Folder& top);
  static Partial folder(const Folder& top);
  Partial(Partial&&) = default;
  Partial& operator=(Partial&&) = delete;
  ~Partial();

  /// A file, open for writing.
  int get() const noexcept { return made_.get(); }
  /// Where it lies now.
  const Folder& parent() const noexcept { return parent_; }
  const std::string& name() const noexcept { return name_; }
  /// Moves it, and replaces a file there. Returns false with the reason in errno. What is in it is
  /// not made durable, nor is the move.
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

/// Moves something away that is removed next, so that nobody sees a part of it. Returns its new
/// name in the folder `partial`, which is `.tenon-partial`; empty where there was nothing. Throws
/// sdk::Failure.
std::string move_away(const Folder& from, const std::string& name, const Folder& partial);

/// `.tenon-partial` of a directory. Made where it is missing. Throws sdk::Failure.
Folder open_partial(const Folder& top);

/// Removes what processes left that were killed, a bounded number of them each time.
void remove_abandoned(const Folder& top);

}  // namespace tenon::builtin
