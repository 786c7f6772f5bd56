// SPDX-License-Identifier: BSL-1.0
//
// Streams of plugins, which the loader wraps and can revoke: who may use them, and when the stream
// of the plugin is released.
#include "call/revocable_stream.hpp"

#include <tenon/call.hpp>
#include <tenon/stream.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "call/supervised_work.hpp"
#include "call/thread_records.hpp"

namespace tenon::tests { namespace {

using detail::AbiVersion;
using detail::CallTargets;
using detail::RevocableStreams;
using namespace std::chrono_literals;

constexpr tenon_status revoked = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED;

auto in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

/// A reader of a plugin. Reads "a", or waits if the buffer is empty.
struct PluginReader : tenon_reader {
  explicit PluginReader(const CallTargets& generation, decltype(tenon_reader::read) function = read)
      : tenon_reader{sizeof(tenon_reader), function, release}, generation(generation) {}

  static PluginReader& of(tenon_reader* self) { return *static_cast<PluginReader*>(self); }
  static tenon_status read(tenon_call* call, tenon_reader* self, tenon_buffer into, size_t* got) {
    EXPECT_TRUE(detail::this_thread_is_in(of(self).generation));
    EXPECT_EQ(of(self).releases, 0);
    if (into.size == 0) {
      of(self).inside = true;
      call->functions->wait(call, -1);
      return tenon_fail(call, TENON_CANCELLED, "woken");
    }
    into.data[0] = 'a';
    *got = 1;
    return TENON_OK;
  }
  static void release(tenon_reader* self) {
    EXPECT_TRUE(detail::this_thread_is_in(of(self).generation));
    ++of(self).releases;
  }

  const CallTargets& generation;
  std::atomic<int> releases{0};
  std::atomic<bool> inside{false};
};

struct PluginWriter : tenon_writer {
  PluginWriter() : tenon_writer{sizeof(tenon_writer), write, commit, release} {}

  static PluginWriter& of(tenon_writer* self) { return *static_cast<PluginWriter*>(self); }
  static tenon_status write(tenon_call*, tenon_writer* self, tenon_bytes from) {
    of(self).text.append(reinterpret_cast<const char*>(from.data), from.size);
    return TENON_OK;
  }
  static tenon_status commit(tenon_call* call, tenon_writer*) {
    return tenon_fail(call, TENON_DATA_LOSS, "the disk is gone");
  }
  static void release(tenon_writer* self) { ++of(self).releases; }

  std::string text;
  int releases = 0;
};

/// Records the functions that the list calls, and their failures.
struct Runner final : detail::StreamRunner {
  tenon_status run_stream(std::string_view function, tenon_call*, const Body& body) override {
    run += std::string(function) + ";";
    return body();
  }
  tenon_status stream_failed(std::string_view function, tenon_call*, tenon_status status) override {
    failed += std::string(function) + ";";
    return status;
  }
  tenon_status stream_threw(std::string_view function, tenon_call* call) override {
    try {
      throw;
    } catch (const std::exception& thrown) {
      threw += std::string(function) + ": " + thrown.what() + ";";
    }
    return tenon_fail(call, TENON_INTERNAL, "it threw");
  }

  std::string run;
  std::string failed;
  std::string threw;
};

struct RevocableStreamTest : testing::Test {
  tenon_status read(tenon_reader* reader, std::size_t room = 1) {
    std::uint8_t byte = 0;
    std::size_t got = 0;
    Call call;
    const tenon_status status = reader->read(call.raw(), reader, {&byte, room}, &got);
    message = call.message();
    return status;
  }

