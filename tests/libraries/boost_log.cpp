// SPDX-License-Identifier: BSL-1.0
#include <boost/log/core.hpp>
#include <boost/log/sinks/basic_sink_backend.hpp>
#include <boost/log/sinks/sync_frontend.hpp>
#include <boost/log/sources/logger.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/make_shared.hpp>
#include <boost/smart_ptr/shared_ptr.hpp>

#include <atomic>
#include <cstdint>

namespace blog = boost::log;

namespace {

std::atomic<int> lines = 0;

struct Counter : blog::sinks::basic_sink_backend<blog::sinks::synchronized_feeding> {
  void consume(const blog::record_view&) { ++lines; }
};

int add_sink() {
  blog::core::get()->add_sink(boost::make_shared<blog::sinks::synchronous_sink<Counter>>());
  return 1;
}

}  // namespace

extern "C" std::int64_t tests_sum(std::int64_t n) {
  static const int sinks = add_sink();
  blog::sources::logger_mt logger;
  BOOST_LOG(logger) << "a line";
  return lines >= sinks ? n * (n + 1) / 2 : 0;
}
