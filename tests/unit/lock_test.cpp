// SPDX-License-Identifier: BSL-1.0
#include "package/lock.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/plain_text.hpp"
#include "framework/world.hpp"
#include "package/document_file.hpp"

namespace tenon::detail { namespace {

namespace fs = std::filesystem;

const std::string hash_of_blur(64, 'a');
const std::string other_hash = std::string(60, '0') + "19af";

Version version(const std::string& text) {
  return Version::parse(text).value();
}

/// Returns a lock with one package, given as JSON.
std::string lock_with(const std::string& package) {
  return R"({"type":"tenon.dev/lock","version":1,"value":{"packages":[)" + package + "]}}";
}
std::string package_with(const std::string& name, const std::string& version,
                         const std::string& rest) {
  return R"({"name":")" + name + R"(","version":")" + version + R"(",)" + rest + "}";
}
const std::string of_a_file = R"("sha256":")" + hash_of_blur + R"(","source":"libblur.so")";

class LockFile : public testing::Test {
 protected:
  tests::World world_;
  const fs::path file_ = world_.path("app/tenon.lock");

  void expect_broken(const std::string& text, const std::string& found) const {
    SCOPED_TRACE(text.substr(0, 300));
    const auto read = parse_lock(text, file_);
    ASSERT_FALSE(read) << "expected " << found;
    EXPECT_EQ(read.error().code(), "broken-lock");
    EXPECT_EQ(read.error().where(), file_.string());
    EXPECT_EQ(read.error().found(), found);
    EXPECT_FALSE(read.error().needed().empty());
    EXPECT_NE(read.error().fix().find("tenon lock"), std::string_view::npos);
  }
};

TEST_F(LockFile, RoundTrips) {
  const fs::path blur = world_.path("app/plugins/blur/1.2.0/libblur.so");
  const fs::path colour = world_.path("elsewhere/libcolour.so");
  ASSERT_TRUE(write_lock_file(file_,
                              {{.name = "me.example/blur",
                                .version = version("1.10.0"),
                                .sha256 = other_hash,
                                .source = colour},
                               {.name = "tenon.dev/builtin", .version = version("0.1.0")},
                               {.name = "me.example/blur",
                                .version = version("1.2.0-rc.1+b7"),
                                .sha256 = hash_of_blur,
                                .source = blur}},
                              "photo"));
  const auto read = read_lock_file(file_);
  ASSERT_TRUE(read) << read.error().to_string();
  ASSERT_EQ(read->size(), 3U);
  const LockedPackage& first = (*read)[0];
  EXPECT_EQ(first.name, "me.example/blur");
  EXPECT_EQ(first.version.to_string(), "1.2.0-rc.1+b7");
  EXPECT_EQ(first.sha256, hash_of_blur);
  EXPECT_EQ(first.source, blur);
  EXPECT_FALSE(first.builtin());
  EXPECT_EQ((*read)[1].version.to_string(), "1.10.0");
  EXPECT_EQ((*read)[1].source, colour);
  EXPECT_TRUE((*read)[2].builtin());
}

TEST_F(LockFile, ListsLibrariesOfAModule) {
  const LockedPackage blur{.name = "me.example/blur",
                           .version = version("1.2.0"),
                           .sha256 = hash_of_blur,
                           .source = world_.path("app/plugins/libblur.so"),
                           .libraries = {{"libz.so", hash_of_blur}, {"../lib/la.so", other_hash}}};
  ASSERT_TRUE(write_lock_file(file_, {blur}, "photo"));
  const auto read = read_lock_file(file_);
  ASSERT_TRUE(read) << read.error().to_string();
  const auto& libraries = read->front().libraries;
  ASSERT_EQ(libraries.size(), 2U);
  EXPECT_EQ(libraries[0].path, "../lib/la.so") << "in the order of the paths";
  EXPECT_EQ(libraries[0].sha256, other_hash);
  EXPECT_EQ(libraries[1].path, "libz.so");
  EXPECT_EQ(libraries[1].sha256, hash_of_blur);
}

// A file name may have any bytes, but a text in JSON must be UTF-8.
TEST_F(LockFile, PreservesFileNamesThatAreNotUtf8) {
  for (const std::string name :
       {"lib\xff\xfe.so", "100%\xe4.so", "builtin", "file:x.so", "%41.so", "l\xc3\xb6sen.so"}) {
    const LockedPackage blur{.name = "me.example/blur",
                             .version = version("1.2.0"),
                             .sha256 = hash_of_blur,
                             .source = world_.root() / "app" / fs::path(name),
                             .libraries = {{fs::path(name), other_hash}}};
    ASSERT_TRUE(write_lock_file(file_, {blur}, "photo"));
    EXPECT_EQ(valid_utf8(world_.read("app/tenon.lock")), world_.read("app/tenon.lock"));
    const auto read = read_lock_file(file_);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(read->front().source, blur.source);
    EXPECT_EQ(read->front().libraries[0].path, blur.libraries[0].path);
  }
  ASSERT_TRUE(write_lock_file(file_,
                              {{.name = "me.example/blur",
                                .version = version("1.2.0"),
                                .sha256 = hash_of_blur,
                                .source = world_.root() / "app" / fs::path("50%\xff.so")}},
                              "photo"));
  EXPECT_NE(world_.read("app/tenon.lock").find(R"("source":"file:50%25%FF.so")"),
            std::string::npos);
}

// Lock files are kept in version control: they can be compared, and moved with the files below
// them.
TEST_F(LockFile, IsDeterministic) {
  const LockedPackage blur{.name = "me.example/blur",
                           .version = version("1.2.0"),
                           .sha256 = hash_of_blur,
                           .source = world_.path("app/libblur.so")};
  const LockedPackage builtin{.name = "tenon.dev/builtin", .version = version("0.1.0")};
  const LockedPackage odd{.name = "me.example/odd",
                          .version = version("1.0.0"),
                          .sha256 = other_hash,
                          .source = R"(/{"name":/libodd.so)"};
  const std::string text = R"({"type":"tenon.dev/lock","version":1,"writer":"photo","value":)"
                           R"({"packages":[
  {"name":"me.example/blur","version":"1.2.0","sha256":")" +
                           hash_of_blur + R"(","source":"libblur.so","libraries":[]},
  {"name":"me.example/odd","version":"1.0.0","sha256":")" +
                           other_hash + R"(","source":"/{\"name\":/libodd.so","libraries":[]},
  {"name":"tenon.dev/builtin","version":"0.1.0","source":"builtin","libraries":[]}]}}
)";
  ASSERT_TRUE(write_lock_file(file_, {blur, odd, builtin}, "photo"));
  EXPECT_EQ(world_.read("app/tenon.lock"), text);
  ASSERT_TRUE(write_lock_file(file_, {builtin, blur, odd}, "photo"));
  EXPECT_EQ(world_.read("app/tenon.lock"), text);

  fs::rename(world_.path("app"), world_.root() / "moved");
  EXPECT_EQ(read_lock_file(world_.path("moved/tenon.lock")).value()[0].source,
            world_.path("moved/libblur.so"));
}

