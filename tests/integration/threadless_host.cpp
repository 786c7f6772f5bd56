// SPDX-License-Identifier: BSL-1.0
//
// A host in a process that can start no more threads. Prints one line for each operation: those
// that need a thread fail with an error, all others succeed.
//
//   threadless-host DIRECTORY PACKAGE PLUGIN
#include <tenon/host.hpp>

#include <sys/syscall.h>
#include <test/counter.hpp>

#include <cerrno>
#include <chrono>
#include <iostream>
#include <string>

#include "integration/confine.hpp"

namespace {

void say(const std::string& what, std::string_view result) {
  std::cout << what << ": " << result << std::endl;
}

template <class Result>
std::string_view code(const Result& result) {
  return result ? std::string_view("ok") : result.error().code();
}

}  // namespace

int main(int, char** arguments) {
  const std::string package = arguments[2];
  const tenon::HostOptions options{.app = "", .plugin_path = {arguments[1]}, .watch = true};
  tenon::Host before(options);
  auto counter = before.create<test::Counter>(arguments[3]).value();
  if (!tenon::tests::refuse({SYS_clone, SYS_clone3}, EAGAIN)) {
    std::cout << "cannot confine" << std::endl;
    return 77;
  }
  say("call", code(counter->add(1)));
  say("restart", code(before.restart(package)));
  tenon::Call call;
  call.set_timeout(std::chrono::seconds(10));
  say("call with a deadline", code(counter->add(call, 1)));
  say("fatal status", code(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken")));
  say("call", code(counter->add(1)));
  {
    const tenon::Host without(options);
    for (const tenon::Error& error : without.problems()) {
      if (error.code() == "no-thread") say("skipped", error.code());
    }
    std::cout << without.modules().size() << " modules" << std::endl;
  }
  tenon::Host without(options);
  {
    auto other = without.create<test::Counter>(arguments[3]);
    say("create", code(other));
    say("call", code((*other)->add(1)));
    say("fatal status", code((*other)->refuse(TENON_INTERNAL | TENON_FATAL, "broken")));
  }
  say("unloaded", without.modules().at(0).loaded ? "no" : "yes");
  return 0;
}
