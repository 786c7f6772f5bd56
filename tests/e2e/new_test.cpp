// SPDX-License-Identifier: BSL-1.0
//
// tenon new: the names in a project, and what is refused. tests/foreign builds and runs the
// projects. TENON is the command.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class New : public testing::Test {
 protected:
  Outcome make(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {TENON, "new"});
    return world_.run(arguments);
  }

  /// Returns the paths of the files in a directory, relative to it.
  std::set<std::string> files(const std::string& directory) const {
    const fs::path root = world_.root() / directory;
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_directory()) found.insert(entry.path().lexically_relative(root));
    }
    return found;
  }

  /// Returns what is in the world besides the output of programs.
  std::set<std::string> everything() const {
    std::set<std::string> found = files(".");
    std::erase_if(found, [](const std::string& path) { return path.starts_with("output/"); });
    return found;
  }

  /// Expects that the command fails, and leaves the world as it was.
  void expect_refused(const std::vector<std::string>& arguments, int exit,
                      const std::string& message) const {
    const std::set<std::string> before = everything();
    const Outcome run = make(arguments);
    EXPECT_EQ(run.exit, exit);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(message), run.err.npos) << run.err;
    EXPECT_EQ(everything(), before);
  }

  /// Writes the part of the SDK of an app that the command reads.
  void write_sdk(const std::string& app, const std::vector<std::string>& kinds) const {
    const std::string share = "the sdk/share/";
    world_.write(
        share + "pkgconfig/" + app + "-sdk.pc",
        "prefix=${pcfiledir}/../..\napp=" + app + "\nkinds=" + app + "-kinds\n\nName: x\n");
    for (const std::string& kind : kinds) {
      world_.write(
          share + app + "/tenon/specs/" + kind + "/v1.json",
          R"({ "kind": ")" + app + ".example/" + kind + R"(", "version": 1, "doc": "Plays.",
  "methods": [
    { "name": "log", "doc": "Logs.", "threading": "any", "required": true,
      "request": { "tones": "reader", "type": "string", "more": "optional<writer>" } },
    { "name": "play", "doc": "Plays.", "threading": "any", "required": true,
      "request": { "at": "timestamp" }, "response": { "count": "int32", "name": "string" } },
    { "name": "stop", "doc": "Stops.", "threading": "any" }
  ]
})");
    }
  }

  World world_;
};

TEST_F(New, PrintsTheCommandsThatComeNext) {
  const Outcome run = make({"plugin", "me.example/numbers"});
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(run.out,
            "numbers: 7 files\n"
            "Next:\n"
            "  cd numbers\n"
            "  cmake -S . -B build\n"
            "  cmake --build build\n"
            "  ctest --test-dir build\n"
            "  TENON_PLUGIN_PATH=build tenon-pipeline run pipeline.json\n");
  EXPECT_EQ(files("numbers"),
            (std::set<std::string>{".gitignore", "CMakeLists.txt", "README.md", "numbers.cpp",
                                   "numbers_test.cpp", "pipeline.json", "verify.json"}));
}

TEST_F(New, MakesAPluginForMeson) {
  ASSERT_EQ(make({"plugin", "me.example/big-numbers", "--language", "c", "--build", "meson",
                  "--kind", "processor"})
                .exit,
            0);
  EXPECT_EQ(files("big-numbers"), (std::set<std::string>{".gitignore", "README.md", "big-numbers.c",
                                                         "big-numbers_test.cpp", "meson.build",
                                                         "pipeline.json", "verify.json"}));
  EXPECT_NE(world_.read("big-numbers/verify.json").find("tenon.dev/processor"), std::string::npos);
}

TEST_F(New, MakesAPluginForTheSdkOfAnApp) {
  write_sdk("band", {"tone"});
  const Outcome run = make({"plugin", "me.example/loud-tone", "--sdk", "the sdk"});
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "loud-tone: 5 files\n"
            "Next:\n"
            "  cd loud-tone\n"
            "  SDK='" +
                world_.path("the sdk").string() +
                "'\n"
                "  cmake -S . -B build -DCMAKE_PREFIX_PATH=\"$SDK\"\n"
                "  cmake --build build\n"
                "  ctest --test-dir build\n");
  EXPECT_EQ(files("loud-tone"), (std::set<std::string>{".gitignore", "CMakeLists.txt", "README.md",
                                                       "loud-tone.cpp", "loud-tone_test.cpp"}));
  EXPECT_EQ(world_.read("loud-tone/loud-tone.cpp"),
            "#include <band/sdk/tone.hpp>\n\n"
            "struct Example : band::sdk::ToneV1 {\n"
            "  void log(\n"
            "      std::unique_ptr<tenon::sdk::Reader> /*tones*/, std::string_view /*type*/,\n"
            "      std::unique_ptr<tenon::sdk::Writer> /*more*/) override {}\n"
            "  PlayResult play(tenon::Timestamp /*at*/) override { return {}; }\n"
            "};\n"
            "TENON_PLUGIN(Example, \"me.example/loud-tone\", \"0.1.0\");\n");
}