  CallTargets generation;
  Runner runner;
  RevocableStreams list{generation, AbiVersion{}, runner, false};
  PluginReader plugin{generation};
  std::string message;
};

TEST_F(RevocableStreamTest, AreReleasedOnce) {
  tenon_reader* reader = list.add(3, &plugin);
  EXPECT_EQ(list.count(), 1u);
  EXPECT_EQ(read(reader), TENON_OK);
  EXPECT_FALSE(list.wait(3, in(0ms)));
  EXPECT_TRUE(list.wait(4, in(0ms)));
  reader->release(reader);
  EXPECT_EQ(plugin.releases, 1);
  EXPECT_EQ(list.count(), 0u);
  EXPECT_TRUE(list.wait(3, in(0ms)));
}

TEST_F(RevocableStreamTest, OfNullAreNull) {
  EXPECT_EQ(list.add(0, static_cast<tenon_reader*>(nullptr)), nullptr);
  EXPECT_EQ(list.add(0, static_cast<tenon_writer*>(nullptr)), nullptr);
  EXPECT_EQ(list.count(), 0u);
}

TEST_F(RevocableStreamTest, ForwardAndRevokeWriters) {
  PluginWriter behind;
  tenon_writer* writer = list.add(0, &behind);
  Call call;
  const std::uint8_t text[] = {'x', 'y'};
  EXPECT_EQ(writer->write(call.raw(), writer, {text, 2}), TENON_OK);
  EXPECT_EQ(behind.text, "xy");
  EXPECT_EQ(writer->commit(call.raw(), writer), TENON_DATA_LOSS);
  EXPECT_EQ(call.message(), "the disk is gone");
  list.revoke_all();
  EXPECT_EQ(writer->write(call.raw(), writer, {text, 2}), revoked);
  EXPECT_EQ(writer->commit(call.raw(), writer), revoked);
  writer->release(writer);
  EXPECT_EQ(behind.text, "xy");
  EXPECT_EQ(behind.releases, 1);
}

TEST_F(RevocableStreamTest, FailAfterRevocation) {
  tenon_reader* reader = list.add(0, &plugin);
  list.revoke_all();
  EXPECT_EQ(plugin.releases, 1) << "on behalf of the holder";
  EXPECT_EQ(list.count(), 0u);
  EXPECT_EQ(read(reader), revoked);
  EXPECT_NE(message.find("open the stream again"), std::string::npos) << message;
  reader->release(reader);
  EXPECT_EQ(plugin.releases, 1);
}

TEST_F(RevocableStreamTest, OutliveTheirGeneration) {
  tenon_reader* reader;
  {
    CallTargets gone;
    PluginReader behind(gone);
    RevocableStreams list(gone, AbiVersion{}, runner, false);
    reader = list.add(0, &behind);
    list.revoke_all();
  }
  EXPECT_EQ(read(reader), revoked);
  std::thread([reader] { reader->release(reader); }).join();
}

TEST_F(RevocableStreamTest, AreRevokedForOneInstance) {
  PluginReader other(generation);
  tenon_reader* first = list.add(1, &plugin);
  tenon_reader* second = list.add(2, &other);
  list.revoke(1);
  EXPECT_EQ(read(first), revoked);
  EXPECT_EQ(read(second), TENON_OK);
  first->release(first);
  second->release(second);
  EXPECT_EQ(other.releases, 1);
}

TEST_F(RevocableStreamTest, CancelTheCallInProgressOnRevocation) {
  tenon_reader* reader = list.add(0, &plugin);
  tenon_status status = TENON_OK;
  std::thread reading([&] { status = read(reader, 0); });
  while (!plugin.inside) std::this_thread::yield();
  EXPECT_EQ(plugin.releases, 0);
  list.revoke_all();
  EXPECT_TRUE(list.wait(0, in(10s)));
  EXPECT_EQ(plugin.releases, 1) << "released by the call in progress";
  reading.join();
  EXPECT_EQ(status, revoked);
  reader->release(reader);
  EXPECT_EQ(plugin.releases, 1);
}

TEST_F(RevocableStreamTest, RefuseConcurrentCalls) {
  tenon_reader* reader = list.add(0, &plugin);
  std::thread reading([&] { EXPECT_EQ(read(reader, 0), revoked); });
  while (!plugin.inside) std::this_thread::yield();
  Call call;
  std::uint8_t byte;
  std::size_t got;
  EXPECT_EQ(reader->read(call.raw(), reader, {&byte, 1}, &got), TENON_FAILED_PRECONDITION);
  list.revoke_all();
  reading.join();
  EXPECT_EQ(plugin.releases, 1);
  reader->release(reader);
}

TEST_F(RevocableStreamTest, DoNotCancelTheCallOfTheCaller) {
  tenon_reader* reader = list.add(0, &plugin);
  Call call;
  std::thread reading([&] {
    std::size_t got;
    EXPECT_EQ(reader->read(call.raw(), reader, {nullptr, 0}, &got), revoked);
  });
  while (!plugin.inside) std::this_thread::yield();
  list.revoke_all();
  reading.join();
  EXPECT_EQ(call.cancel_reason(), CancelReason::none);
  reader->release(reader);
}

TEST_F(RevocableStreamTest, InheritCancellationOfTheCaller) {
  tenon_reader* reader = list.add(0, &plugin);
  Call call;
  std::thread reading([&] {
    std::size_t got;
    EXPECT_EQ(reader->read(call.raw(), reader, {nullptr, 0}, &got), TENON_CANCELLED);
    EXPECT_EQ(call.message(), "woken");
  });
  while (!plugin.inside) std::this_thread::yield();
  call.cancel();
  reading.join();
  EXPECT_EQ(read(reader), TENON_OK);
  reader->release(reader);
}

TEST_F(RevocableStreamTest, PassNothingToTheNextCall) {
  struct Seen {
    std::string message;
    std::int32_t cancelled;
    tenon_timestamp deadline;
  };
  static std::vector<Seen> seen;
  seen.clear();
  PluginReader failing(generation, [](tenon_call* call, tenon_reader*, tenon_buffer, size_t*) {
    const tenon_string message = call->functions->message(call);
    seen.push_back({std::string(message.data == nullptr ? "" : message.data),
                    call->functions->cancelled(call), call->deadline});
    call->functions->wait_handle(call);
    return tenon_fail(call, TENON_DATA_LOSS, "the disk is gone");
  });
  tenon_reader* reader = list.add(0, &failing);
  std::size_t got = 0;
  for (const bool first : {true, false}) {
    Call call;
    if (first) {
      call.set_timeout(1h);
      call.cancel();
    }
    EXPECT_EQ(reader->read(call.raw(), reader, {nullptr, 0}, &got), TENON_DATA_LOSS);
    EXPECT_EQ(call.message(), "the disk is gone");
  }
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].cancelled, TENON_CANCELLED_BY_CALLER);
  EXPECT_NE(seen[0].deadline, seen[1].deadline);
  EXPECT_EQ(seen[1].message, "");
  EXPECT_EQ(seen[1].cancelled, TENON_NOT_CANCELLED);
  reader->release(reader);
}

