// SPDX-License-Identifier: BSL-1.0
//
// Finds the objects in a JSON file, and the elements of their member "items", while the file is
// read in pieces. Only one element is in memory at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "value_scan.hpp"

namespace backup {

/// A position in a file. Lines and columns count from 1, a column is one character.
struct Position {
  std::uint64_t offset = 0;  // in bytes
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  /// Advances to the end of a text that begins here.
  void pass(std::string_view text);
};

/// A part of a file.
struct Extent {
  Position begin;
  std::uint64_t size = 0;
};

/// The members of an object that describe it, as far as they have been read.
struct Envelope {
  std::string api_version;
  std::string kind;
  bool has_items = false;  // a member "items" that is an array
};

/// Receives the results of a DocumentScanner in the order of the file.
class ScanHandler {
 public:
  virtual ~ScanHandler() = default;
  /// Receives an element of "items". `text` is empty if it is larger than the limit of the scanner.
  virtual void on_element(const Extent& extent, std::string_view text,
                          const Envelope& envelope) = 0;
  /// Receives an object after its end.
  virtual void on_object(const Extent& extent, const Envelope& envelope) = 0;
  /// Receives the position at which an object becomes unreadable.
  virtual void on_broken(const Position& where, std::string_view found,
                         const Envelope& envelope) = 0;
};

/// Scans one file. After a syntax error it continues at the next line that begins with `{`, as each
/// line does in a file with one document per line.
class DocumentScanner {
 public:
  DocumentScanner(ScanHandler& handler, std::size_t largest_element)
      : handler_(handler), largest_element_(largest_element) {}

  void feed(std::string_view piece);
  /// Marks the end of the file.
  void finish();

 private:
  enum class State : std::uint8_t {
    between,     // documents
    lost,        // after a syntax error
    key_or_end,  // of an object that has just begun
    key,         // after a comma
    in_key,
    colon,
    value,
    in_value,
    comma_or_end,    // after a member
    element_or_end,  // of "items" that have just begun
    element,         // after a comma
    in_element,
    comma_or_items_end,
  };

  bool has_part_of_mark() const;
  bool in_scan() const;
  void pass(std::string_view text);
  void take(char c);
  void begin_object();
  void end_object();
  void begin_value(State state, char c);
  std::size_t take_value(std::string_view piece);
  void end_value();
  void keep(std::string_view text);
  void end_member();
  void take_after_element(char c);
  void expect(char c, char expected, State next, std::string_view found);
  void break_off(char c, std::string_view found);

  ScanHandler& handler_;
  const std::size_t largest_element_;
  State state_ = State::between;
  Position here_;
  std::size_t mark_ = 0;  // bytes of a byte order mark at the beginning of the file
  bool is_line_begin_ = true;
  Position object_;  // where the current object begins
  Envelope envelope_;
  ValueScan scan_;
  Position value_;    // where the current value or key begins
  std::string text_;  // of the current value, as far as it is kept
  bool is_kept_ = false;
  std::string key_;  // of the current member, with its quotes
};

}  // namespace backup
