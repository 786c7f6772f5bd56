// SPDX-License-Identifier: BSL-1.0
//
// Finds the objects in a JSON file, and the elements of their member "items", while the file is
// read in pieces. Only one element is in memory at a time.
#pragma once

#include "value_scan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace backup {

/// A place in a file. Lines and columns count from 1, a column is one character.
struct Position {
  std::uint64_t offset = 0;  // in bytes
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  /// Goes over one byte.
  void pass(char c);
};

/// A part of a file.
struct Extent {
  Position begin;
  std::uint64_t size = 0;
};

/// What an object says of itself, as far as it is read.
struct Envelope {
  std::string api_version;
  std::string kind;
  bool has_items = false;  // a member "items" that is an array
};

/// What a DocumentScanner finds, in the order of the file.
class ScanHandler {
 public:
  virtual ~ScanHandler() = default;
  /// An element of "items". `text`: empty if it is larger than the scanner keeps.
  virtual void on_element(const Extent& extent, std::string_view text,
                          const Envelope& envelope) = 0;
  /// The end of an object.
  virtual void on_object(const Extent& extent, const Envelope& envelope) = 0;
  /// The object cannot be read from here on.
  virtual void on_broken(const Position& where, std::string_view found,
                         const Envelope& envelope) = 0;
};

/// Takes one file. After something that is no JSON it goes on at the next line that begins with
/// `{`, as each document of a file with one document a line does.
class DocumentScanner {
 public:
  DocumentScanner(ScanHandler& handler, std::size_t largest_element)
      : handler_(handler), largest_element_(largest_element) {}

  void feed(std::string_view piece);
  /// The file has ended.
  void finish();

 private:
  enum class State : std::uint8_t {
    between,     // documents
    lost,        // after something broken
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

  void take(char c);
  void begin_object();
  void end_object();
  void begin_value(State state, char c);
  void take_value(char c);
  void end_value(std::uint64_t end);
  void keep(char c);
  void end_member();
  void take_after_element(char c);
  void expect(char c, char expected, State next, std::string_view found);
  void break_off(char c, std::string_view found);

  ScanHandler& handler_;
  const std::size_t largest_element_;
  State state_ = State::between;
  Position here_;
  bool is_line_begin_ = true;
  Position object_;  // where the object under way begins
  Envelope envelope_;
  ValueScan scan_;
  Position value_;    // where the value or key under way begins
  std::string text_;  // of it, as far as it is kept
  bool is_kept_ = false;
  std::string key_;  // of the member under way, with its quotes
};

}  // namespace backup