TEST_F(RevocableStreamTest, LentChangeOwnerOnSuccess) {
  tenon_reader* stream = &plugin;
  const auto lent = list.lend(stream);
  ASSERT_NE(stream, &plugin);
  EXPECT_EQ(read(stream), TENON_OK);
  lent->pass();
  EXPECT_EQ(list.count(), 1u);
  stream->release(stream);
  EXPECT_EQ(plugin.releases, 1);
  EXPECT_EQ(list.count(), 0u);
}

TEST_F(RevocableStreamTest, LentMayBeReleasedDuringTheMethod) {
  tenon_reader* stream = &plugin;
  const auto lent = list.lend(stream);
  stream->release(stream);
  EXPECT_EQ(plugin.releases, 0);
  lent->pass();
  EXPECT_EQ(plugin.releases, 1);
  EXPECT_EQ(list.count(), 0u);
}

TEST_F(RevocableStreamTest, LentStayWithTheCallerOnFailure) {
  for (const bool is_revoked : {false, true}) {
    tenon_reader* stream = &plugin;
    const auto lent = list.lend(stream);
    if (is_revoked) list.revoke_all();
    lent->take_back();
    EXPECT_EQ(plugin.releases, 0);
    EXPECT_EQ(list.count(), 0u);
  }
}

