// SPDX-License-Identifier: BSL-1.0
//
// Finds the names of namespaces in Kubernetes resources.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <string_view>

namespace tenon::builtin {

/// The name of a namespace in a resource: a whole string, or the part between a prefix and the next
/// colon, such as "web" in "system:serviceaccount:web:robot".
class NamespaceReference {
 public:
  NamespaceReference(boost::json::string& text, std::size_t begin, std::size_t size)
      : text_(text), begin_(begin), size_(size) {}

  std::string_view get() const { return std::string_view(text_).substr(begin_, size_); }
  void set(std::string_view name) const { text_.replace(begin_, size_, name); }

 private:
  boost::json::string& text_;
  std::size_t begin_;
  std::size_t size_;
};

/// Calls `found` once for each reference in a resource.
void for_each_namespace(boost::json::value& resource,
                        const std::function<void(const NamespaceReference&)>& found);

}  // namespace tenon::builtin
