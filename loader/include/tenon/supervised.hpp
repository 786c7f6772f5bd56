// SPDX-License-Identifier: BSL-1.0
//
// tenon/supervised.hpp: tables whose methods watch those of a plugin. A host that counts or checks
// calls, or contains crashes, has one between its own code and each plugin; generated code fills
// it.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>
#include <tenon/instance.hpp>

#include <cstdint>

namespace tenon::detail {

/// The `self` of a supervised table: one object of a plugin.
class TENON_API Supervised {
 public:
  Supervised(const Supervised&) = delete;
  Supervised& operator=(const Supervised&) = delete;

  /// Calls a method of the plugin with what it is to be given, typed again.
  using Pass = tenon_status (*)(const CallTarget& plugin, tenon_call* call, const void* in,
                                void* out);

  /// Watches a call of the method that stands at `index` in the kind's version.
  tenon_status call(std::uint32_t index, Pass pass, tenon_call* call, const void* in, void* out);

 protected:
  Supervised() = default;
  ~Supervised() = default;
};

/// The method of a supervised table for one of the plugin's table.
template <auto Method, std::uint32_t Index>
struct SupervisedMethod;

template <class Table, class Request, class... Response,
          tenon_status (*Table::*Method)(tenon_call*, void*, const Request*, const Response**...),
          std::uint32_t Index>
struct SupervisedMethod<Method, Index> {
  static tenon_status call(tenon_call* call, void* self, const Request* in,
                           const Response**... out) {
    void* answer = nullptr;
    ((answer = out), ...);
    return static_cast<Supervised*>(self)->call(Index, pass, call, in, answer);
  }

 private:
  static tenon_status pass(const CallTarget& plugin, tenon_call* call, const void* in,
                           [[maybe_unused]] void* out) {
    return (static_cast<const Table*>(plugin.table)->*Method)(
        call, plugin.self, static_cast<const Request*>(in), static_cast<const Response**>(out)...);
  }
};

}  // namespace tenon::detail
