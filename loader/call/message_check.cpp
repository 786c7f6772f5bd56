// SPDX-License-Identifier: BSL-1.0
#include "call/message_check.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/quote.hpp"
#include "base/utf8.hpp"
#include "document/json_parser.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using Form = ValueInfo::Form;

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

const std::byte* bytes_at(const void* data) {
  return static_cast<const std::byte*>(data);
}

std::string_view text_of_bytes(const tenon_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data), bytes.size};
}

/// Returns the position of the first byte that does not begin a UTF-8 character, if any.
std::optional<std::size_t> first_broken(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = json::detail::utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

/// Visits a message and everything that it points to. Stops at the first problem.
class Walk {
 public:
  virtual ~Walk() = default;

  /// Visits the fields within the first `size` bytes of a struct.
  bool fields(std::span<const FieldInfo> fields, const std::byte* object, std::size_t size) {
    for (const FieldInfo& field : fields) {
      if (field.offset + field.value->size > size) continue;
      if (!value(*field.value, object + field.offset)) return in(std::string(field.name));
    }
    return true;
  }

 protected:
  /// Called before memory is read. Returns false if it must not be.
  virtual bool memory(const void* data, std::size_t size) = 0;
  virtual bool text(std::string_view) { return true; }
  virtual bool json(std::string_view) { return true; }
  virtual bool list(const tenon_list&, const ValueInfo&) { return true; }
  virtual bool aligned(const void*, std::size_t) { return true; }
  virtual bool map(const tenon_map&) { return true; }
  /// Called after a problem in a part with this name. Returns false.
  virtual bool in(const std::string&) { return false; }

 private:
  bool value(const ValueInfo& info, const std::byte* at) {
    switch (info.form) {
      case Form::text:
      case Form::json:
      case Form::bytes:
        return bytes(info.form, read<tenon_bytes>(at));
      case Form::list:
        return elements(*info.element, read<tenon_list>(at));
      case Form::map:
        return entries(*info.element, read<tenon_map>(at));
      case Form::pointer:
        return pointed(*info.element, read<const void*>(at));
      case Form::fields:
        return fields(info.fields, at, SIZE_MAX);
      default:
        return true;
    }
  }

  bool bytes(Form form, const tenon_bytes& bytes) {
    if (bytes.size == 0) return true;
    if (!memory(bytes.data, bytes.size)) return false;
    if (form == Form::text) return text(text_of_bytes(bytes));
    return form != Form::json || json(text_of_bytes(bytes));
  }

  bool pointed(const ValueInfo& info, const void* data) {
    return data == nullptr || (memory(data, info.size) && aligned(data, info.alignment) &&
                               value(info, bytes_at(data)));
  }

  bool elements(const ValueInfo& info, const tenon_list& elements) {
    if (elements.count == 0) return true;
    if (!list(elements, info)) return false;
    const std::size_t most = SIZE_MAX / elements.stride;
    const std::size_t size = elements.count <= most ? elements.count * elements.stride : SIZE_MAX;
    if (!memory(elements.data, size) || !aligned(elements.data, info.alignment)) return false;
    for (std::size_t i = 0; i < elements.count; ++i) {
      const std::byte* at = bytes_at(elements.data) + i * elements.stride;
      if (!value(info, at)) return in("[" + std::to_string(i) + "]");
    }
    return true;
  }

  bool entries(const ValueInfo& info, const tenon_map& entries) {
    static constexpr ValueInfo key{Form::text, sizeof(tenon_string), alignof(tenon_string)};
    if (!elements(key, entries.keys)) return in("keys");
    return map(entries) && elements(info, entries.values);
  }
};

/// The memory of a message, as sorted ranges that do not overlap.
class RequestRanges final : public Walk {
 public:
  RequestRanges(std::span<const FieldInfo> fields, const void* message) {
    const auto size = read<std::size_t>(bytes_at(message));
    memory(message, size);
    this->fields(fields, bytes_at(message), size);
    merge();
  }

  bool hold(const void* data, std::size_t size) const {
    const auto* const first = bytes_at(data);
    const auto next =
        std::upper_bound(ranges_.begin(), ranges_.end(), first,
                         [](const std::byte* at, const Range& range) { return at < range.begin; });
    if (next == ranges_.begin()) return false;
    const Range& range = *std::prev(next);
    return first <= range.end && size <= static_cast<std::size_t>(range.end - first);
  }

 private:
  struct Range {
    const std::byte* begin;
    const std::byte* end;
  };

  bool memory(const void* data, std::size_t size) override {
    if (data != nullptr) ranges_.push_back({bytes_at(data), bytes_at(data) + size});
    return data != nullptr;
  }

  bool list(const tenon_list& list, const ValueInfo& element) override {
    return list.stride >= element.size;
  }

  void merge() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::vector<Range> merged;
    for (const Range& range : ranges_) {
      if (merged.empty() || range.begin > merged.back().end) {
        merged.push_back(range);
      } else {
        merged.back().end = std::max(merged.back().end, range.end);
      }
    }
    ranges_ = std::move(merged);
  }

  std::vector<Range> ranges_{};
};