TEST_F(RevocableStreamTest, LentAndRevokedAreReleasedOnSuccess) {
  tenon_reader* stream = &plugin;
  const auto lent = list.lend(stream);
  list.revoke_all();
  EXPECT_EQ(read(stream), revoked);
  EXPECT_EQ(plugin.releases, 0);
  EXPECT_EQ(list.count(), 1u) << "its caller is still inside";
  lent->pass();
  EXPECT_EQ(plugin.releases, 1);
  stream->release(stream);
  EXPECT_EQ(list.count(), 0u);
}

TEST_F(RevocableStreamTest, AreNotWrappedTwice) {
  tenon_reader* leased = list.add(0, &plugin);
  tenon_reader* stream = leased;
  EXPECT_EQ(list.lend(stream), nullptr);
  EXPECT_EQ(stream, leased);
  leased->release(leased);
}

/// A stream of a module for ABI 1.1: the first read, and then every second one, returns no bytes.
struct HaltingReader : tenon_reader {
  explicit HaltingReader(int bytes)
      : tenon_reader{sizeof(tenon_reader), read, release}, left(bytes) {}

  static tenon_status read(tenon_call* call, tenon_reader* self, tenon_buffer, size_t* got) {
    auto& reader = *static_cast<HaltingReader*>(self);
    reader.ready = !reader.ready;
    if (reader.ready) return TENON_OK;
    if (reader.left == 0) return tenon_fail(call, TENON_OUT_OF_RANGE, "the end");
    --reader.left;
    *got = 1;
    return TENON_OK;
  }
  static void release(tenon_reader*) {}

  int left;
  bool ready = false;
};

/// Returns one byte more than it was asked for.
tenon_status read_too_much(tenon_call*, tenon_reader*, tenon_buffer into, std::size_t* got) {
  *got = into.size + 1;
  return TENON_OK;
}

struct TooMuch : HostReader {
  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override { return into.size() + 1; }
};

TEST_F(RevocableStreamTest, NeverReturnMoreBytesThanTheBufferHas) {
  PluginReader wrong(generation, read_too_much);
  RevocableStreams newer(generation, AbiVersion{1, 1}, runner, false);
  Reader own = std::make_unique<TooMuch>();
  for (tenon_reader* reader : {list.add(0, &wrong), newer.add(0, &wrong), own.release()}) {
    EXPECT_EQ(read(reader), TENON_INTERNAL);
    EXPECT_EQ(message, "the reader returned more bytes than the buffer has");
    reader->release(reader);
  }
}

/// An empty stream of the host.
struct Nothing : HostReader {
  Result<std::size_t> read(Call&, std::span<std::uint8_t>) override { return std::size_t{0}; }
};

struct RevocableStreamSince11Test : RevocableStreamTest {
  /// Returns the number of bytes until a read returns 0.
  std::size_t count(tenon_reader* reader) {
    std::size_t all = 0;
    for (;;) {
      std::uint8_t byte = 0;
      std::size_t got = 0;
      Call call;
      EXPECT_EQ(reader->read(call.raw(), reader, {&byte, 1}, &got), TENON_OK);
      if (got == 0) return all;
      all += got;
    }
  }

  RevocableStreams newer{generation, AbiVersion{1, 1}, runner, false};
};

TEST_F(RevocableStreamSince11Test, ReadThroughEmptyReads) {
  HaltingReader halting(3);
  tenon_reader* reader = newer.add(0, &halting);
  EXPECT_EQ(count(reader), 3u);
  reader->release(reader);
  HaltingReader lent(2);
  tenon_reader* stream = &lent;
  newer.lend(stream)->pass();
  EXPECT_EQ(count(stream), 2u);
  stream->release(stream);
}

TEST_F(RevocableStreamSince11Test, EndAtAnEmptyReadOfOlderModules) {
  HaltingReader halting(3);
  tenon_reader* older = list.add(0, &halting);
  tenon_reader* passed_on = newer.add(0, older);
  EXPECT_EQ(count(passed_on), 0u) << "of a module that asks for 1.0";
  passed_on->release(passed_on);
  Reader own = std::make_unique<Nothing>();
  tenon_reader* of_the_host = newer.add(0, own.release());
  EXPECT_EQ(count(of_the_host), 0u);
  of_the_host->release(of_the_host);
}

