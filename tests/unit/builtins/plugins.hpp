// SPDX-License-Identifier: BSL-1.0
//
// Helpers that read from sources and write to destinations without a host, also in a process that
// is killed.
#pragma once

#include <tenon/call.hpp>
#include <tenon/sdk/reading_source.hpp>
#include <tenon/sdk/writing_destination.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builtin/records.hpp"
#include "framework/world.hpp"

namespace tenon::builtin {

using Records = std::vector<RecordV2>;
using Texts = std::vector<std::string>;

class Builtins : public testing::Test {
 protected:
  std::string path(std::string_view name) const { return world_.path(name).string(); }
  void write(std::string_view name, std::string_view content) const { world_.write(name, content); }
  std::string content(std::string_view name) const { return world_.read(name); }

 private:
  tests::World world_;
};

template <class P>
void configure(P& plugin, const TextMap& config) {
  Call call;
  const tenon_map raw = Value<TextMap>::raw<Copy::deep>(call.raw(), config);
  plugin.configure(sdk::Config(MapView<std::string>(raw)));
}

inline std::string text(const Bytes& bytes) {
  return std::string(BytesView(bytes).text());
}
inline std::string payload(const RecordV2& record) {
  return text(*record.payload.after);
}

/// Returns the next batch of a source. Propagates exceptions of the source.
template <class Source>
Records read_batch(Source& source, std::int32_t max, std::optional<std::int64_t> max_bytes = {}) {
  Call call;
  const tenon_source_v2_read_batch_request in{sizeof in, max, max_bytes ? &*max_bytes : nullptr};
  const tenon_source_v2_read_batch_response* out = nullptr;
  source.raw_read_batch(call.raw(), &in, &out);
  return Value<Records>::own(out->records);
}

/// Returns all records after a position, read in batches of two.
template <class Source>
Records read_all(const TextMap& config, const std::optional<Bytes>& position = {}) {
  Source source;
  configure(source, config);
  source.open(position ? std::optional<BytesView>(*position) : std::nullopt);
  Records all;
  try {
    for (;;) {
      for (RecordV2& record : read_batch(source, 2)) all.push_back(std::move(record));
    }
  } catch (const sdk::Failure& failure) {
    if (failure.status() != TENON_OUT_OF_RANGE) throw;
  }
  source.teardown();
  return all;
}

inline Texts payloads(const Records& records) {
  Texts all;
  for (const RecordV2& record : records) all.push_back(payload(record));
  return all;
}

/// Returns the message of the failure that `body` throws, and checks its status.
template <class Body>
std::string failure_of(Body&& body, tenon_status status = TENON_INVALID_ARGUMENT) {
  try {
    body();
  } catch (const sdk::Failure& failure) {
    EXPECT_EQ(failure.status(), status) << failure.message();
    return failure.message();
  }
  return "no failure";
}

/// Runs `body` as a method in this call, and returns its status.
template <class Body>
tenon_status status_in(Call& call, Body&& body) {
  return sdk::detail::guarded({call.raw(), nullptr}, [&] {
    body();
    return TENON_OK;
  });
}

/// Returns the error of a record as "code: message", or "" if the record was accepted.
inline std::string error_text(const tenon_destination_v2_ack& ack) {
  if (ack.error == nullptr) return "";
  const auto error = Value<DestinationV2AckError>::own(*ack.error);
  return error.code + ": " + error.message;
}

inline std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// Expects that a source opened at the position of a record reads exactly the records after it.
template <class Source>
void expect_resumes(const TextMap& config) {
  const Records all = read_all<Source>(config);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Records rest = read_all<Source>(config, all[i].position);
    EXPECT_EQ(rest, Records(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end())) << i;
  }
}

inline RecordV2 record(const std::string& key, const std::string& payload) {
  RecordV2 made;
  set_json(made, "at " + key, key, payload);
  return made;
}

/// An open destination.
template <class D>
class Writing {
 public:
  explicit Writing(const TextMap& config) {
    configure(destination_, config);
    destination_.open();
  }

  /// Writes the records, and returns the error_text of each.
  Texts write(const Records& records) {
    Call call;
    accept(call, records);
    Texts outcome;
    while (outcome.size() < records.size()) {
      const Texts positions = next_acks(call, outcome);
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t record = outcome.size() - positions.size() + i;
        EXPECT_EQ(positions[i], text(records.at(record).position));
      }
      if (testing::Test::HasFailure()) break;
    }
    return outcome;
  }

  void accept(Call& call, const Records& records) {
    const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), records);
    destination_.write_batch(ListView<RecordV2>(raw));
  }

  /// Appends the error_text of the next acknowledged records, and returns their positions.
  Texts next_acks(Call& call, Texts& outcome) {
    tenon_destination_v2_next_acks_request in{sizeof in};
    const tenon_destination_v2_next_acks_response* out = nullptr;
    EXPECT_EQ(destination_.raw_next_acks(call.raw(), &in, &out), TENON_OK);
    Texts positions;
    for (std::size_t i = 0; i < out->acks.count; ++i) {
      const auto& ack = TENON_AT(tenon_destination_v2_ack, out->acks, i);
      positions.push_back(text(Value<Bytes>::own(ack.position)));
      outcome.push_back(error_text(ack));
    }
    return positions;
  }

  D& operator*() { return destination_; }
  D* operator->() { return &destination_; }

 private:
  D destination_;
};

/// Writes numbered records in another process, which is killed while it writes. Returns the number
/// of acknowledged records.
template <class D>
int write_until_killed(const TextMap& config, int first) {
  int acknowledged[2];
  if (pipe(acknowledged) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(acknowledged[0]);
    Writing<D> destination(config);
    for (int number = first;;) {
      Records batch;
      for (int i = 0; i < 20; ++i, ++number) {
        batch.push_back(record(std::to_string(number), R"({"n":")" + std::to_string(number) +
                                                           R"(","fill":")" +
                                                           std::string(3000, 'x') + "\"}"));
      }
      destination.write(batch);
      if (::write(acknowledged[1], &number, sizeof number) < 0) _exit(1);
    }
  }
  close(acknowledged[1]);
  int last = first;
  for (int batches = 0; batches < 10; ++batches) {
    if (read(acknowledged[0], &last, sizeof last) != sizeof last) break;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (read(acknowledged[0], &last, sizeof last) == sizeof last) {
  }
  close(acknowledged[0]);
  return last;
}

template <class Source, class D>
void expect_nothing_is_lost(const TextMap& config) {
  int acknowledged = 0;
  for (int run = 0; run < 5; ++run) {
    acknowledged = write_until_killed<D>(config, acknowledged);
    Writing<D> repaired(config);
  }
  ASSERT_GT(acknowledged, 0);
  std::set<int> found;
  for (const RecordV2& record : read_all<Source>(config)) {
    const boost::json::value value = boost::json::parse(payload(record));
    EXPECT_EQ(value.at("fill").get_string().size(), 3000u);
    found.insert(std::stoi(std::string(value.at("n").get_string())));
  }
  for (int number = 0; number < acknowledged; ++number) {
    EXPECT_EQ(found.count(number), 1u) << number;
  }
}

}  // namespace tenon::builtin