TEST_F(New, MakesAPluginInCForAnSdk) {
  write_sdk("band", {"tone"});
  ASSERT_EQ(make({"plugin", "me.example/loud", "--sdk", "the sdk", "--language", "c"}).exit, 0);
  EXPECT_EQ(world_.read("loud/loud.c"), R"(#include <band/tone/v1.h>

static tenon_status tone_log(tenon_call *call, void *self, const band_tone_v1_log_request *in) {
  (void)call;
  (void)self;
  /* A method that succeeds owns the streams of its request. */
  in->tones->release(in->tones);
  if (in->more != NULL) in->more->release(in->more);
  return TENON_OK;
}

static tenon_status tone_play(
    tenon_call *call, void *self, const band_tone_v1_play_request *in,
    const band_tone_v1_play_response **out) {
  band_tone_v1_play_response *response = tenon_allocate_zeroed(call, sizeof *response);
  (void)self;
  (void)in;
  response->struct_size = sizeof *response;
  *out = response;
  return TENON_OK;
}

/* Methods that are not listed return `unimplemented`. */
static const band_tone_v1 vtable = {BAND_TONE_V1_BASE, .log = tone_log, .play = tone_play};

#define PLUGINS(P) P(band_tone, 1, "me.example/loud", &vtable)
TENON_MODULE("me.example/loud", "0.1.0", PLUGINS, {});
)");
}

TEST_F(New, MakesAPluginInRustForAnSdk) {
  write_sdk("band", {"tone"});
  ASSERT_EQ(make({"plugin", "me.example/loud", "--sdk", "the sdk", "--language", "rust", "--build",
                  "meson"})
                .exit,
            0);
  EXPECT_EQ(files("loud"),
            (std::set<std::string>{".gitignore", "README.md", "loud.rs", "meson.build"}));
  // A crate has no '-' in its name.
  EXPECT_NE(world_.read("loud/meson.build").find("'libband_kinds.rlib'"), std::string::npos);
  EXPECT_NE(world_.read("loud/loud.rs").find(R"(
    impl band_kinds::band::ToneV1 for Example {
        fn log(
            &self, _call: &tenon::Call<'_>, _tones: ::tenon::Reader,
            _type: &str, _more: Option<::tenon::Writer>) -> tenon::Result<()> {
            Ok(())
        }

        fn play(
            &self, _call: &tenon::Call<'_>,
            _at: i64) -> tenon::Result<band_kinds::band::ToneV1PlayResult> {
            Ok(Default::default())
        }
    }
)"),
            std::string::npos)
      << world_.read("loud/loud.rs");
}