TEST_F(RevocableStreamTest, OfBrokenCodeAreNotCalled) {
  tenon_reader* reader = list.add(0, &plugin);
  list.mark_broken();
  EXPECT_EQ(read(reader), revoked);
  reader->release(reader);
  EXPECT_EQ(plugin.releases, 0);
}

TEST_F(RevocableStreamTest, ReportFailuresOfDirectCalls) {
  PluginWriter behind;
  tenon_writer* writer = list.add(0, &behind);
  Call call;
  EXPECT_EQ(writer->write(call.raw(), writer, {nullptr, 0}), TENON_OK);
  EXPECT_EQ(runner.failed, "");
  EXPECT_EQ(writer->commit(call.raw(), writer), TENON_DATA_LOSS);
  EXPECT_EQ(runner.failed, "commit;");
  EXPECT_EQ(runner.run, "");
  writer->release(writer);
  EXPECT_EQ(runner.run, "release;");
}

TEST_F(RevocableStreamTest, UseTheRunnerIfCrashesAreContained) {
  RevocableStreams contained{generation, AbiVersion{}, runner, true};
  tenon_reader* reader = contained.add(0, &plugin);
  EXPECT_EQ(read(reader), TENON_OK);
  EXPECT_EQ(runner.run, "read;");
  reader->release(reader);
}

TEST_F(RevocableStreamTest, UseTheRunnerInsideAnOperation) {
  detail::SupervisedWork operation(1s);
  const detail::SupervisedWork::Scope performance(operation);
  tenon_reader* reader = list.add(0, &plugin);
  EXPECT_EQ(read(reader), TENON_OK);
  EXPECT_EQ(runner.run, "read;");
  reader->release(reader);
}

TEST_F(RevocableStreamTest, CatchExceptions) {
  PluginReader throwing(generation,
                        [](tenon_call*, tenon_reader*, tenon_buffer, std::size_t*) -> tenon_status {
                          throw std::runtime_error("out of paper");
                        });
  tenon_reader* reader = list.add(0, &throwing);
  EXPECT_EQ(read(reader), TENON_INTERNAL);
  EXPECT_EQ(message, "it threw");
  EXPECT_EQ(runner.threw, "read: out of paper;");
  EXPECT_EQ(read(reader), TENON_INTERNAL) << "the call has left";
  reader->release(reader);
  EXPECT_EQ(throwing.releases, 1);
}

