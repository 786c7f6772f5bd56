// SPDX-License-Identifier: BSL-1.0
#include <tenon/object_store.hpp>
#include <tenon/sdk/testing.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "configured.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

using Keys = std::vector<std::string>;

constexpr std::size_t megabyte = 1 << 20;

/// The prefix of all keys that cases write.
const std::string area = "tenon-verify/";

std::string joined(const Keys& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : " ") + key;
  return text.empty() ? "nothing" : text;
}

/// A configured store. Objects of earlier cases are removed.
class Store {
 public:
  explicit Store(Subject& subject)
      : bucket_(subject.setup_of(&PluginSetup::bucket, "bucket")),
        store_(configured<ObjectStore>(subject)) {
    clear();
  }
  ~Store() {
    try {
      clear();
    } catch (const Ending&) {
      // The case has failed already, or the next one reports the error.
    }
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  ObjectStore* operator->() noexcept { return &*store_; }
  const std::string& bucket() const noexcept { return bucket_; }

  tenon::Result<void> try_put(const std::string& key, const std::string& text, bool fails = false) {
    return store_->put_object(
        bucket_, area + key,
        fails ? sdk::testing::failing_reader(text) : sdk::testing::reader(text));
  }
  void put(const std::string& key, const std::string& text) { value_of(try_put(key, text)); }
  std::string get(const std::string& key) {
    return value_of(sdk::testing::read_all(value_of(store_->get_object(bucket_, area + key))));
  }
  void remove(const std::string& key) { value_of(store_->delete_object(bucket_, area + key)); }
  /// Returns one page of keys, without the prefix `area`. Requires that they are in order and come
  /// after `after`.
  Keys page(const std::string& prefix, const std::string& after, std::uint32_t limit, bool& more) {
    auto found = value_of(
        store_->list_objects(bucket_, area + prefix, after.empty() ? "" : area + after, limit));
    more = found.more;
    std::string last = after;
    for (std::string& key : found.keys) {
      require(key.starts_with(area), "list_objects returns the key " + key +
                                         ", which does not begin with the prefix " + area);
      key.erase(0, area.size());
      require(last.empty() || key > last, "list_objects returns the key " + key + " after " + last);
      last = key;
    }
    return found.keys;
  }
  /// Returns the keys of all pages, without the prefix `area`.
  Keys list(const std::string& prefix, std::uint32_t limit = 0) {
    Keys all;
    bool more = true;
    while (more) {
      const Keys keys = page(prefix, all.empty() ? "" : all.back(), limit, more);
      require(!more || !keys.empty(), "an empty page reports that there are more keys");
      all.insert(all.end(), keys.begin(), keys.end());
    }
    return all;
  }

 private:
  void clear() {
    for (const std::string& key : list("")) remove(key);
  }

  const std::string bucket_;
  Handle<ObjectStore> store_;
};

void require_keys(const Keys& found, const Keys& needed) {
  require(found == needed, "needed " + joined(needed) + ", found " + joined(found));
}

void require_text(Store& store, const std::string& key, const std::string& needed) {
  const std::string found = store.get(key);
  require(found.size() == needed.size(), "needed " + std::to_string(needed.size()) +
                                             " bytes, found " + std::to_string(found.size()));
  require(found == needed, "the content differs from the content that was written");
}

/// Returns a text in which no two blocks are equal.
std::string long_text(std::size_t size) {
  std::string text;
  for (std::size_t number = 0; text.size() < size; ++number) text += std::to_string(number) + '\0';
  text.resize(size);
  return text;
}

void returns_what_was_written(Subject& subject) {
  Store store(subject);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, megabyte + 1}) {
    const std::string text = long_text(size);
    store.put("object", text);
    require_text(store, "object", text);
  }
}

void replaces_objects(Subject& subject) {
  Store store(subject);
  store.put("object", "a long first content");
  store.put("object", "second");
  require_text(store, "object", "second");
  require_keys(store.list(""), {"object"});
}

void reports_missing_objects(Subject& subject) {
  Store store(subject);
  const auto body = store->get_object(store.bucket(), area + "missing");
  require(!body, "get_object succeeds for a key that does not exist");
  require(is(body.error(), TENON_NOT_FOUND),
          "get_object: needed not-found, found " + body.error().to_string());
  const auto info = store->object_info(store.bucket(), area + "missing");
  require(!info, "object_info succeeds for a key that does not exist");
  require(is(info.error(), TENON_NOT_FOUND),
          "object_info: needed not-found, found " + info.error().to_string());
}

