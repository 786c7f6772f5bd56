// SPDX-License-Identifier: BSL-1.0
//
// Files and directories that are invisible until they are complete. They are created in the
// directory `.tenon-partial` at the top of a directory, and moved to their final path in one step.
// The creating process holds a lock on each (flock). The leftovers of a killed process are not
// locked, and a later process removes them.
#pragma once

#include <string>

#include "directory.hpp"

namespace tenon::builtin {

/// The name of the directory. It is reserved.
constexpr const char* partial_name = ".tenon-partial";

/// Returns 16 random hexadecimal digits.
std::string random_name();

/// An incomplete file or directory. The destructor removes it unless it was moved.
class Partial {
 public:
  /// Create an empty file, or a directory, that only its owner may open. Throw sdk::Failure.
  static Partial file(const Directory& top);
  static Partial directory(const Directory& top);
  Partial(Partial&&) = default;
  Partial& operator=(Partial&&) = delete;
  ~Partial();

  /// Returns the descriptor. A file is open for writing.
  int get() const noexcept { return made_.get(); }
  /// Returns the directory that contains it now.
  const Directory& parent() const noexcept { return parent_; }
  const std::string& name() const noexcept { return name_; }
  /// Moves it, replacing a file of this name. Returns false on failure, with the reason in errno.
  /// Makes neither the content nor the move durable.
  bool move_to(const Directory& directory, const std::string& name);

 private:
  using Make = Descriptor (*)(const Directory& parent, const std::string& name);
  static Partial make(const Directory& top, Make make);
  Partial(Directory parent, std::string name, Descriptor made);

  Directory parent_;
  std::string name_;
  Descriptor made_;  // holds the lock
  bool moved_ = false;
};

/// Moves an entry into the directory `partial`, which is `.tenon-partial`, before it is removed, so
/// that it is never visible partly removed. Returns its new name there, or an empty text if there
/// was no such entry. Throws sdk::Failure.
std::string move_away(const Directory& from, const std::string& name, const Directory& partial);

/// Opens `.tenon-partial` of a directory, and creates it if it is missing. Throws sdk::Failure,
/// also if it belongs to another user or others may write to it.
Directory open_partial(const Directory& top);

/// Removes leftovers of killed processes, a bounded number in each call.
void remove_abandoned(const Directory& top);

}  // namespace tenon::builtin