TEST_F(RevocableStreamTest, RefuseRecursiveCalls) {
  struct Recursive : PluginReader {
    using PluginReader::PluginReader;
    tenon_reader* lease = nullptr;
  };
  Recursive recursive(
      generation, [](tenon_call* call, tenon_reader* self, tenon_buffer into, std::size_t* got) {
        tenon_reader* lease = static_cast<Recursive*>(self)->lease;
        return lease->read(call, lease, into, got);
      });
  recursive.lease = list.add(0, &recursive);
  EXPECT_EQ(read(recursive.lease), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(read(recursive.lease), TENON_FAILED_PRECONDITION);
  recursive.lease->release(recursive.lease);
  EXPECT_EQ(recursive.releases, 1);
}

TEST_F(RevocableStreamTest, MayBeReleasedInsideACall) {
  struct Releasing : PluginReader {
    using PluginReader::PluginReader;
    tenon_reader* lease = nullptr;
  };
  Releasing releasing(generation,
                      [](tenon_call* call, tenon_reader* self, tenon_buffer, std::size_t*) {
                        auto& reader = *static_cast<Releasing*>(self);
                        reader.lease->release(reader.lease);
                        EXPECT_EQ(reader.releases, 0) << "a call is inside";
                        EXPECT_EQ(call->functions->cancelled(call), TENON_CANCELLED_BY_RESTART);
                        return tenon_fail(call, TENON_CANCELLED, "released");
                      });
  releasing.lease = list.add(0, &releasing);
  EXPECT_EQ(read(releasing.lease), revoked);
  EXPECT_EQ(releasing.releases, 1);
  EXPECT_EQ(list.count(), 0u);
}

TEST_F(RevocableStreamTest, MayBeReleasedByAnotherThreadDuringACall) {
  tenon_reader* reader = list.add(0, &plugin);
  std::thread reading([&] { EXPECT_EQ(read(reader, 0), revoked); });
  while (!plugin.inside) std::this_thread::yield();
  reader->release(reader);
  reading.join();
  EXPECT_EQ(plugin.releases, 1);
  EXPECT_EQ(list.count(), 0u);
}

TEST_F(RevocableStreamTest, SerializeCallsOfManyThreads) {
  struct Counting : PluginReader {
    using PluginReader::PluginReader;
    std::atomic<int> threads{0};
    std::atomic<int> reads{0};
  };
  Counting counting(
      generation, [](tenon_call*, tenon_reader* self, tenon_buffer, std::size_t*) -> tenon_status {
        auto& reader = *static_cast<Counting*>(self);
        EXPECT_EQ(reader.threads.fetch_add(1), 0);
        ++reader.reads;
        --reader.threads;
        return TENON_OK;
      });
  tenon_reader* reader = list.add(0, &counting);
  std::atomic<int> succeeded{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        Call call;
        std::size_t got = 0;
        const tenon_status status = reader->read(call.raw(), reader, {nullptr, 0}, &got);
        EXPECT_TRUE(status == TENON_OK || status == TENON_FAILED_PRECONDITION);
        if (status == TENON_OK) ++succeeded;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(succeeded, counting.reads);
  reader->release(reader);
  EXPECT_EQ(counting.releases, 1);
}

TEST_F(RevocableStreamTest, AreReleasedAfterTheCallInAnyOrder) {
  struct Guarded : PluginReader {
    using PluginReader::PluginReader;
    std::atomic<bool> entered{false};
  };
  constexpr int rounds = 100;
  for (int round = 0; round < rounds; ++round) {
    Guarded behind(
        generation, [](tenon_call* call, tenon_reader* self, tenon_buffer, std::size_t*) {
          auto& reader = *static_cast<Guarded*>(self);
          EXPECT_EQ(reader.releases, 0);
          reader.entered = true;
          // Long enough that the revocation sometimes finds the call inside.
          for (int i = 0; i < 50 && call->functions->cancelled(call) == TENON_NOT_CANCELLED; ++i) {
          }
          EXPECT_EQ(reader.releases, 0);
          return tenon_status{TENON_OK};
        });
    tenon_reader* reader = list.add(0, &behind);
    std::thread holding([&] {
      while (read(reader) == TENON_OK) {
      }
    });
    while (!behind.entered) std::this_thread::yield();
    list.revoke_all();
    EXPECT_TRUE(list.wait(0, in(10s)));
    EXPECT_EQ(behind.releases, 1);
    holding.join();
    reader->release(reader);
    EXPECT_EQ(behind.releases, 1);
    EXPECT_EQ(list.count(), 0u);
  }
}

TEST_F(RevocableStreamTest, LentAreReleasedOnceInAnyOrder) {
  for (int round = 0; round < 200; ++round) {
    PluginReader behind(generation);
    tenon_reader* stream = &behind;
    const auto lent = list.lend(stream);
    std::thread revoking([&] { list.revoke_all(); });
    std::thread holding([&] {
      for (int i = 0; i < 20 && read(stream) == TENON_OK; ++i) {
      }
    });
    lent->pass();
    revoking.join();
    holding.join();
    EXPECT_EQ(behind.releases, 1);
    EXPECT_EQ(list.count(), 0u);
    stream->release(stream);
  }
}

TEST_F(RevocableStreamTest, AreReleasedOnceInAnyOrder) {
  for (int round = 0; round < 200; ++round) {
    PluginReader behind(generation);
    tenon_reader* reader = list.add(0, &behind);
    std::thread revoking([&] { list.revoke_all(); });
    std::thread holding([&] {
      for (int i = 0; i < 20 && read(reader) == TENON_OK; ++i) {
      }
      reader->release(reader);
    });
    revoking.join();
    holding.join();
    EXPECT_EQ(behind.releases, 1);
    EXPECT_EQ(list.count(), 0u);
  }
}

}}  // namespace tenon::tests