TEST_F(LockFile, StoresPathsRelativeToItsDirectory) {
  const auto text = lock_with(package_with("me.example/blur", "1.2.0", of_a_file));
  EXPECT_EQ(parse_lock(text, file_).value()[0].source, world_.path("app/libblur.so"));
  EXPECT_EQ(parse_lock(text, "tenon.lock").value()[0].source, fs::current_path() / "libblur.so");
}

// A builtin of a program has no hash.
TEST_F(LockFile, ReadsBuiltinWithAHashAsAFileName) {
  const auto read = parse_lock(
      lock_with(package_with("me.example/blur", "1.2.0",
                             R"("sha256":")" + hash_of_blur + R"(","source":"builtin")")),
      file_);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_FALSE(read->at(0).builtin());
  EXPECT_EQ(read->at(0).source, world_.path("app/builtin"));
}

TEST_F(LockFile, RefusesTruncatedFiles) {
  const auto text = lock_with(package_with("me.example/blur", "1.2.0", of_a_file));
  ASSERT_TRUE(parse_lock(text, file_));
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = parse_lock(text.substr(0, size), file_);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code(), "broken-lock");
    EXPECT_EQ(read.error().where(), file_.string() + ":1:" + std::to_string(size + 1));
  }
}

TEST_F(LockFile, ReportsErrors) {
  expect_broken("{}", "the document does not state its version  (lock: version)");
  expect_broken("[]", "expected object, found array");
  expect_broken(R"({"type":"tenon.dev/lock","version":1})", "missing  (lock: value)");
  expect_broken(R"({"type":"tenon.dev/record","version":1,"value":{}})",
                R"(the document has another type: "tenon.dev/record"  (lock: type))");
  expect_broken(R"({"type":"tenon.dev/lock","version":1,"wirter":"photo","value":{"packages":[]}})",
                "not a key of a document  (lock: wirter)");
  expect_broken(lock_with("7"), "expected object, found number 7  (lock: value.packages[0])");
  expect_broken(lock_with(R"({"nmae":"me.example/blur"})"),
                "not a field of this type  (lock: value.packages[0].nmae)");
  expect_broken(lock_with("null"),
                R"("", which has no '/' after a domain  (lock: value.packages[0].name))");
  expect_broken(lock_with(package_with("blur", "1.2.0", of_a_file)),
                R"("blur", which has no '/' after a domain  (lock: value.packages[0].name))");
  expect_broken(lock_with(package_with("me.example/blur", "1.2", of_a_file)),
                R"("1.2": there are fewer than three numbers  (lock: value.packages[0].version))");
  expect_broken(lock_with(package_with("me.example/blur", "1.2.0",
                                       R"("sha256":"ABC","source":"libblur.so")")),
                R"("ABC"  (lock: value.packages[0].sha256))");
  expect_broken(lock_with(package_with(
                    "me.example/blur", "1.2.0",
                    R"("sha256":")" + std::string(64, 'A') + R"(","source":"libblur.so")")),
                '"' + std::string(64, 'A') + "\"  (lock: value.packages[0].sha256)");
  expect_broken(lock_with(package_with("me.example/blur", "1.2.0", R"("source":"libblur.so")")),
                "nothing  (lock: value.packages[0].sha256)");
  expect_broken(
      lock_with(package_with("me.example/blur", "1.2.0", R"("sha256":")" + hash_of_blur + '"')),
      "nothing  (lock: value.packages[0].source)");
  expect_broken(
      lock_with(package_with("me.example/blur", "1.2.0",
                             R"("sha256":")" + hash_of_blur + R"(","source":"file:%4g")")),
      R"("file:%4g"  (lock: value.packages[0].source))");
  expect_broken(lock_with(package_with("me.example/blur", "1.2.0",
                                       R"("sha256":")" + hash_of_blur + R"(","source":"file:")")),
                "nothing  (lock: value.packages[0].source)");
  const auto with_library = [](const std::string& library) {
    return R"({"type":"tenon.dev/lock","version":1,"value":{"packages":[)" +
           package_with("me.example/blur", "1.2.0",
                        of_a_file + R"(,"libraries":[)" + library + "]") +
           "]}}";
  };
  expect_broken(with_library("{}"), "nothing  (lock: value.packages[0].libraries[0].path)");
  expect_broken(with_library(R"({"path":"libz.so","sha256":"9"})"),
                R"("9"  (lock: value.packages[0].libraries[0].sha256))");
  const auto library = R"({"path":"libz.so","sha256":")" + hash_of_blur + "\"}";
  expect_broken(with_library(library + "," + library),
                R"("libz.so" twice  (lock: value.packages[0].libraries))");
  const auto once = package_with("me.example/blur", "1.2.0", of_a_file);
  expect_broken(
      lock_with(once + "," + package_with("me.example/blur", "1.3.0", of_a_file) + "," + once),
      "me.example/blur 1.2.0 twice  (lock: value.packages)");
}

