// SPDX-License-Identifier: BSL-1.0
//
// Lines of JSON that are read and written again by Boost.JSON, with all their values and nothing
// known about them: what conversion is measured against.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace tenon::bench {

/// One line after the other; its memory is kept from one to the next.
class PlainLines {
 public:
  /// The same line, valid until the next call. Throws where it is no JSON.
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
