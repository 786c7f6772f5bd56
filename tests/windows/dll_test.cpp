// SPDX-License-Identifier: BSL-1.0
//
// What crosses the border between a program and libtenon.dll: exceptions, their types, and the
// record of a thread. FAULTS is the directory of the modules.
#include <tenon/detail/thread_record.hpp>
#include <tenon/host.hpp>

#include <gtest/gtest.h>
#include <test/echo.hpp>
#include <windows.h>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

#include "windows/folder.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class LinkedDll : public testing::Test {
 protected:
  LinkedDll() { fs::create_directory(plugins()); }

  fs::path plugins() const { return folder_.path() / "plugins"; }
  HostOptions options() const {
    return {.app = "", .plugin_path = {plugins()}, .copy_directory = folder_.path()};
  }
  void place(const char* build) const {
    fs::copy_file(fs::path(FAULTS) / build, plugins() / build);
  }

 private:
  const Folder folder_;
};

TEST_F(LinkedDll, IsLoadedByTheProgram) {
  EXPECT_NE(GetModuleHandleW(L"libtenon.dll"), nullptr);
}

TEST_F(LinkedDll, ThrowsExceptionsThatTheProgramCatches) {
  Host host(options());
  try {
    static_cast<void>(host.create<test::Echo>("absent").value());
    FAIL();
  } catch (const std::exception& thrown) {
    EXPECT_EQ(typeid(thrown), typeid(BadResult));
    EXPECT_NE(dynamic_cast<const BadResult*>(&thrown), nullptr);
    EXPECT_NE(std::string(thrown.what()).find("absent"), std::string::npos) << thrown.what();
  }
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

// The inline code of the program catches it, and the library finds its text.
TEST_F(LinkedDll, ReportsExceptionsThatTheProgramCatches) {
  place("unruly.dll");
  Host host(options());
  auto unruly = host.create<test::Echo>("test.example/unruly").value();
  const auto said = unruly->say("throw an exception");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().message(), "the plugin threw an exception: no more coffee");
}

TEST_F(LinkedDll, CatchesExceptionsOfTheProgram) {
  place("good.dll");
  HostOptions throwing = options();
  std::vector<std::string> lines;
  throwing.log_sink = [&](const LogLine& line) { lines.emplace_back(line.message); };
  throwing.on_event = [](const Event&) { throw std::runtime_error("the disk is full"); };
  {
    Host host(throwing);
    static_cast<void>(host.create<test::Echo>("test.example/echo").value());
  }
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines.back().find("the disk is full"), std::string::npos) << lines.back();
}

TEST_F(LinkedDll, SharesTheRecordOfAThread) {
  detail::ThreadRecord* first = nullptr;
  std::thread([&] {
    EXPECT_EQ(detail::this_thread_record(), nullptr);
    first = detail::attach_thread();
    EXPECT_EQ(detail::this_thread_record(), first);
    EXPECT_EQ(detail::find_thread_record(), first);
  }).join();
  std::thread([&] { EXPECT_EQ(detail::attach_thread(), first) << "it was not given back"; }).join();
}

}}  // namespace tenon::tests