TEST_F(LockFile, RefusesANewerVersion) {
  const auto read = parse_lock(R"({"type":"tenon.dev/lock","version":9,"value":{}})", file_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), "version-too-new");
  EXPECT_EQ(read.error().where(), file_.string());
  EXPECT_EQ(read.error().found(), "version 9 of tenon.dev/lock");
  EXPECT_NE(read.error().fix().find("newer host"), std::string_view::npos);
}

TEST_F(LockFile, ReportsMissingAndOversizedFiles) {
  EXPECT_EQ(read_lock_file(file_).error().code(), "not-found");
  EXPECT_EQ(read_lock_file(world_.root()).error().code(), "cannot-read");
  world_.write("app/tenon.lock", "");
  for (const std::uintmax_t size : {std::uintmax_t{16 << 20} + 1, std::uintmax_t{160 << 20}}) {
    fs::resize_file(file_, size);
    EXPECT_EQ(read_lock_file(file_).error().code(), "cannot-read") << size;
  }
}

TEST_F(LockFile, MayTakeSixteenMegabytes) {
  ASSERT_TRUE(write_lock_file(file_, {}, "photo"));
  std::string text = world_.read("app/tenon.lock");
  text.resize(16 << 20, ' ');
  world_.write("app/tenon.lock", text);
  EXPECT_TRUE(read_lock_file(file_));
  world_.write("app/tenon.lock", text + ' ');
  EXPECT_FALSE(read_lock_file(file_));
}

TEST_F(LockFile, IsUnchangedIfWritingFails) {
  EXPECT_EQ(write_lock_file(world_.root() / "none" / "tenon.lock", {}, "photo").error().code(),
            "not-found");
  world_.write("app/tenon.lock/inside", "");
  EXPECT_EQ(write_lock_file(file_, {}, "photo").error().code(), "cannot-write");
  EXPECT_EQ(world_.read("app/tenon.lock/inside"), "");
}

}}  // namespace tenon::detail