TEST_F(New, FindsTheKindInASdk) {
  write_sdk("band", {"tone", "pause"});
  write_sdk("photo", {"tone"});
  const auto include = [this](const std::string& name, const std::string& kind) {
    EXPECT_EQ(make({"plugin", "me.example/" + name, "--sdk", "the sdk", "--kind", kind}).exit, 0);
    const std::string text = world_.read(name + "/" + name + ".cpp");
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(include("one", "pause"), "#include <band/sdk/pause.hpp>");
  EXPECT_EQ(include("two", "photo.example/tone"), "#include <photo/sdk/tone.hpp>");
  EXPECT_NE(world_.read("two/README.md").find("`PHOTO_PLUGIN_PATH=build`"), std::string::npos);
}

TEST_F(New, RefusesAKindThatTheSdkDoesNotHave) {
  write_sdk("band", {"tone", "pause"});
  const std::vector<std::string> line = {"plugin", "me.example/x", "--sdk", "the sdk"};
  expect_refused(line, 1,
                 "tenon new: the sdk has 2 kinds\n"
                 "   found   'band.example/pause' and 'band.example/tone'\n"
                 "   needed  one of these\n"
                 "   fix     name it with --kind, eg: --kind band.example/pause\n");
  write_sdk("photo", {"tone"});
  const auto with_kind = [&line](const std::string& kind) {
    std::vector<std::string> longer = line;
    longer.insert(longer.end(), {"--kind", kind});
    return longer;
  };
  expect_refused(with_kind("tone"), 1,
                 "tenon new: the sdk has 2 kinds named 'tone'\n"
                 "   found   'band.example/tone' and 'photo.example/tone'\n");
  expect_refused(with_kind("band.example/tones"), 1,
                 "tenon new: the sdk has no kind 'band.example/tones'\n"
                 "   found   'band.example/pause', 'band.example/tone' and 'photo.example/tone'\n"
                 "   needed  one of these\n"
                 "   fix     did you mean 'band.example/tone'?\n");
  expect_refused(with_kind("source"), 1, "the sdk has no kind 'source'");
}

TEST_F(New, RefusesADirectoryThatIsNoSdk) {
  world_.write("other/share/pkgconfig/tenon-sdk.pc", "prefix=/usr\n");
  for (const std::string directory : {"nowhere", "other"}) {
    expect_refused(
        {"plugin", "me.example/x", "--sdk", directory}, 1,
        "tenon new: " + directory +
            " is not the SDK of an app\n"
            "   found   no file share/pkgconfig/APP-sdk.pc with the variables app and kinds\n"
            "   needed  a directory that tenon_install_sdk or tenon-gen sdk has written\n"
            "   fix     install the SDK, eg: cmake --install build --prefix DIR --component "
            "sdk\n");
  }
}

TEST_F(New, RefusesAnSdkThatCannotBeUsed) {
  write_sdk("band", {});
  const std::vector<std::string> line = {"plugin", "me.example/x", "--sdk", "the sdk"};
  expect_refused(line, 1,
                 "tenon new: the sdk has no kind of an app\n   found   standard kinds only\n");
  world_.write("the sdk/share/band/tenon/specs/tone/v1.json", R"({ "kind": "band.example/tone" })");
  expect_refused(line, 1, "the sdk/share/band/tenon/specs/tone/v1.json:1:1: error[");
  fs::create_directory(world_.root() / "x");
  expect_refused(line, 1, "tenon new: x already exists\n");
}

// No host searches the directory of the libraries that Meson chooses, such as lib/x86_64-linux-gnu.
TEST_F(New, InstallsPluginsWithMesonWhereHostsSearch) {
  for (const char* language : {"c", "c++", "rust"}) {
    const std::string name = std::string("in-").append(language[1] != '+' ? language : "cpp");
    ASSERT_EQ(
        make({"plugin", "me.example/" + name, "--language", language, "--build", "meson"}).exit, 0);
    EXPECT_NE(world_.read(name + "/meson.build").find("install_dir: 'lib' / 'tenon' / 'plugins')"),
              std::string::npos);
  }
}

TEST_F(New, MakesAPluginInRust) {
  ASSERT_EQ(make({"plugin", "me.example/big-numbers", "--language", "rust"}).exit, 0);
  EXPECT_EQ(files("big-numbers"),
            (std::set<std::string>{".gitignore", "CMakeLists.txt", "README.md", "big-numbers.rs",
                                   "pipeline.json", "verify.json"}));
  EXPECT_EQ(world_.read("big-numbers/big-numbers.rs").find("sample"), std::string::npos);
}

TEST_F(New, MakesAKindWithAPluginInRust) {
  ASSERT_EQ(make({"kind", "impl.example/match", "--language", "rust", "--build", "meson"}).exit, 0);
  EXPECT_EQ(files("match"), (std::set<std::string>{".gitignore", "README.md", "app.json",
                                                   "kinds/match/v1.json", "kinds/meson.build",
                                                   "main.cpp", "meson.build", "upper-case.rs"}));
  // The first label of the domain is a keyword of Rust.
  EXPECT_NE(world_.read("match/upper-case.rs").find("use match_kinds::r#impl::MatchV1;"),
            std::string::npos);
}

TEST_F(New, LeavesNoNameOfTheTemplates) {
  for (const std::string language : {"c", "c++", "rust"}) {
    for (const char* build : {"cmake", "meson"}) {
      const std::string name = "two_words_" + (language == "c++" ? "cpp" : language) + "_" + build;
      ASSERT_EQ(
          make({"kind", "far-away.example/" + name, "--language", language, "--build", build}).exit,
          0);
      const std::set<std::string> made = files(name);
      EXPECT_TRUE(made.contains("kinds/" + name + "/v1.json"));
      for (const std::string& file : made) {
        const std::string text = file + world_.read(name + "/" + file);
        for (const char* word :
             {"sample", "Sample", "SAMPLE", "me::", "me/", "me_", "me.example"}) {
          EXPECT_EQ(text.find(word), text.npos) << file << ": " << word << "\n" << text;
        }
      }
    }
  }
  EXPECT_NE(world_.read("two_words_c_cmake/main.cpp").find("far_away::TwoWordsCCmake>"),
            std::string::npos);
}

TEST_F(New, RefusesNamesOfAnotherForm) {
  expect_refused({"plugin", "numbers"}, 2,
                 "tenon new: numbers cannot name a plugin: it has no '/'\n"
                 "   needed  a domain, '/', and a word of lower-case letters, digits, '-' and '_', "
                 "eg: me.example/numbers\n");
  expect_refused({"plugin", "me.example/a/b"}, 2, "it does not end with a name");
  expect_refused({"plugin", "me.example/.."}, 2, "it does not end with a name");
  expect_refused({"plugin", "me.example/"}, 2, "it does not end with a name");
  expect_refused({"plugin", "me.example/Numbers"}, 2, "it does not end with a name");
  expect_refused({"plugin", "Me.example/numbers"}, 2, "it does not begin with a domain");
  expect_refused({"plugin", "../numbers"}, 2, "it does not begin with a domain");
  expect_refused({"plugin", "me.example/" + std::string(201, 'x')}, 2, "more than 200 characters");
  expect_refused({"kind", "me.example/big-numbers"}, 2, "eg: photo.example/filter");
  expect_refused({"kind", "int.example/numbers"}, 2,
                 "it has a first label that cannot be a C++ namespace");
  expect_refused({"host", "me.example/photo"}, 2, "it has a '/'\n   needed  a word");
  expect_refused({"host", "7up"}, 2, "it does not end with a name");
  expect_refused({"host", "\x1b[1m"}, 2, "tenon new: \\x1b[1m cannot name a host");
}

TEST_F(New, RefusesNamesOfBuildSystems) {
  expect_refused({"plugin", "me.example/test"}, 2,
                 "it has the word 'test', which build systems use themselves");
  expect_refused({"host", "meson-logs"}, 2, "build systems");
  EXPECT_EQ(make({"plugin", "int.example/tests"}).exit, 0);
}

TEST_F(New, RefusesOptionsThatDoNotApply) {
  expect_refused({"host", "photo", "--kind", "source"}, 2, "--kind does not apply to a host");
  expect_refused({"kind", "me.example/x", "--kind", "source"}, 2,
                 "--kind does not apply to a kind");
  expect_refused({"host", "photo", "--language", "c++"}, 2, "--language does not apply to a host");
  expect_refused({"host", "photo", "--sdk", "."}, 2, "--sdk does not apply to a host");
  expect_refused({"kind", "me.example/x", "--sdk", "."}, 2, "--sdk does not apply to a kind");
}

TEST_F(New, RefusesUnknownWords) {
  expect_refused({"module", "photo"}, 2, "found \"module\", needed host|plugin|kind");
  expect_refused({"host", "photo", "--build", "make"}, 2, "found \"make\", needed cmake|meson");
  expect_refused({"plugin", "me.example/x", "--kind", "store"}, 2,
                 "tenon new: --kind: found \"store\", needed source|processor, or a kind of an app "
                 "with --sdk\n");
  expect_refused({"host"}, 2, "NAME is required");
}

TEST_F(New, KeepsWhatExists) {
  world_.write("full/README.md", "mine");
  world_.write("file", "mine");
  fs::create_directory(world_.root() / "empty");
  fs::create_symlink("nowhere", world_.root() / "link");
  for (const std::string name : {"full", "file", "empty", "link"}) {
    expect_refused({"host", name}, 1, "tenon new: " + name + " already exists\n   fix     choose");
  }
  EXPECT_EQ(world_.read("full/README.md"), "mine");
  EXPECT_EQ(world_.read("file"), "mine");
  EXPECT_FALSE(fs::exists(world_.root() / "nowhere"));
}

TEST_F(New, FailsInADirectoryWithoutPermission) {
  fs::permissions(world_.root(), fs::perms::owner_write, fs::perm_options::remove);
  const Outcome run = world_.run(unprivileged({TENON, "new", "host", "photo"}));
  fs::permissions(world_.root(), fs::perms::owner_write, fs::perm_options::add);
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err,
            "tenon: " + unwritable_text("photo", "creating the directory: Permission denied"));
}

TEST_F(New, MakesDirectoriesThatOthersMayRead) {
  ASSERT_EQ(make({"host", "photo"}).exit, 0);
  const auto old = ::umask(0);
  ::umask(old);
  EXPECT_EQ(static_cast<mode_t>(fs::status(world_.root() / "photo").permissions()), 0777 & ~old);
}

}}  // namespace tenon::tests
