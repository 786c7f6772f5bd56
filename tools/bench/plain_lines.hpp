// SPDX-License-Identifier: BSL-1.0
//
// Parses and serializes lines of JSON with Boost.JSON, without knowledge of their types. The
// baseline for conversions.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace tenon::bench {

/// Copies one line after the other, and reuses its memory.
class PlainLines {
 public:
  /// Returns a line that was parsed and serialized, valid until the next call. Throws if it is not
  /// JSON.
  std::string_view copy(std::string_view line) {
    boost::json::monotonic_resource resource(memory_);
    parser_.reset(&resource);
    parser_.write(line.data(), line.size());
    const boost::json::value value = parser_.release();
    out_.clear();
    serializer_.reset(&value);
    while (!serializer_.done()) {
      const auto part = serializer_.read(buffer_);
      out_.append(part.data(), part.size());
    }
    return out_;
  }

 private:
  unsigned char memory_[1 << 14];
  char buffer_[BOOST_JSON_STACK_BUFFER_SIZE];
  boost::json::parser parser_;
  boost::json::serializer serializer_;
  std::string out_;
};

}  // namespace tenon::bench
