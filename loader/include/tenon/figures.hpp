// SPDX-License-Identifier: BSL-1.0
//
// tenon/figures.hpp: what a program reports about its own work, next to what the host knows:
//
//   tenon::Figure read = host.figure({.name = "read", .unit = "records", .part = "orders"});
//   read.add(records.size());
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace tenon { inline namespace v0_1 {

namespace detail {
class FigureTable;
}  // namespace detail

/// Describes a figure.
struct FigureInfo {
  /// Lower-case letters, digits and `_`, eg: "read".
  std::string name{};
  /// In the plural, from the same characters, eg: "records", "bytes", "seconds"; empty: the name
  /// says it.
  std::string unit{};
  /// The part of the program that it is about, eg: "orders"; may be empty.
  std::string part{};
  /// False: the value may also fall.
  bool total = true;
};

/// A number that a program reports. Copies are the same figure. Thread-safe; takes no lock.
class Figure {
 public:
  /// A figure that nobody sees.
  Figure() : value_(std::make_shared<std::atomic<double>>(0)) {}

  /// Adds to the value, which is 0 at first.
  void add(double more) noexcept {
    // Not every C++20 library has fetch_add for double.
    double before = value();
    while (!value_->compare_exchange_weak(before, before + more, std::memory_order_relaxed)) {
    }
  }
  void set(double value) noexcept { value_->store(value, std::memory_order_relaxed); }
  double value() const noexcept { return value_->load(std::memory_order_relaxed); }

 private:
  friend class detail::FigureTable;
  explicit Figure(std::shared_ptr<std::atomic<double>> value) noexcept : value_(std::move(value)) {}

  std::shared_ptr<std::atomic<double>> value_;
};

}}  // namespace tenon::v0_1