/// Checks a message and describes the problem.
class Checker : public Walk {
 public:
  /// `what`: "request" or "response".
  Checker(std::string_view what, std::span<const FieldInfo> fields)
      : what_("the " + std::string(what)), fields_(fields) {}

  std::string problem_of(const void* message) {
    if (message == nullptr) return "there is no " + what_.substr(std::string_view("the ").size());
    // An unknown size is not trusted before the struct itself is known to be there.
    if (!memory(message, sizeof(std::size_t)) || !aligned(message, alignof(std::size_t))) {
      return what_ + " " + problem_;
    }
    const auto size = read<std::size_t>(bytes_at(message));
    const std::size_t least = least_size();
    if (size < least) {
      return "struct_size is " + std::to_string(size) + ", and the fields need at least " +
             std::to_string(least);
    }
    if (!memory(message, size)) return what_ + " " + problem_;
    fields(fields_, bytes_at(message), size);
    return problem_.empty() ? std::string() : path_ + " " + problem_;
  }

 protected:
  bool wrong(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool memory(const void* data, std::size_t) override {
    return data != nullptr || wrong("has a size and no data");
  }

 private:
  /// Returns the size with all fields of the released version.
  std::size_t least_size() const {
    std::size_t least = sizeof(std::size_t);
    for (const FieldInfo& field : fields_) {
      if (!field.added) least = std::max<std::size_t>(least, field.offset + field.value->size);
    }
    return least;
  }

  bool text(std::string_view text) override {
    const auto broken = first_broken(text);
    return !broken || wrong("is not valid UTF-8 from byte " + std::to_string(*broken) + " on");
  }

  bool json(std::string_view text) override {
    const std::string problem = json::detail::json_syntax_error(text);
    return problem.empty() || wrong("is not JSON: " + problem);
  }

  bool list(const tenon_list& list, const ValueInfo& element) override {
    if (list.stride < element.size) {
      return wrong("has a stride of " + std::to_string(list.stride) + ", and its elements need " +
                   std::to_string(element.size));
    }
    return list.stride % element.alignment == 0 ||
           wrong("has a stride of " + std::to_string(list.stride) + ", no multiple of " +
                 std::to_string(element.alignment));
  }

  bool aligned(const void* data, std::size_t alignment) override {
    return reinterpret_cast<std::uintptr_t>(data) % alignment == 0 ||
           wrong("does not begin at a multiple of " + std::to_string(alignment));
  }

  bool map(const tenon_map& map) override {
    if (map.keys.count != map.values.count) {
      return wrong("has " + std::to_string(map.keys.count) + " keys and " +
                   std::to_string(map.values.count) + " values");
    }
    std::unordered_set<std::string_view> keys;
    for (std::size_t i = 0; i < map.keys.count; ++i) {
      const tenon_string& raw = TENON_AT(tenon_string, map.keys, i);
      const std::string_view key(raw.data, raw.size);
      if (!keys.insert(key).second) return wrong("has the key " + in_quotes(key) + " twice");
    }
    return true;
  }

  bool in(const std::string& part) override {
    const bool continues = path_.empty() || path_.front() == '[';
    path_ = part + (continues ? "" : ".") + path_;
    return false;
  }

  const std::string what_;
  const std::span<const FieldInfo> fields_;
  std::string path_{};
  std::string problem_{};
};

/// Also checks where the memory of a response is.
class ResponseChecker final : public Checker {
 public:
  explicit ResponseChecker(const CheckedCall& call)
      : Checker("response", call.method.response), call_(call) {}

 private:
  bool memory(const void* data, std::size_t size) override {
    if (!Checker::memory(data, size)) return false;
    if (call_.call.gave(data, size) || lies_in_image(data, size)) return true;
    if (!request_) request_.emplace(call_.method.request, call_.request);
    if (request_->hold(data, size)) return true;
    return wrong("(" + std::to_string(size) +
                 " bytes) is neither in the arena of the call nor in the request or a loaded "
                 "image; get its memory with tenon_allocate");
  }

  /// Returns whether the memory belongs to the module or to a library that it uses.
  bool lies_in_image(const void* data, std::size_t size) const {
    if (call_.image != nullptr && call_.image->contains(data, size)) return true;
    const std::string image = platform::image_at(data);
    return !image.empty() && platform::image_at(bytes_at(data) + size - 1) == image;
  }

  const CheckedCall& call_;
  std::optional<RequestRanges> request_{};  // created when it is needed
};

}  // namespace

std::string problem_of_request(const MethodInfo& method, const void* request) {
  if (method.request.empty()) return {};
  return Checker("request", method.request).problem_of(request);
}

std::string problem_of_response(const CheckedCall& call, const void* response) {
  return ResponseChecker(call).problem_of(response);
}

}}}  // namespace tenon::v0_1::detail