void knows_the_size(Subject& subject) {
  Store store(subject);
  store.put("object", "12345");
  const auto info = value_of(store->object_info(store.bucket(), area + "object"));
  if (!info.size) skip("the store does not know sizes");
  require(*info.size == 5, "needed 5 bytes, found " + std::to_string(*info.size));
}

const Keys some_keys = {"a/f-1/x", "a/f-1/y", "a/f-2/z", "a/g", "b/q", "c"};

void put_some(Store& store) {
  for (auto key = some_keys.rbegin(); key != some_keys.rend(); ++key) store.put(*key, *key);
}

void lists_in_order(Subject& subject) {
  Store store(subject);
  put_some(store);
  require_keys(store.list(""), some_keys);
  require_keys(store.list("a/f"), {"a/f-1/x", "a/f-1/y", "a/f-2/z"});
  require_keys(store.list("d"), {});
}

void lists_in_pages(Subject& subject) {
  Store store(subject);
  put_some(store);
  for (const std::uint32_t limit : {1U, 2U, 6U}) {
    bool more = false;
    const std::size_t size = store.page("", "", limit, more).size();
    require(size <= limit, counted(size, "key") + " on a page of at most " + std::to_string(limit));
    require_keys(store.list("", limit), some_keys);
  }
}

void lists_common_prefixes(Subject& subject) {
  Store store(subject);
  put_some(store);
  require_keys(value_of(store->list_common_prefixes(store.bucket(), area + "a/", "/")),
               {area + "a/f-1/", area + "a/f-2/"});
  require_keys(value_of(store->list_common_prefixes(store.bucket(), area, "/")),
               {area + "a/", area + "b/"});
}

void deletes_one_object(Subject& subject) {
  Store store(subject);
  put_some(store);
  store.remove("a/f-1/y");
  require(!store->get_object(store.bucket(), area + "a/f-1/y"), "the deleted object can be read");
  Keys rest = some_keys;
  std::erase(rest, "a/f-1/y");
  require_keys(store.list(""), rest);
  for (const std::string& key : rest) require_text(store, key, key);
}

void deletes_missing_objects(Subject& subject) {
  Store store(subject);
  store.remove("missing");
}

void keeps_the_old_object(Subject& subject) {
  Store store(subject);
  store.put("object", "old");
  require(!store.try_put("object", long_text(10'000), true),
          "put_object succeeds though its content cannot be read");
  require_text(store, "object", "old");
  require(!store.try_put("new", long_text(10'000), true),
          "put_object succeeds though its content cannot be read");
  require_keys(store.list(""), {"object"});
}

void put_and_get(Store& store, const std::string& key) {
  for (int round = 0; round < 10; ++round) {
    const std::string text = key + std::to_string(round);
    store.put(key, text);
    require_text(store, key, text);
  }
}

/// A failure on any thread fails the case.
void serves_several_threads(Subject& subject) {
  Store store(subject);
  std::array<std::exception_ptr, 4> failures{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < failures.size(); ++i) {
      threads.emplace_back([&store, &failure = failures[i], i] {
        try {
          put_and_get(store, "object-" + std::to_string(i));
        } catch (...) {
          failure = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void signs_urls(Subject& subject) {
  Store store(subject);
  store.put("object", "text");
  const auto url =
      store->create_signed_url(store.bucket(), area + "object", std::chrono::minutes(1));
  if (!url && is(url.error(), TENON_UNIMPLEMENTED)) skip("the store does not sign URLs");
  require(!value_of(url).empty(), "the URL is empty");
}

void put_and_list(Subject& subject) {
  Store store(subject);
  put_and_get(store, "object");
  store.list("");
}

constexpr Definition all[] = {
    {"accepts its configuration", accepts_its_setup<ObjectStore>},
    {"returns what was written", returns_what_was_written},
    {"replaces an object", replaces_objects},
    {"reports an object that does not exist", reports_missing_objects},
    {"knows the size of an object", knows_the_size},
    {"lists keys in order", lists_in_order},
    {"lists keys page by page", lists_in_pages},
    {"lists common prefixes", lists_common_prefixes},
    {"deletes one object and no other", deletes_one_object},
    {"deletes an object that does not exist", deletes_missing_objects},
    {"stores nothing if the content cannot be read completely", keeps_the_old_object},
    {"serves several threads", serves_several_threads},
    {"signs URLs", signs_urls},
    {"leaves no threads or descriptors", leaves_nothing_after<put_and_list>},
};

}  // namespace

Definitions object_store_cases() {
  return all;
}

}  // namespace tenon::sdk::conformance
